// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decoded model with the tables that checking it makes and building it reads.

#ifndef CAMEO_IMPORT_MODEL_H
#define CAMEO_IMPORT_MODEL_H

#include "Import/Proto.h"
#include "Import/Reporter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <optional>
#include <vector>

namespace cameo::importer {

/// ONNX's default domain has two names.
inline llvm::StringRef normalizeDomain(llvm::StringRef domain) {
  return domain == "ai.onnx" ? "" : domain;
}

/// The number that a dim is; nullopt for an open one, which Paddle writes as -1.
inline std::optional<int64_t> getDimValue(const pb::TensorShapeProto::Dimension &dim) {
  bool hasValue = dim.value_case() == pb::TensorShapeProto::Dimension::kDimValue;
  return hasValue && dim.dim_value() != -1 ? std::optional(dim.dim_value()) : std::nullopt;
}

/// The name of an open dim; empty for one without. A name of signs and digits only is none either:
/// Paddle calls each dim that it does not know `?`, which makes no two of them equal.
llvm::StringRef getDimName(const pb::TensorShapeProto::Dimension &dim);

/// Which version of each domain's operators a model or a function uses.
class OpsetImports {
public:
  std::optional<int64_t> lookup(llvm::StringRef domain) const {
    for (const auto &[name, version] : imports)
      if (name == normalizeDomain(domain))
        return version;
    return std::nullopt;
  }
  /// Sets the version of a domain, in place of one that it has already.
  void set(llvm::StringRef domain, int64_t version) {
    for (auto &[name, earlier] : imports)
      if (name == normalizeDomain(domain)) {
        earlier = version;
        return;
      }
    imports.emplace_back(normalizeDomain(domain), version);
  }
  llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> getAll() const { return imports; }

private:
  llvm::SmallVector<std::pair<llvm::StringRef, int64_t>, 2> imports;
};

/// A model-local function.
struct Function {
  pb::FunctionProto *proto;
  OpsetImports opsets;
  /// The nodes that a call becomes, calls in it included; saturated.
  int64_t numInlinedNodes = 0;
};

struct Model {
  pb::ModelProto proto;
  OpsetImports opsets;
  std::vector<Function> functions;
  /// Position in `functions` by getFunctionKey.
  llvm::StringMap<size_t> functionPositions;

  static std::string getFunctionKey(llvm::StringRef domain, llvm::StringRef name,
                                    llvm::StringRef overload) {
    return (normalizeDomain(domain) + llvm::Twine('\0') + name + llvm::Twine('\0') + overload)
        .str();
  }
  /// The function that `node` calls; null when it is an operator. A function of the model goes
  /// before an operator of the same name: it is what the model's author wrote.
  const Function *lookupFunction(const pb::NodeProto &node) const {
    if (functions.empty())
      return nullptr;
    auto found =
        functionPositions.find(getFunctionKey(node.domain(), node.op_type(), node.overload()));
    return found == functionPositions.end() ? nullptr : &functions[found->second];
  }
};

/// Decodes `bytes`, which scanModel has found to be well formed; `release` is told how many from
/// the start are no longer needed.
llvm::LogicalResult decodeModel(llvm::ArrayRef<char> bytes,
                                llvm::function_ref<void(size_t)> release, pb::ModelProto &proto,
                                Reporter &reporter);

/// The type that an attribute says, or that its only payload has where it says none (files of IR
/// version 1); UNDEFINED when that is not clear.
pb::AttributeProto::AttributeType getAttributeType(const pb::AttributeProto &attribute);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_MODEL_H
