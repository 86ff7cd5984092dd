# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cameo_embed_files(TARGET <target> SYMBOL <name> ROOT <folder> FILES <file>...)
#
# Puts the bytes of FILES into <target> and a table of them into <name>.h, which <target> may include:
#   namespace cameo { extern const EmbeddedFileTable <name>; }   // rows {path relative to ROOT, data, size}, by path
# EmbeddedFile.h (this folder) declares the row. The assembler's .incbin does the work, so the step costs
# milliseconds and no script runs; a changed file reassembles one object.

set(CAMEO_EMBED_FOLDER "${CMAKE_CURRENT_LIST_DIR}/embed")

function(cameo_embed_files)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;SYMBOL;ROOT" "FILES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_TARGET OR NOT arg_SYMBOL OR NOT arg_ROOT OR NOT arg_FILES)
    message(FATAL_ERROR "cameo_embed_files(TARGET <target> SYMBOL <name> ROOT <folder> FILES <file>...)")
  endif()

  set(files)
  foreach(file IN LISTS arg_FILES)
    get_filename_component(file "${file}" ABSOLUTE)
    list(APPEND files "${file}")
  endforeach()
  list(SORT files)
  list(REMOVE_DUPLICATES files)

  set(externs "")
  set(blobs "")
  set(rows "")
  set(number 0)
  foreach(file IN LISTS files)
    file(RELATIVE_PATH path "${arg_ROOT}" "${file}")
    set(label "cameo_embed_${arg_SYMBOL}_${number}")
    string(APPEND externs "extern \"C\" const char ${label}[];\nextern \"C\" const char ${label}_end[];\n")
    string(APPEND blobs
      "    \"${label}: .incbin \\\"${file}\\\"\\n\"\n"
      "    \"${label}_end: .byte 0\\n\"\n")
    string(APPEND rows
      "    {\"${path}\", ${label}, static_cast<std::size_t>(${label}_end - ${label})},\n")
    math(EXPR number "${number} + 1")
  endforeach()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/embed")
  configure_file("${CAMEO_EMBED_FOLDER}/Table.h.in" "${folder}/${arg_SYMBOL}.h" @ONLY)
  configure_file("${CAMEO_EMBED_FOLDER}/Table.cpp.in" "${folder}/${arg_SYMBOL}.cpp" @ONLY)
  set_source_files_properties("${folder}/${arg_SYMBOL}.cpp" PROPERTIES OBJECT_DEPENDS "${files}")
  target_sources(${arg_TARGET} PRIVATE "${folder}/${arg_SYMBOL}.cpp")
  target_include_directories(${arg_TARGET} PRIVATE "${folder}" "${CAMEO_EMBED_FOLDER}")
endfunction()
