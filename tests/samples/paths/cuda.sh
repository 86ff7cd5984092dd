# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Someone with a CUDA application, on a machine without a GPU: the application's own stream and device memory, on the emulator.
. /paths/common.sh
debian g++ cmake ninja-build
step "install the package" dpkg -i /dist/cameo_*.deb
step "compile" cameo compile /samples/digits/digits.onnx -o net --target cuda --assert-no-sync
cp /paths/cuda.cpp main.cpp
cp /samples/digits/npy.h .
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(application LANGUAGES C CXX ASM)
add_subdirectory(net)
add_executable(application main.cpp)
target_link_libraries(application PRIVATE digits)
CMAKE
step "configure" cmake -S . -B build -G Ninja -DCAMEO_EMULATE=ON -DCMAKE_BUILD_TYPE=Release
step "build" cmake --build build
step "run on the emulator" build/application /samples/digits/images.npy /samples/digits/labels.npy
expect "of 48 are right"
report
