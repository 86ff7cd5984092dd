// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A declaration of operators that are not known, as far as a model's nodes tell: the file that a
// user begins with.

#ifndef CAMEO_IMPORT_EXTERNALSKELETON_H
#define CAMEO_IMPORT_EXTERNALSKELETON_H

#include "Import/DeclaredTypes.h"

#include <map>
#include <set>

namespace cameo::importer {

class ExternalSkeleton {
public:
  /// A node of an operator whose domain the model imports in this version.
  void add(const pb::NodeProto &node, llvm::StringRef domain, int64_t version,
           const DeclaredTypes &types);
  /// As JSON for --external, `?` where the model does not tell; empty for no operator.
  std::string print() const;

private:
  /// All that is known of an operand or result.
  struct Tensor {
    std::set<int32_t> elements;
    std::set<int64_t> ranks;
    bool isOptional = false;
  };
  struct Operator {
    int64_t version = 0, nodes = 0;
    std::vector<Tensor> operands, results;
    /// By name: the type of an attribute, and how many nodes have it.
    std::map<std::string, std::pair<pb::AttributeProto::AttributeType, int64_t>> attributes;
  };

  static void addTensors(const google::protobuf::RepeatedPtrField<std::string> &names,
                         const DeclaredTypes &types, bool isFirst, std::vector<Tensor> &tensors);

  /// By domain and name.
  std::map<std::pair<std::string, std::string>, Operator> operators;
};

} // namespace cameo::importer

#endif // CAMEO_IMPORT_EXTERNALSKELETON_H
