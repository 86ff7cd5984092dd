# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cmake --install`, by component: `cameo`, the program with its manual page; `libcameo-dev`, the runtime and templates as source
# (what generated folders carry), a pkg-config file, and a CMake package whose cameo_add_model() compiles a model at build
# time. The installed compiler needs no source tree. `cpack` makes a Debian package of each.

include(CMakePackageConfigHelpers)

install(TARGETS cameo RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT cameo)
install(CODE "
  set(page \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/cameo.1\")
  execute_process(COMMAND \"$<TARGET_FILE:cameo>\" --man OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  file(WRITE \"\${page}\" \"\${text}\")
  message(STATUS \"Installing: \${page}\")
" COMPONENT cameo)
# For who works on the compiler: README's build has none.
install(TARGETS cameo-opt RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT developers OPTIONAL)
install(DIRECTORY runtime/include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT libcameo-dev)
install(DIRECTORY runtime codegen_templates DESTINATION "${CMAKE_INSTALL_DATADIR}/cameo" COMPONENT libcameo-dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.cpp" PATTERN "*.cu" PATTERN "*.S" PATTERN "*.cmake" PATTERN "*.in"
  PATTERN records EXCLUDE)

install(DIRECTORY docs/schemas DESTINATION "${CMAKE_INSTALL_DATADIR}/cameo" FILES_MATCHING PATTERN "*.json")

# What the compiler is made of (CycloneDX). Its own packages were found in other folders' scopes.
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(ZLIB REQUIRED)
file(SHA256 "${CAMEO_ONNX_PROTO}" onnx_schema_hash)
set(linkage shared)
if(CAMEO_STATIC_MLIR)
  set(linkage static)
endif()
configure_file(cmake/cameo.cdx.json.in "${PROJECT_BINARY_DIR}/cameo.cdx.json" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cameo.cdx.json" DESTINATION "${CMAKE_INSTALL_DATADIR}/cameo")

set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/cameo")
configure_package_config_file(cmake/cameo-config.cmake.in "${PROJECT_BINARY_DIR}/cameo-config.cmake"
  INSTALL_DESTINATION "${package_folder}" PATH_VARS CMAKE_INSTALL_BINDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cameo-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/cameo-config.cmake" "${PROJECT_BINARY_DIR}/cameo-config-version.cmake"
  cmake/CameoAddModel.cmake
  DESTINATION "${package_folder}" COMPONENT libcameo-dev)
# Where it lies does not depend on the machine, nor does what it says.
configure_file(cmake/cameo.pc.in "${PROJECT_BINARY_DIR}/cameo.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/cameo.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig" COMPONENT libcameo-dev)
