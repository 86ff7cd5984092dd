# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds MLIR 22 (Debian's libmlir-22-dev, or any prefix by -DMLIR_DIR=) and offers `cameo_compiler_options`:
# include paths as system headers, LLVM's own compile definitions, warnings, checks, no RTTI, no exceptions; and
# `cameo_mlir`, the parts of MLIR and LLVM that the compiler links.

find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# The archives make a program of 17 MB that starts in 10 ms; the shared libraries are 257 MB, which take 40 ms to load. Those
# link in a moment, and are what a distribution wants.
option(CAMEO_STATIC_MLIR "Link MLIR, LLVM, protobuf and fmt into the programs" OFF)
add_library(cameo_mlir INTERFACE)
add_library(cameo_mlir_tools INTERFACE)
# Archives of MLIR that were built beside a shared LLVM name that as their need: it is replaced by its archives, below
# <target> too.
function(cameo_need_llvm_archives target)
  get_target_property(needs ${target} INTERFACE_LINK_LIBRARIES)
  if(NOT "LLVM" IN_LIST needs)
    return()
  endif()
  list(REMOVE_ITEM needs LLVM)
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${needs};LLVMRemarks;LLVMTargetParser;LLVMSupport")
  foreach(need IN LISTS needs)
    if(TARGET ${need})
      cameo_need_llvm_archives(${need})
    endif()
  endforeach()
endfunction()
if(CAMEO_STATIC_MLIR)
  set(parts MLIRDialect MLIRDialectUtils MLIRFuncDialect MLIRIR MLIRParser MLIRPass MLIRTransforms)
  foreach(part IN LISTS parts ITEMS MLIROptLib)
    cameo_need_llvm_archives(${part})
  endforeach()
  target_link_libraries(cameo_mlir INTERFACE ${parts} LLVMDemangle LLVMObject LLVMSupport LLVMTargetParser)
  target_link_libraries(cameo_mlir_tools INTERFACE MLIROptLib)
  # LLVM's archives name libraries that only code left out here calls.
  target_link_options(cameo_mlir INTERFACE LINKER:--as-needed)
else()
  target_link_libraries(cameo_mlir INTERFACE MLIR LLVM)
endif()

