// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ONNX's schema under a short name: `::onnx` is protobuf's namespace, `cameo::onnx` our dialect.

#ifndef CAMEO_IMPORT_PROTO_H
#define CAMEO_IMPORT_PROTO_H

#include "onnx/onnx-ml.pb.h"

namespace cameo::importer {
namespace pb = ::onnx;
} // namespace cameo::importer

#endif // CAMEO_IMPORT_PROTO_H
