# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A developer of an engine in C++: Debian packages, find_package(cameo), and a model that is compiled while the project is.
. /paths/common.sh
debian g++ cmake ninja-build
step "install the packages" dpkg -i /dist/cameo_*.deb /dist/libcameo-dev_*.deb
mkdir project
cp /samples/digits/{digits.onnx,main.cpp,npy.h} project
cp /paths/consumer.cmake project/CMakeLists.txt
step "configure" cmake -S project -B build -G Ninja
step "build" cmake --build build
step "run" build/classify /samples/digits/images.npy /samples/digits/labels.npy
expect "48 of 48"
report
