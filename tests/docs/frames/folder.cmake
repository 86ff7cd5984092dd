# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A user's project; what links a model to its program comes from the document.
cmake_minimum_required(VERSION 3.25)
project(snippet LANGUAGES C CXX ASM)
add_executable(app app.cpp)
# SNIPPET
