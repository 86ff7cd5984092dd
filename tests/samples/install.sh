#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs a build into a folder, and builds the digits sample in another against the installed package only:
# install.sh BUILD FOLDER DIGITS PYTHON. find_package(cameo) and cameo_add_model() are all the consumer uses. The compiler alone is
# installed too, as README's command builds it: without cameo-opt.
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
cp "$here/consumer.cmake" "$out/consumer/CMakeLists.txt"
cp "$digits"/{digits.onnx,main.cpp,npy.h} "$out/consumer"
cd "$out/consumer"
cmake -S . -B build -G Ninja -DCMAKE_PREFIX_PATH="$out/prefix"
cmake --build build
./build/classify "$digits/images.npy" "$digits/labels.npy" | tail -n 1
