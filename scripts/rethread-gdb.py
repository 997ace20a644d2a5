"""gdb commands for a twin that replays a schedule (src/replay). `rethread replay --gdb` loads them.

rethread threads    where every thread stands in the schedule
rethread schedule   the lines of the schedule, and which of them are done
rethread run        start, and stop just before the failing operation
"""
import gdb

BLOCK = 256  # threads.c
RUNTIME = ("rethread-runtime/",)
STATES = {0: "runs", 1: "waits", 2: "held at its stop", 3: "in a call", 4: "ended"}


def value(expression):
    return gdb.parse_and_eval(expression)


def text(chars):
    return chars.string() if int(chars.address or 1) else ""


def pointer_text(chars):
    return chars.string() if int(chars) else ""


def threads():
    """Every struct twin_thread, in order of creation."""
    count = int(value("'threads.c'::count"))
    for number in range(count):
        block = value("'threads.c'::blocks[%d]" % (number // BLOCK))
        if int(block):
            yield block[number % BLOCK]


def is_runtime(frame):
    """No code of the program: of the runtime, or of the system's libraries, which may have symbols too."""
    sal = frame.find_sal()
    if (gdb.solib_name(frame.pc()) or "").startswith(("/lib", "/usr/lib")):
        return True
    name = frame.name() or "?"
    if name.startswith("__rethread_"):
        return True
    return sal.symtab is None or any(part in sal.symtab.filename for part in RUNTIME)


def program_frame(frame):
    """The innermost frame that is the program's own."""
    while frame is not None and is_runtime(frame):
        frame = frame.older()
    return frame


def position(frame):
    if frame is None:
        return "outside of the program"
    sal = frame.find_sal()
    return "%s () at %s:%d" % (frame.name(), sal.symtab.filename, sal.line)


def gdb_thread(tid):
    for thread in gdb.selected_inferior().threads():
        if thread.ptid[1] == tid:
            return thread
    return None


def where(tid):
    """(gdb's number, position) of a thread."""
    thread = gdb_thread(tid)
    if thread is None:
        return "-", ""
    selected = gdb.selected_thread()
    try:
        thread.switch()
        return str(thread.num), position(program_frame(gdb.newest_frame()))
    finally:
        if selected is not None and selected.is_valid():
            selected.switch()


def keep_frame(command):
    """Runs a command that looks at other threads; selection stays as it was."""
    def run(self, argument, from_tty):
        if gdb.selected_thread() is None:
            raise gdb.GdbError("the program is not being run")
        frame = gdb.selected_frame()
        try:
            command(self, argument, from_tty)
        finally:
            if frame.is_valid():
                frame.select()
    return run


def next_point(thread):
    plan = thread["plan"]
    if not int(plan):
        return "not in the schedule"
    at, count = int(thread["next_point"]), int(plan["npoints"])
    if at >= count:
        return "its part of the schedule is done"
    return "next point at access %d" % int(plan["points"][at]["sap"])


def standing(thread):
    state = STATES.get(int(thread["state"]), "?")
    if state == "waits" and int(thread["waits_for"]):
        state += " for access %d of thread %s" % (int(thread["waits_sap"]), text(thread["waits_for"]["name"]))
    return state


class Rethread(gdb.Command):
    """Replays of rethread: see `help rethread'."""

    def __init__(self):
        super().__init__("rethread", gdb.COMMAND_RUNNING, prefix=True)


class Threads(gdb.Command):
    """Where every thread stands in the schedule."""

    def __init__(self):
        super().__init__("rethread threads", gdb.COMMAND_STATUS)

    @keep_frame
    def invoke(self, argument, from_tty):
        for thread in threads():
            gate = thread["gate"]
            count = int(gate["count"]) if int(gate) else int(thread["passed"])
            number, at = where(int(thread["tid"]))
            ended = int(thread["state"]) == 4
            print("%-10s gdb thread %-3s access %-8d %s; %s%s" %
                  (text(thread["name"]), "-" if ended else number, count, standing(thread), next_point(thread),
                   "" if ended or not at else "\n%11sin %s" % ("", at)))


class Schedule(gdb.Command):
    """The lines of the schedule, thread by thread: x is done, > is where the thread is, the rest is to come."""

    def __init__(self):
        super().__init__("rethread schedule", gdb.COMMAND_STATUS)

    def lines(self, point):
        waits = value("'schedule.c'::waits")
        for kind, first, count in (("wait", "first_wait", "waits"), ("delay", "first_delay", "delays")):
            for i in range(int(point[count])):
                wait = waits[int(point[first]) + i]
                yield "%s until %s %d" % ("waits" if kind == "wait" else "is not visible",
                                          text(wait["thread"]["name"]), int(wait["sap"]))
        if point["stop"]:
            yield "is held until the failure"
        if point["forced"]:
            yield "returns %d" % int(point["result"])
        if point["fails"]:
            yield "the failure is expected"
        if point["announce"]:
            yield "others wait for it"

    @keep_frame
    def invoke(self, argument, from_tty):
        plans, count = value("'schedule.c'::plans"), int(value("'schedule.c'::nplans"))
        for i in range(count):
            plan = plans[i]
            thread = plan["thread"]
            reached = int(thread["next_point"]) if int(thread) else 0
            inside = int(thread) and int(thread["gate"]) and reached and \
                int(plan["points"][reached - 1]["sap"]) == int(thread["gate"]["count"])
            for k in range(int(plan["npoints"])):
                point = plan["points"][k]
                mark = ">" if inside and k == reached - 1 else "x" if k < reached else " "
                comment = pointer_text(point["comment"])
                print("%s %-10s %-8d %s%s" % (mark, text(plan["name"]), int(point["sap"]),
                                              ", ".join(self.lines(point)), "  # " + comment if comment else ""))


def leave_gate():
    """From the runtime's stop to the program's own access, so that `next` and `step` are about the program. Nobody else
    moves. A call that the runtime stands in for is still to be done, and stays where it is."""
    gate, frame = None, gdb.newest_frame()
    while frame is not None and is_runtime(frame):
        if (frame.name() or "").startswith("__rethread_gate_wait"):
            gate = frame
        frame = frame.older()
    if gate is None or frame is None:
        return False
    locking = gdb.parameter("scheduler-locking")
    gdb.execute("set scheduler-locking on")
    try:
        gate.select()
        gdb.execute("finish", to_string=True)
    finally:
        gdb.execute("set scheduler-locking %s" % locking)
    return True  # gdb has shown where


def only_the_program(breakpoint):
    """A name that the runtime has a function of, too, means the program's own."""
    locations = list(getattr(breakpoint, "locations", None) or [])
    of_runtime = [l for l in locations if l.fullname and any(part in l.fullname for part in RUNTIME)]
    if len(of_runtime) < len(locations):
        for location in of_runtime:
            location.enabled = False


class Run(gdb.Command):
    """Start the program; it stops just before the failing operation."""

    def __init__(self):
        super().__init__("rethread run", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        gdb.Breakpoint("__rethread_before_failure", internal=True).silent = True
        gdb.execute("run")
        if gdb.selected_thread() is None:
            return
        frame = program_frame(gdb.newest_frame())
        if gdb.newest_frame().name() == "__rethread_before_failure":
            print("rethread: just before the failing operation" if frame else "rethread: every thread is blocked")
            if leave_gate():
                return
        if frame is not None:
            frame.select()
        if frame is not None:
            gdb.execute("frame")


gdb.execute("skip -gfi rethread-runtime/*", to_string=True)
gdb.execute("skip -rfu ^__rethread_", to_string=True)
gdb.events.breakpoint_created.connect(only_the_program)
Rethread()
Threads()
Schedule()
Run()
