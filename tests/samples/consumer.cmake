# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A user's project (install.sh copies this to its CMakeLists.txt).
cmake_minimum_required(VERSION 3.25)
project(consumer LANGUAGES C CXX ASM)

find_package(cameo REQUIRED)
cameo_add_model(digits MODEL digits.onnx)
add_executable(classify main.cpp)
target_link_libraries(classify PRIVATE digits)
