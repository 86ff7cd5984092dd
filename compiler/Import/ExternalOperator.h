// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user's declaration of an operator (docs/external.md), which the importer has in place of a
// record.

#ifndef CAMEO_IMPORT_EXTERNALOPERATOR_H
#define CAMEO_IMPORT_EXTERNALOPERATOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace cameo {

struct ExternalOperator {
  struct Tensor {
    std::string name;
    /// The element types that it may have, by ONNX's numbers.
    std::vector<int32_t> elements;
    /// Tensors of one variable have one element type; empty where there is one type only.
    std::string variable;
    /// -1 where any will do.
    int64_t rank = -1;
    bool isOptional = false;
    /// The operand whose shape a result has; -1 for none.
    int64_t shapeOf = -1;
  };
  /// The types of ONNX's attributes that a function can be given.
  using Value = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>,
                             std::vector<std::string>>;
  struct Attribute {
    std::string name;
    /// A value of the attribute's type: its default, if it has one.
    Value value;
    /// Whether `value` stands for the attribute where a node does not have it.
    bool hasDefault = false;
  };

  std::string domain, name;
  /// The first version of the domain that has it.
  int64_t version = 1;
  /// The C function that computes it.
  std::string function;
  bool isOnDevice = false;
  /// Whether a call does nothing but write its results, the same for the same operands.
  bool isPure = true;
  std::vector<Tensor> operands, results;
  std::vector<Attribute> attributes;
  /// Relations of extents, as texts that have been read.
  std::vector<std::string> relations;
};

/// The newest declaration of an operator that a domain of this version has; null for none.
const ExternalOperator *findExternal(llvm::ArrayRef<ExternalOperator> declared,
                                     llvm::StringRef domain, llvm::StringRef name, int64_t version);

} // namespace cameo

#endif // CAMEO_IMPORT_EXTERNALOPERATOR_H
