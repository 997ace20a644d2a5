# Building the programs of these tests; needs $here, $root, $BUILD, and a scratch directory as current one.
CC=${CC:-clang-19} CXX=${CXX:-clang++-19} LLVM_CONFIG=${LLVM_CONFIG:-llvm-config-19}
flags="-std=gnu17 -O2 -g -Wall -Wextra -D_GNU_SOURCE= -I$root/include -I$root/src -I$here"
o=$BUILD/obj/src
$CC $flags -c "$here/record.c" -o record.o && $CC $flags -c "$here/harness.c" -o harness.o || exit 1
interpreter="$(ls $o/sym/interp*.c.o) $o/sym/code.c.o $o/sym/symmem.c.o $o/sym/expr.c.o $o/sym/expr_slices.c.o $o/sym/expr_values.c.o $o/base/base.c.o"
$CC $flags "$here/translate_tool.c" $o/sym/translate*.c.o $o/sym/code.c.o $o/trace/inputs.c.o $o/base/base.c.o -o translate_tool \
	$($LLVM_CONFIG --ldflags --libs --link-shared) || exit 1

compiler() { case $1 in *.cpp) echo "$CXX" ;; *) echo "$CC" ;; esac; }

# link MODE OPT SOURCE OBJECTS...: the program MODE.exe, and MODE.bc
link() {
	local mode=$1 opt=$2 source=$3
	shift 3
	RETHREAD_PASS=$mode RETHREAD_PASS_BITCODE=$mode.bc timeout 120 $(compiler "$source") $opt -g -flto \
		-ffat-lto-objects -fuse-ld=lld -Wl,--fat-lto-objects \
		-Wl,--load-pass-plugin="$BUILD/librethread_pass.so" "$@" -o "$mode.exe" -pthread -lm
}

build() { # build SOURCE OPT: record.exe, twin.exe, code
	local source=$1 opt=$2
	rm -f ./*.exe code ./*.bc path*
	$(compiler "$source") $opt -g -w -I"$here" -flto -ffat-lto-objects -c "$source" -o program.o &&
		link record "$opt" "$source" program.o record.o &&
		link twin "$opt" "$source" program.o harness.o $interpreter &&
		./translate_tool twin.bc code
}
