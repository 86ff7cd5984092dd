# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A maintainer of a distribution: what the packages hold and need, what lintian says, and that nothing stays when they go.
. /paths/common.sh
debian g++ pkgconf lintian
step "lintian" lintian --allow-root --fail-on error,warning /dist/cameo_*.deb /dist/libcameo-dev_*.deb
files() { find / -xdev \( -path /proc -o -path /dev -o -path /srv -o -path /var \) -prune -o -type f -print | sort; }
files >before
step "install" dpkg -i /dist/cameo_*.deb /dist/libcameo-dev_*.deb
step "version" cameo --version
expect "^cameo [0-9]"
if ldd /usr/bin/cameo | grep -E 'not found|libLLVM|libMLIR|libprotobuf' >&2; then exit 1; fi
zcat /usr/share/man/man1/cameo.1.gz | grep -q '^\.SH NAME'
echo '#include "cameo/abi.h"' >include.c
step "headers by pkg-config" sh -c 'gcc -std=c11 -Wall -Werror -fsyntax-only $(pkg-config --cflags cameo) include.c'
step "purge" dpkg --purge libcameo-dev cameo
files >after
diff before after >&2
report
