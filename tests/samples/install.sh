#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs a build into a folder, makes its Debian packages, and builds the digits sample in another folder against what these
# hold only: install.sh BUILD FOLDER DIGITS PYTHON. find_package(cameo) and cameo_add_model() are all the consumer uses. The compiler
# alone is installed too, as README's command builds it: without cameo-opt.
set -euo pipefail
build=$1 out=$2 digits=$3 python=$4
here=$(cd "$(dirname "$0")" && pwd)

rm -rf "$out"
mkdir -p "$out/consumer"
cmake --install "$build" --prefix "$out/prefix" >"$out/install.log"
sed 's|/bin/cameo-opt"|/bin/not-built"|g' "$build/cmake_install.cmake" >"$out/alone.cmake"
cmake -DCMAKE_INSTALL_PREFIX="$out/alone" -P "$out/alone.cmake" >>"$out/install.log"
[ -x "$out/alone/bin/cameo" ] && [ ! -e "$out/alone/bin/cameo-opt" ]
"$python" "$here/../tools/parts.py" "$out/prefix/share/cameo/cameo.cdx.json"
ls "$out/prefix/share/cameo/schemas/inspect.schema.json" >/dev/null

# Unpacked, not installed, which takes root.
cpack --config "$build/CPackConfig.cmake" -B "$out/packages" >"$out/cpack.log"
for package in "$out"/packages/*.deb; do dpkg-deb -x "$package" "$out/root"; done
gzip -cd "$out/root/usr/share/man/man1/cameo.1.gz" | grep -q '^\.SH NAME'
cflags=$(PKG_CONFIG_PATH=$out/root/usr/share/pkgconfig pkg-config --cflags cameo)
[ -f "$(eval echo "${cflags#-I}")/cameo/abi.h" ]
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error,warning "$out"/packages/*.deb
else
  echo "SKIP: lintian is not there"
fi

cp "$here/consumer.cmake" "$out/consumer/CMakeLists.txt"
cp "$digits"/{digits.onnx,main.cpp,npy.h} "$out/consumer"
cd "$out/consumer"
cmake -S . -B build -G Ninja -DCMAKE_PREFIX_PATH="$out/root/usr"
cmake --build build
./build/classify "$digits/images.npy" "$digits/labels.npy" | tail -n 1
