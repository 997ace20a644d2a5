"""session.py COMMAND...: drives an interactive gdb through a pseudo-terminal. Lines of standard input are what is typed:
"^C" is the key, "wait SECONDS" a pause, "until TEXT" waits for it to be shown, "&COMMAND" does not wait for the prompt, anything else a command, for whose prompt the next one waits. Prints all that is shown."""
import os, pty, select, signal, sys, time

PROMPT = b"(gdb) "
pid, fd = pty.fork()
if pid == 0:
    os.environ["TERM"] = "dumb"
    os.execvp(sys.argv[1], sys.argv[1:])

shown = b""


def read(seconds, until):
    """What is shown until the text comes; all of it within the time."""
    global shown
    got, end = b"", time.time() + seconds
    while until not in got and time.time() < end:
        if not select.select([fd], [], [], max(0, end - time.time()))[0]:
            break
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b""
        if not data:
            break
        got += data
    shown += got
    return until in got


def type_line(line):
    os.write(fd, line.encode() + b"\n")


limit = float(os.environ.get("SESSION_TIMEOUT", "60"))
ok = read(limit, PROMPT)
for line in sys.stdin:
    line = line.rstrip("\n")
    if not ok:
        break
    if line.startswith("wait "):
        time.sleep(float(line[5:]))
        continue
    if line.startswith("until "):
        ok = read(limit, line[6:].encode())
        continue
    if line == "^C":
        os.write(fd, b"\x03")
    elif line.startswith("&"):
        type_line(line[1:])
        continue
    else:
        type_line(line)
    ok = read(limit, PROMPT)
if ok:
    type_line("quit")
    read(limit, b"\xff")  # to the end
else:
    os.kill(pid, signal.SIGKILL)
os.waitpid(pid, 0)
sys.stdout.write(shown.decode(errors="replace").replace("\r", ""))
