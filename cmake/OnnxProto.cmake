# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cameo_onnx_proto`: ONNX's own schema compiled by protoc. tools/setup takes onnx-ml.proto out of the pinned wheel;
# a packager names another copy by -DCAMEO_ONNX_PROTO=. Only compiler/Import may link it (cmake/layers.txt).

set(CAMEO_ONNX_VERSION 1.23.2)
set(CAMEO_ONNX_PROTO "${PROJECT_SOURCE_DIR}/build/third_party/onnx-${CAMEO_ONNX_VERSION}/onnx-ml.proto"
  CACHE FILEPATH "onnx-ml.proto of ONNX ${CAMEO_ONNX_VERSION}")
if(NOT EXISTS "${CAMEO_ONNX_PROTO}")
  message(FATAL_ERROR "no ${CAMEO_ONNX_PROTO}: run tools/setup, or give -DCAMEO_ONNX_PROTO=FILE")
endif()

set(Protobuf_USE_STATIC_LIBS ${CAMEO_STATIC_MLIR})
find_package(Protobuf REQUIRED)
set(cameo_onnx_proto_folder "${PROJECT_BINARY_DIR}/third_party/onnx_proto")
file(MAKE_DIRECTORY "${cameo_onnx_proto_folder}/onnx")
configure_file("${CAMEO_ONNX_PROTO}" "${cameo_onnx_proto_folder}/onnx/onnx-ml.proto" COPYONLY)
add_custom_command(
  OUTPUT "${cameo_onnx_proto_folder}/onnx/onnx-ml.pb.cc" "${cameo_onnx_proto_folder}/onnx/onnx-ml.pb.h"
  COMMAND protobuf::protoc "--cpp_out=${cameo_onnx_proto_folder}" "-I${cameo_onnx_proto_folder}" onnx/onnx-ml.proto
  DEPENDS "${cameo_onnx_proto_folder}/onnx/onnx-ml.proto"
  VERBATIM)
add_library(cameo_onnx_proto STATIC
  "${cameo_onnx_proto_folder}/onnx/onnx-ml.pb.cc" "${cameo_onnx_proto_folder}/onnx/onnx-ml.pb.h")
target_include_directories(cameo_onnx_proto SYSTEM PUBLIC "${cameo_onnx_proto_folder}")
target_link_libraries(cameo_onnx_proto PUBLIC protobuf::libprotobuf)
