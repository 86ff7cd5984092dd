# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cpack` behind a build: Debian packages `cameo` and `libcameo-dev`, of the rules of CameoInstall.cmake.

set(CAMEO_MAINTAINER "Cameo's maintainers <maintainers@cameo.invalid>" CACHE STRING "Who answers for the packages that cpack makes")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cameo)
set(CPACK_PACKAGE_CONTACT "${CAMEO_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL cameo libcameo-dev)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS "${CMAKE_CURRENT_LIST_DIR}/debian/documents.cmake")
set(CPACK_CAMEO_SOURCE "${PROJECT_SOURCE_DIR}")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_CAMEO_PACKAGE_NAME cameo)
set(CPACK_DEBIAN_CAMEO_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_CAMEO_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_CAMEO_PACKAGE_RECOMMENDS g++)
set(CPACK_DEBIAN_CAMEO_PACKAGE_SUGGESTS libcameo-dev)
set(CPACK_COMPONENT_CAMEO_DESCRIPTION "ahead-of-time compiler of ONNX models to C++ and CUDA
Cameo turns an ONNX model into a folder of readable C++17, or CUDA C++, that
any toolchain builds against a thin runtime, which it carries as source.
Shapes stay symbolic, and nothing of the compiler is needed where the model
runs.

With a C++ compiler it also builds a model for this machine, runs it on data
sets and compares the results, times it, and explains where values live.")
set(CPACK_DEBIAN_LIBCAMEO-DEV_PACKAGE_NAME libcameo-dev)
set(CPACK_DEBIAN_LIBCAMEO-DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBCAMEO-DEV_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_LIBCAMEO-DEV_PACKAGE_DEPENDS "cameo (>= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_LIBCAMEO-DEV_DESCRIPTION "runtime of models that Cameo compiles, as source
The headers that generated code is used by, the runtime and the kernel
templates that it is built with, a pkg-config file, and a package of CMake
whose function cameo_add_model() compiles a model while a project is built.")

include(CPack)
