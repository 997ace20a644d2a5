# The files that the documentation sends a reader to are there.
cd "$ROOT"
# `name.c' alone is a file somewhere in the tree; with a folder it is that one.
grep -ohE '`[a-z_./0-9-]+\.(c|h|def|cpp|py|sh|md)`' README.md docs/*.md docs/internals/*.md | tr -d '`' | sort -u >"$OLDPWD/named"
[ "$(wc -l <"$OLDPWD/named")" -gt 100 ] || fail "only $(wc -l <"$OLDPWD/named") files are named"
find . -path ./build -prune -o -type f -print >"$OLDPWD/files"
while read -r file; do
	case $file in
	*/*) [ -e "$file" ] || [ -e "docs/$file" ] ;;
	*) grep -q "/$file\$" "$OLDPWD/files" ;;
	esac || fail "no such file: $file"
done <"$OLDPWD/named"
# So are the pages that they link to.
for page in docs/*.md docs/internals/*.md README.md; do
	for link in $(grep -oE '\]\([^)#]*\)' "$page" | tr -d '])(' | grep -v :); do
		[ -e "$(dirname "$page")/$link" ] || fail "$page links to $link"
	done
done
