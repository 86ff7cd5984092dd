# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests that need the CUDA toolkit, but no GPU: our declarations against NVIDIA's, and the same sources through nvcc.
# Expects CAMEO_NVCC.

get_filename_component(toolkit "${CAMEO_NVCC}" REALPATH)
get_filename_component(toolkit "${toolkit}" DIRECTORY)
get_filename_component(toolkit "${toolkit}" DIRECTORY)
set(root "${CMAKE_CURRENT_SOURCE_DIR}/../..")
set(EMU_INCLUDE "${root}/runtime/emu/include")

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  "${EMU_INCLUDE}/cudart_functions.h" "${EMU_INCLUDE}/cudart_types.h")
file(READ "${EMU_INCLUDE}/cudart_functions.h" text)
string(REGEX MATCHALL "cuda[A-Za-z0-9]+\\(" functions "${text}")
list(REMOVE_DUPLICATES functions)
foreach(function IN LISTS functions)
  string(REPLACE "(" "" function "${function}")
  string(APPEND FUNCTIONS_THEIRS "using ${function} = decltype(&::${function});\n")
  string(APPEND FUNCTIONS_SAME "static_assert(std::is_same_v<theirs::${function}, decltype(&::${function})>);\n")
endforeach()
file(READ "${EMU_INCLUDE}/cudart_types.h" text)
string(REGEX MATCHALL "cuda[A-Za-z0-9]+ = [0-9]+" enumerators "${text}")
foreach(enumerator IN LISTS enumerators)
  string(REGEX REPLACE " = .*" "" enumerator "${enumerator}")
  string(APPEND ENUMERATORS_SAME
    "static_assert(static_cast<int>(ours::${enumerator}) == static_cast<int>(::${enumerator}), \"${enumerator}\");\n")
endforeach()
configure_file(same_api.cpp.in same_api.cpp @ONLY)
add_test(NAME emu_same_api COMMAND "${CMAKE_CXX_COMPILER}" -std=c++17 -fsyntax-only -Wall -Werror
  "-I${toolkit}/include" "${CMAKE_CURRENT_BINARY_DIR}/same_api.cpp")

# The device half of every primitive, the runtime against the toolkit's headers, and both linked with the real runtime:
# programs that run where there is a device, and say SKIP where there is none.
set(flags -std=c++17 -fmad=false "-I${root}/runtime/include" "-I${root}/codegen_templates/cuda"
  -Xcompiler=-Wall,-Wextra,-Wconversion,-Werror --Werror all-warnings)
file(GLOB host_sources CONFIGURE_DEPENDS "${root}/runtime/host/*.cpp")

# toolkit_program(<name> <arch> <sources>...): one test builds it, one runs it.
function(toolkit_program name arch)
  set(program "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  add_test(NAME emu_build_${name} COMMAND "${CAMEO_NVCC}" ${flags} -arch=${arch} ${ARGN} -o "${program}")
  add_test(NAME emu_run_${name} COMMAND "${program}")
  set_tests_properties(emu_build_${name} PROPERTIES LABELS emu FIXTURES_SETUP ${name})
  set_tests_properties(emu_run_${name} PROPERTIES LABELS "emu;gpu" FIXTURES_REQUIRED ${name}
    PASS_REGULAR_EXPRESSION "right|All tests passed" FAIL_REGULAR_EXPRESSION "FAILED|WRONG" SKIP_RETURN_CODE 77)
endfunction()
toolkit_program(model sm_80 "${CMAKE_CURRENT_SOURCE_DIR}/toolkit_program.cu" ${CAMEO_CUDA_RUNTIME_SOURCES}
  ${host_sources})
toolkit_program(primitives sm_90 "${CMAKE_CURRENT_SOURCE_DIR}/test_primitives.cu"
  "${CMAKE_CURRENT_SOURCE_DIR}/test_graphs.cu"
  "${CMAKE_CURRENT_SOURCE_DIR}/gpu_main.cpp" "${root}/runtime/cuda/exec.cpp")
add_test(NAME emu_nvcc_sm80 COMMAND "${CAMEO_NVCC}" ${flags} -arch=sm_80 -c
  "${CMAKE_CURRENT_SOURCE_DIR}/test_primitives.cu" -o "${CMAKE_CURRENT_BINARY_DIR}/primitives_sm80.o")
set_tests_properties(emu_same_api emu_nvcc_sm80 PROPERTIES LABELS emu)
foreach(source IN LISTS CAMEO_CUDA_RUNTIME_SOURCES)
  get_filename_component(name "${source}" NAME)
  if(source MATCHES "\\.cpp$") # by the compiler that builds host code, without nvcc in between
    add_test(NAME emu_toolkit_${name} COMMAND "${CMAKE_CXX_COMPILER}" -std=c++17 -fsyntax-only -fno-exceptions
      -fno-rtti -Wall -Wextra -Wconversion -Werror "-I${toolkit}/include" "-I${root}/runtime/include" "${source}")
    set_tests_properties(emu_toolkit_${name} PROPERTIES LABELS emu)
  endif()
endforeach()
