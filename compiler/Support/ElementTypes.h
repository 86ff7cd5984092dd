// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of cameo/element_types.def, by number. Core/IR/ElementTypes.h has them by type of MLIR.

#ifndef CAMEO_SUPPORT_ELEMENTTYPES_H
#define CAMEO_SUPPORT_ELEMENTTYPES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace cameo {

/// Named as in the rows.
enum class ElementKind : uint8_t {
  boolean,
  signed_integer,
  unsigned_integer,
  floating,
  complex,
  string
};

/// Facts of an element type.
struct ElementInfo {
  /// ONNX's TensorProto.DataType, and its name there.
  int32_t number;
  llvm::StringLiteral onnxName;
  /// In messages and reports.
  llvm::StringLiteral name;
  /// C++ type of one element inside a program, in namespace cameo.
  llvm::StringLiteral cppName;
  ElementKind kind;
  /// Bits of an element in memory; 0 for strings.
  unsigned bits;
  llvm::StringLiteral irName;
  /// In a .npy file; empty for strings.
  llvm::StringLiteral npyName;
  /// Differences that a result may have.
  double relativeTolerance, absoluteTolerance;

  /// Whether elements are packed in files and in callers' memory.
  bool isPacked() const { return bits % 8 != 0; }
  bool isString() const { return kind == ElementKind::string; }
};

/// All of them, in the order of their numbers, which begin with 1.
llvm::ArrayRef<ElementInfo> getElementInfos();
/// The one with this number; null for one that ONNX does not have.
const ElementInfo *findElementInfo(int64_t number);

} // namespace cameo

#endif // CAMEO_SUPPORT_ELEMENTTYPES_H
