# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cmake --install`: the programs that are built, the runtime and templates as source (what generated folders carry), and a CMake
# package whose cameo_add_model() compiles a model at build time. The installed compiler needs no source tree.

include(CMakePackageConfigHelpers)

install(TARGETS cameo RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
# For who works on the compiler: README's build has none.
install(TARGETS cameo-opt RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" OPTIONAL)
install(DIRECTORY runtime/include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY runtime codegen_templates DESTINATION "${CMAKE_INSTALL_DATADIR}/cameo"
  FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "*.cpp" PATTERN "*.cu" PATTERN "*.S" PATTERN "*.cmake" PATTERN "*.in")

install(DIRECTORY docs/schemas DESTINATION "${CMAKE_INSTALL_DATADIR}/cameo" FILES_MATCHING PATTERN "*.json")

# What the compiler is made of (CycloneDX). Its own packages were found in other folders' scopes.
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
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
  DESTINATION "${package_folder}")
