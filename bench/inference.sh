# For bench/solve.sh, bench/workers.sh and bench/growth.sh, which set `budget` and `record` first: options, the tool, a folder to work in.
: "${BUILD:=$PWD/../build}"
status=0
while getopts b:t: option; do
  case $option in
  b) budget=$OPTARG ;;
  t) record=$OPTARG ;;
  *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
rethread=$BUILD/rethread
[ -x "$rethread" ] || { echo "$(basename "$0"): build first: make all bench" >&2; exit 2; }
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
export XDG_DATA_HOME=$work/data TMPDIR=$work

# field NAME: of the figures of the last inference
field() { sed -n "s/^ *\"$1\": \"\\{0,1\\}\\([^\",]*\\).*/\\1/p" "$work/figures" | head -1; }
