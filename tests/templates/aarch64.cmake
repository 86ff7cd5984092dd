# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The tests of what has vectors of its own, built for aarch64 as generated code is, runtime and Catch2 included, and run
# under an emulator: NEON is as right as the instruction sets of this machine. Objects are built as others are, when
# something of theirs has changed: 80 s of one core for all.
set(aarch64_tests gemm conv cpu_conv_blocked cpu_conv_blocked_groups cpu_conv_winograd cpu_conv_bytes cpu_gemm_codes_bytes cpu_attention softmax
  cpu_sum_channels reduce recurrent pool)

find_program(CAMEO_AARCH64_CXX aarch64-linux-gnu-g++)
find_program(CAMEO_AARCH64_EMULATOR qemu-aarch64)
# A build needs neither: CI, which installs both, is where it must not be skipped.
if(NOT CAMEO_AARCH64_CXX OR NOT CAMEO_AARCH64_EMULATOR)
  add_test(NAME templates.aarch64 COMMAND sh -c
    "echo 'SKIP: no aarch64-linux-gnu-g++ or no qemu-aarch64 (tools/setup --embedded)'; exit 77")
  set_tests_properties(templates.aarch64 PROPERTIES LABELS templates SKIP_RETURN_CODE 77)
  return()
endif()

# Catch2's header alone: beside it lie the C library's of this machine.
set(aarch64 "${CMAKE_CURRENT_BINARY_DIR}/aarch64")
find_path(CAMEO_CATCH2_HEADER catch2/catch.hpp)
file(MAKE_DIRECTORY "${aarch64}/include")
file(CREATE_LINK "${CAMEO_CATCH2_HEADER}/catch2" "${aarch64}/include/catch2" SYMBOLIC)
file(CONFIGURE OUTPUT "${aarch64}/main.cpp" CONTENT "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")

set(aarch64_objects)
function(add_aarch64_object name source)
  set(object "${aarch64}/${name}.o")
  add_custom_command(OUTPUT "${object}" DEPENDS "${source}" DEPFILE "${object}.d" VERBATIM COMMAND_EXPAND_LISTS
    COMMENT "Building ${name} for aarch64"
    COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} "${CAMEO_AARCH64_CXX}" -std=c++17 ${kernel_flags} ${ARGN} ${includes}
      "-I${aarch64}/include" -MD -MF "${object}.d" -c "${source}" -o "${object}")
  list(APPEND aarch64_objects "${object}")
  set(aarch64_objects "${aarch64_objects}" PARENT_SCOPE)
endfunction()

add_aarch64_object(main "${aarch64}/main.cpp" -O0)
foreach(test IN LISTS aarch64_tests)
  add_aarch64_object(${test} "${CMAKE_CURRENT_SOURCE_DIR}/${test}_test.cpp" -O3)
endforeach()
get_target_property(sources cameo_runtime SOURCES)
get_target_property(folder cameo_runtime SOURCE_DIR)
list(FILTER sources INCLUDE REGEX "\\.cpp$")
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  add_aarch64_object(runtime_${name} "${folder}/${source}" -O3 -fno-exceptions -fno-rtti)
endforeach()

set(program "${aarch64}/templates")
add_custom_command(OUTPUT "${program}" DEPENDS ${aarch64_objects} VERBATIM
  COMMAND "${CAMEO_AARCH64_CXX}" ${aarch64_objects} -pthread -o "${program}")
add_custom_target(templates_aarch64 ALL DEPENDS "${program}")
add_test(NAME templates.aarch64 COMMAND "${CAMEO_AARCH64_EMULATOR}" -L /usr/aarch64-linux-gnu "${program}")
set_tests_properties(templates.aarch64 PROPERTIES LABELS templates)
