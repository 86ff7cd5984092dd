// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models made in the test: a few calls make one, the proto is open for one edit that makes it bad.

#ifndef CAMEO_TESTS_IMPORT_MODEL_H
#define CAMEO_TESTS_IMPORT_MODEL_H

#include "Import/Import.h"
#include "Import/Proto.h"

#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace cameo::importer {

using Dims = std::vector<int64_t>;
using Names = std::vector<std::string>;

/// A dim: a number, a name, or nothing.
struct Dim {
  Dim(int64_t value) : value(value), hasValue(true) {}
  Dim(const char *name) : name(name) {}
  int64_t value = 0;
  bool hasValue = false;
  std::string name;
};

inline void setType(pb::TypeProto &type, int32_t element, const std::vector<Dim> &dims) {
  type.mutable_tensor_type()->set_elem_type(element);
  pb::TensorShapeProto &shape = *type.mutable_tensor_type()->mutable_shape();
  for (const Dim &dim : dims) {
    pb::TensorShapeProto::Dimension &proto = *shape.add_dim();
    if (dim.hasValue)
      proto.set_dim_value(dim.value);
    else if (!dim.name.empty())
      proto.set_dim_param(dim.name);
  }
}

/// A graph with the calls that models are made of.
struct GraphMaker {
  explicit GraphMaker(pb::GraphProto &graph) : graph(graph) {}

  GraphMaker &input(const std::string &name, int32_t element, const std::vector<Dim> &dims) {
    graph.add_input()->set_name(name);
    setType(*graph.mutable_input()->rbegin()->mutable_type(), element, dims);
    return *this;
  }
  GraphMaker &output(const std::string &name) {
    graph.add_output()->set_name(name);
    return *this;
  }
  GraphMaker &output(const std::string &name, int32_t element, const std::vector<Dim> &dims) {
    output(name);
    setType(*graph.mutable_output()->rbegin()->mutable_type(), element, dims);
    return *this;
  }
  GraphMaker &floats(const std::string &name, const Dims &dims, const std::vector<float> &values) {
    pb::TensorProto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(pb::TensorProto::FLOAT);
    *tensor.mutable_dims() = {dims.begin(), dims.end()};
    *tensor.mutable_float_data() = {values.begin(), values.end()};
    return *this;
  }
  GraphMaker &integers(const std::string &name, const Dims &dims, const Dims &values) {
    pb::TensorProto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(pb::TensorProto::INT64);
    *tensor.mutable_dims() = {dims.begin(), dims.end()};
    *tensor.mutable_int64_data() = {values.begin(), values.end()};
    return *this;
  }
  pb::NodeProto &node(const std::string &op, const Names &inputs, const Names &outputs,
                      const std::string &name = "") {
    pb::NodeProto &node = *graph.add_node();
    node.set_op_type(op);
    *node.mutable_input() = {inputs.begin(), inputs.end()};
    *node.mutable_output() = {outputs.begin(), outputs.end()};
    if (!name.empty())
      node.set_name(name);
    return node;
  }

  pb::GraphProto &graph;
};

inline pb::AttributeProto &addAttribute(pb::NodeProto &node, const std::string &name,
                                        pb::AttributeProto::AttributeType type) {
  pb::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}
inline void setInt(pb::NodeProto &node, const std::string &name, int64_t value) {
  addAttribute(node, name, pb::AttributeProto::INT).set_i(value);
}
inline void setFloat(pb::NodeProto &node, const std::string &name, float value) {
  addAttribute(node, name, pb::AttributeProto::FLOAT).set_f(value);
}
inline void setString(pb::NodeProto &node, const std::string &name, const std::string &value) {
  addAttribute(node, name, pb::AttributeProto::STRING).set_s(value);
}
inline void setInts(pb::NodeProto &node, const std::string &name, const Dims &values) {
  *addAttribute(node, name, pb::AttributeProto::INTS).mutable_ints() = {values.begin(),
                                                                        values.end()};
}
inline GraphMaker setGraph(pb::NodeProto &node, const std::string &name) {
  return GraphMaker(*addAttribute(node, name, pb::AttributeProto::GRAPH).mutable_g());
}

struct ModelHolder {
  pb::ModelProto proto;
};

struct ModelMaker : ModelHolder, GraphMaker {
  explicit ModelMaker(int64_t opset = 21, int64_t irVersion = 10)
      : GraphMaker(*proto.mutable_graph()) {
    proto.set_ir_version(irVersion);
    proto.add_opset_import()->set_version(opset);
    graph.set_name("graph");
  }
  // A copy's `graph` would be the original's.
  ModelMaker(const ModelMaker &) = delete;
};

/// x [2, 3] -> Relu "relu" -> y: nothing wrong.
struct ReluModel : ModelMaker {
  explicit ReluModel(int64_t opset = 21, int64_t irVersion = 10) : ModelMaker(opset, irVersion) {
    input("x", pb::TensorProto::FLOAT, {2, 3});
    output("y", pb::TensorProto::FLOAT, {2, 3});
    node("Relu", {"x"}, {"y"}, "relu");
  }
  pb::NodeProto &relu() { return *graph.mutable_node(0); }
};

class ImportFixture {
public:
  ImportFixture() : context(mlir::MLIRContext::Threading::DISABLED) {}

  ImportResult import(const std::string &bytes, const ImportOptions &options = {}) {
    return importModelFromBytes(bytes, "model.onnx", options, context);
  }
  ImportResult import(const ModelMaker &model, const ImportOptions &options = {}) {
    return import(model.proto.SerializeAsString(), options);
  }

  /// Imports what must be refused; returns the line.
  template <typename Model>
  std::string refuse(const Model &model, ExitClass exitClass, const ImportOptions &options = {}) {
    ImportResult result = import(model, options);
    REQUIRE(result.diagnostic);
    std::string line = result.diagnostic->str();
    CAPTURE(line);
    REQUIRE(!result.module);
    REQUIRE(result.diagnostic->exitClass == exitClass);
    REQUIRE(line.size() <= kMaxDiagnosticBytes);
    for (char c : line)
      REQUIRE((c >= ' ' && c <= '~'));
    return line;
  }
  template <typename Model>
  std::string malformed(const Model &model, const ImportOptions &options = {}) {
    return refuse(model, ExitClass::Malformed, options);
  }

  /// Imports what must be accepted; returns the module's text.
  template <typename Model>
  std::string accept(const Model &model, const ImportOptions &options = {}) {
    ImportResult result = import(model, options);
    INFO((result.diagnostic ? result.diagnostic->str() : ""));
    REQUIRE(result.module);
    std::string text;
    llvm::raw_string_ostream(text) << *result.module;
    module = std::move(result.module);
    return text;
  }

  mlir::MLIRContext context;
  /// The module that accept() built.
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Matches a text that holds `part`.
inline auto holds(const std::string &part) { return Catch::Matchers::Contains(part); }

} // namespace cameo::importer

#endif // CAMEO_TESTS_IMPORT_MODEL_H
