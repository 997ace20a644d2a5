# For the scripts of the evaluation.

# field FILE KEY: a number or text of a flat JSON file.
field() {
	sed -n "s/^ *\"$2\": \"\{0,1\}\([^\",]*\)\"\{0,1\},\{0,1\}$/\1/p" "$1" 2>/dev/null | head -n 1
}