separate_arguments(cameo_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")

# MLIR's generated code and its visitor signatures leave parameters unused. Linked behind the warnings: for clang the last
# word counts.
add_library(cameo_mlir_warnings INTERFACE)
target_compile_options(cameo_mlir_warnings INTERFACE -Wno-unused-parameter)

add_library(cameo_compiler_options INTERFACE)
target_link_libraries(cameo_compiler_options INTERFACE cameo_warnings cameo_mlir_warnings)
target_include_directories(cameo_compiler_options INTERFACE
  "${PROJECT_SOURCE_DIR}/compiler" "${PROJECT_BINARY_DIR}/compiler")
target_include_directories(cameo_compiler_options SYSTEM INTERFACE
  ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
target_compile_definitions(cameo_compiler_options INTERFACE ${cameo_llvm_definitions})
# Assertions, and those of the standard library, hold in every build: LLVM's containers check by nothing else, and what goes
# wrong behind a failed one is read from a model. OFF measures what they cost.
option(CAMEO_CHECKS "Compile the compiler with assertions in release too" ON)
if(CAMEO_CHECKS)
  target_compile_options(cameo_compiler_options INTERFACE -UNDEBUG "-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=")
  target_compile_definitions(cameo_compiler_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()
target_compile_definitions(cameo_compiler_options INTERFACE $<$<NOT:$<CONFIG:Release>>:CAMEO_VERIFY_PASSES>)
# A target whose libraries throw says so by its property CAMEO_EXCEPTIONS.
target_compile_options(cameo_compiler_options INTERFACE
  -fno-rtti $<$<NOT:$<BOOL:$<TARGET_PROPERTY:CAMEO_EXCEPTIONS>>>:-fno-exceptions>
  "SHELL:-include ${PROJECT_SOURCE_DIR}/cmake/StatisticsLayout.h")

# mlir_tablegen() reads the directory property, not target properties.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})

# cameo_precompile(<name> <header> [DEPENDS <tablegen target>...] [LINK <library>...])
# <header>, as a source would include it, and all it includes, parsed once for every library that names <name> under
# PRECOMPILED. It is included before a source's first line, so it may only be a header that the library's layer may include
# anyway; what a source itself must include is unchanged (tests/policy/includes.py reads the sources;
# -DCAMEO_PRECOMPILE=OFF builds without). LINK names the libraries whose headers it includes: what is generated for those
# is made first.
option(CAMEO_PRECOMPILE "Precompile the dialects' headers" ON)
function(cameo_precompile name header)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "DEPENDS;LINK")
  file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp" CONTENT "// Carries a precompiled header.\n")
  add_library(${name} STATIC "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  target_link_libraries(${name} PUBLIC cameo_compiler_options ${arg_LINK})
  if(CAMEO_PRECOMPILE)
    # In quotes: as a path it would be written out in full, and no other checkout could use the cached result.
    target_precompile_headers(${name} PRIVATE "\"${header}\"")
  endif()
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
endfunction()

# cameo_operator_parts(<ops> <dialect> <count> <sources>)
# Declarations and definitions of LLVM_TARGET_DEFINITIONS' operators: <ops>.h.inc, <ops>.cpp.inc, and in <sources> the files
# that compile the latter in <count> parts, each <ops>.cpp.in with @part@ set. As one file they would take longer than the
# rest of the build.
function(cameo_operator_parts ops dialect count sources)
  mlir_tablegen(${ops}.h.inc -gen-op-decls -dialect=${dialect} -op-shard-count=${count})
  mlir_tablegen(${ops}.cpp.inc -gen-op-defs -dialect=${dialect} -op-shard-count=${count})
  math(EXPR last "${count} - 1")
  foreach(part RANGE ${last})
    set(file "${CMAKE_CURRENT_BINARY_DIR}/${ops}.${part}.cpp")
    configure_file(${ops}.cpp.in "${file}" @ONLY)
    # Accessors, parsers and printers, as TableGen writes them: -O2 doubles their build time with g++ and saves no compile time
    # that can be measured, and sanitizers would make them half of an instrumented build. Clang reads a precompiled header at
    # its own level only, and what -O0 makes of inline functions the linker may take for all sources.
    if(CAMEO_SANITIZE)
      set_source_files_properties("${file}" PROPERTIES
        COMPILE_OPTIONS "-O0;-g0;-fno-sanitize=all" SKIP_PRECOMPILE_HEADERS ON)
    elseif(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      set_source_files_properties("${file}" PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O1>")
    endif()
    list(APPEND files "${file}")
  endforeach()
  set(${sources} "${files}" PARENT_SCOPE)
  # The next call of add_public_tablegen_target() takes the outputs from here.
  set(TABLEGEN_OUTPUT "${TABLEGEN_OUTPUT}" PARENT_SCOPE)
endfunction()

# cameo_template_tablegen(<file> <backend>)
# What a backend of tools/cameo-tblgen makes of the records of all kernel templates.
set(CAMEO_TABLEGEN_EXE cameo-tblgen)
set(CAMEO_TABLEGEN_TARGET cameo-tblgen)
function(cameo_template_tablegen file backend)
  set(LLVM_TARGET_DEFINITIONS "${CAMEO_TEMPLATE_RECORDS}")
  tablegen(CAMEO ${file} ${backend} EXTRA_INCLUDES "${PROJECT_SOURCE_DIR}/codegen_templates/records")
  # The next call of add_public_tablegen_target() takes the outputs from here.
  set(TABLEGEN_OUTPUT "${TABLEGEN_OUTPUT}" PARENT_SCOPE)
endfunction()

# cameo_compiler_library(<name> <source>... [DEPENDS <tablegen target>...] [LINK <library>...] [PRECOMPILED <name>])
# One static library per folder of compiler/. LINK is public; MLIR itself is always linked.
function(cameo_compiler_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PRECOMPILED" "DEPENDS;LINK")
  add_library(${name} STATIC ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC cameo_compiler_options cameo_mlir ${arg_LINK})
  if(arg_DEPENDS)
    add_dependencies(${name} ${arg_DEPENDS})
  endif()
  if(arg_PRECOMPILED AND CAMEO_PRECOMPILE)
    target_precompile_headers(${name} REUSE_FROM ${arg_PRECOMPILED})
  endif()
endfunction()
