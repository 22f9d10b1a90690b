# Shared by tests of an installation: `load ../installed`.  Installs once for all tests of a file.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	NSQ_BIN=$(cd "${NSQ_BIN:-bin}" && pwd)
	export PATH=$NSQ_BIN:$PATH LC_ALL=C
	unset MAKEFLAGS MFLAGS MAKELEVEL
	trace=tests/fixtures/dualpipe-pp2ep2.sqlite
}

# Install once for all tests of this file.
setup_file() {
	cd "$BATS_TEST_DIRNAME/../.."
	unset MAKEFLAGS MFLAGS MAKELEVEL
	export DEST=$BATS_FILE_TMPDIR/dest
	make -s -o all install DESTDIR="$DEST" PREFIX=/usr BIN="${NSQ_BIN:-bin}" > /dev/null
	export USR=$DEST/usr
}

tools() { cd "$NSQ_BIN" && ls -d nsq-*; }
