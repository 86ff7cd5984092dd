# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cameo_add_model(<name> MODEL <file.onnx> [TARGET cpu|cuda] [FLAGS <flag>...])
#
# Compiles the model with CAMEO_EXECUTABLE while CMake configures, again whenever the model changes, and adds the
# generated folder's library target <name>. The folder is ${CMAKE_CURRENT_BINARY_DIR}/<name>; files of it that come out
# the same are not touched, so that nothing is built again for them.

function(cameo_add_model name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODEL;TARGET" "FLAGS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_MODEL)
    message(FATAL_ERROR "cameo_add_model(<name> MODEL <file.onnx> [TARGET cpu|cuda] [FLAGS <flag>...])")
  endif()
  if(NOT arg_TARGET)
    set(arg_TARGET cpu)
  endif()
  get_filename_component(model "${arg_MODEL}" ABSOLUTE)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${model}" "${CAMEO_EXECUTABLE}")
  execute_process(
    COMMAND "${CAMEO_EXECUTABLE}" compile "${model}" -o "${folder}" --name "${name}" --target "${arg_TARGET}"
            ${arg_FLAGS}
    RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "cameo compile ${arg_MODEL}: exit ${status}")
  endif()
  add_subdirectory("${folder}" "${folder}-build")
endfunction()
