# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Language level, build type, compiler cache, linker, sanitizers, and the warning sets as interface targets:
# `cameo_compiler_options` for compiler/ and tools/, `cameo_runtime_options` for what ships as source.

set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()
# -O3 buys the compiler nothing measurable and costs build time. Sections are what the linker can leave out.
if(CMAKE_CXX_FLAGS_RELEASE STREQUAL "-O3 -DNDEBUG")
  set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG -ffunction-sections -fdata-sections" CACHE STRING "Release flags" FORCE)
endif()

option(CAMEO_WERROR "Treat warnings as errors" ON)

find_program(CAMEO_CCACHE ccache)
if(CAMEO_CCACHE)
  foreach(language C CXX)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      # Clang's precompiled headers name the files they are made of: another checkout's would be held against those.
      set(base "${PROJECT_SOURCE_DIR}")
      if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        set(base -)
      endif()
      set(CMAKE_${language}_COMPILER_LAUNCHER "${CMAKE_CURRENT_LIST_DIR}/cached_compiler.sh" "${base}" "${CAMEO_CCACHE}")
    endif()
  endforeach()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # With the time in it, a precompiled header is another one in every fresh checkout, and nothing behind it is cached.
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()

# Debian's lld-22 has no ld.lld on PATH and g++ looks for no other name, so the folder that has it is named.
find_program(CAMEO_LLD ld.lld HINTS /usr/lib/llvm-22/bin)
if(CAMEO_LLD)
  get_filename_component(cameo_lld_folder "${CAMEO_LLD}" DIRECTORY)
  add_link_options(-fuse-ld=lld "-B${cameo_lld_folder}" "$<$<CONFIG:Release>:LINKER:--gc-sections>")
endif()

# What a sanitizer finds ends the program: a finding that only prints is one that no test sees.
if(CAMEO_SANITIZE)
  add_compile_options("-fsanitize=${CAMEO_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options("-fsanitize=${CAMEO_SANITIZE}")
  if(CAMEO_SANITIZE MATCHES "address")
    # An object, not a library: the sanitizer's runtime asks for it weakly, which takes nothing out of an archive.
    set(object "${PROJECT_BINARY_DIR}/SanitizerOptions.o")
    execute_process(COMMAND "${CMAKE_C_COMPILER}" -fPIC -c "${CMAKE_CURRENT_LIST_DIR}/SanitizerOptions.c" -o "${object}"
      COMMAND_ERROR_IS_FATAL ANY)
    add_link_options("${object}")
  endif()
endif()
# All of the compiler and the runtime is instrumented, not only the programs of tests/fuzz: a fuzzer sees nothing else.
option(CAMEO_FUZZ "Instrument for libFuzzer and build tests/fuzz (clang only)" OFF)
if(CAMEO_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "CAMEO_FUZZ needs clang (tools/setup --fuzz), not ${CMAKE_CXX_COMPILER}")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
  add_link_options(-fsanitize=fuzzer-no-link)
endif()

add_library(cameo_warnings INTERFACE)
target_compile_options(cameo_warnings INTERFACE -Wall -Wextra $<$<BOOL:${CAMEO_WERROR}>:-Werror>)

add_library(cameo_runtime_options INTERFACE)
target_link_libraries(cameo_runtime_options INTERFACE cameo_warnings)
target_compile_options(cameo_runtime_options INTERFACE
  -Wconversion -fno-exceptions -fno-rtti -ffp-contract=off)
