# Every command's options are in its help, in the manual and in the completion, and none are that it does not take.
. "$ROOT/completion/bash/rethread"
long_options() { grep -oE -- '(^|[^a-z-])--[a-z][a-z0-9-]*' | grep -oE -- '--.*' | grep -vx -- --help | sort -u; }
taken() { # COMMAND: the long options in its table
	local file=$ROOT/src/cli/$1.c
	case $1 in
	reproduce | infer) file=$ROOT/src/infer/request.c ;;
	esac
	sed -nE 's/\{ ?"([a-z0-9-]*)", (no|required)_argument/\n--\1\n/gp' "$file" | grep -- '^--' | long_options
}
completed() { # COMMAND WORD: what the completion says then
	COMP_WORDS=(rethread "$1" "$2") COMP_CWORD=2
	_rethread
	printf '%s\n' "${COMPREPLY[@]}"
}
rethread help | sed -n 's/^  rethread \([^ ]*\) .*/\1/p' >commands
[ "$(wc -l <commands)" -gt 10 ] || fail "$(cat commands)"
sed 's/\\f[RBIP]//g; s/\\-/-/g; s/\\ / /g' "$ROOT/docs/rethread.1" >manual
sed -n '/^\.SH COMMANDS/,$p' manual >described
for c in $(cat commands); do
	grep -qE "^\.BR? \"?rethread (reproduce\" \" \| \" )?$c" manual || fail "$c is not in the manual's synopsis"
	COMP_WORDS=(rethread "$c") COMP_CWORD=1
	_rethread
	same "${COMPREPLY[0]}" "$c"
	case $c in cc | c++) continue ;; esac
	rethread help $c >help
	rethread $c --help >asked
	same "$(cat asked)" "$(cat help)"
	case $c in
	help | version) continue ;;
	infer) rethread help reproduce >help ;;
	esac
	long_options <help >options
	case $c in
	hunt) ;; # has record's table, in which --seed is for it, and refuses some
	record) same "$(cat options)" "$(taken $c | grep -vx -- --seed)" ;;
	*) same "$(cat options)" "$(taken $c)" ;;
	esac
	same "$(completed $c -- | long_options)" "$(cat options)"
	for o in $(cat options); do
		grep -qE -- "$o([^a-z-]|$)" described || fail "$o of $c is not in the manual"
	done
done
# What the manual has some command takes; what it says of cc are options of clang.
for c in $(cat commands); do rethread help $c; done | long_options >all
sed '/^\.B cc/,/^\.B record/d' described | long_options >manuals
same "$(comm -13 all manuals)" ""
same "$(completed record '' | grep -cx commands)" 1
# Whoever gets one wrong is told so by rethread, in one way: what is wrong, then how the command is used.
for c in $(cat commands); do
	case $c in cc | c++ | help | version) continue ;; esac
	status 2 rethread $c --nonsense 2>err
	has err "^rethread: $c: .*--nonsense" "^usage: rethread $c( |\$)"
	! grep -q ' $' err || fail "$(cat err)"
done
status 2 rethread replay -n 0 2>err
has err 'takes a number, 1 or more'
printf 'int main(void) { return 0; }\n' >here.c
rethread cc here.c -o here
status 4 rethread record -- here 2>err
has err 'this folder.s is \./here'
rethread record -q -- ./here
# Output that could not be written is no success.
for c in help ls "help record"; do
	status 4 rethread $c >/dev/full 2>err
	has err '^rethread: cannot write standard output: No space left'
done
