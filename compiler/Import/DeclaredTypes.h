// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types that a file declares of inputs, outputs, initializers and value_info, before anything
// is inferred.

#ifndef CAMEO_IMPORT_DECLAREDTYPES_H
#define CAMEO_IMPORT_DECLAREDTYPES_H

#include "Import/Model.h"

namespace cameo::importer {

struct DeclaredType {
  /// ONNX's number; 0 for what is no tensor.
  int32_t element = 0;
  /// -1 where it is not said.
  int64_t rank = -1;
};

class DeclaredTypes {
public:
  explicit DeclaredTypes(const pb::GraphProto &main);

  /// Null where the file says nothing of the value.
  const DeclaredType *lookup(llvm::StringRef value) const {
    auto found = types.find(value);
    return found == types.end() ? nullptr : &found->second;
  }

private:
  llvm::StringMap<DeclaredType> types;
};

} // namespace cameo::importer

#endif // CAMEO_IMPORT_DECLAREDTYPES_H
