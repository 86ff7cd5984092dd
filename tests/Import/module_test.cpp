// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a module says of its model: names, versions, which node an operation comes from.

#include "model.h"

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Support/NodeLocation.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace cameo;
using namespace cameo::importer;

namespace {

mlir::Location getLocation(mlir::ModuleOp module, llvm::StringRef op) {
  mlir::Location location = module.getLoc();
  module.walk([&](mlir::Operation *found) {
    if (found->getName().getStringRef() == op)
      location = found->getLoc();
  });
  return location;
}

} // namespace

TEST_CASE_METHOD(ImportFixture, "main has the model's inputs and outputs under their names",
                 "[module]") {
  accept(ReluModel());
  auto main = module->lookupSymbol<mlir::func::FuncOp>("main");
  REQUIRE(main);
  REQUIRE(main.getNumArguments() == 1);
  CHECK(main.getArgAttrOfType<mlir::StringAttr>(0, "onnx.name").getValue() == "x");
  REQUIRE(main.getNumResults() == 1);
  CHECK(main.getResultAttrOfType<mlir::StringAttr>(0, "onnx.name").getValue() == "y");
}

TEST_CASE_METHOD(ImportFixture, "versions and names of the model", "[module]") {
  ReluModel model;
  model.proto.set_producer_name("maker");
  model.proto.set_producer_version("1.0");
  model.graph.set_name(std::string(1000, 'g'));
  std::string text = accept(model);
  CHECK_THAT(text, holds("onnx.ir_version = 10"));
  CHECK_THAT(text, holds("onnx.opsets = {ai.onnx = 21 : i64}"));
  CHECK_THAT(text, holds("onnx.producer = \"maker 1.0\""));
  CHECK_THAT(text, holds("\"" + std::string(256, 'g') + "\""));
}

TEST_CASE_METHOD(ImportFixture, "an operation tells its node", "[module]") {
  ReluModel model;
  model.node("Neg", {"y"}, {"unnamed_result"});
  accept(model);
  llvm::SmallVector<NodeLocation> nodes;
  collectNodes(getLocation(*module, "onnx.Relu"), nodes);
  REQUIRE(nodes.size() == 1);
  CHECK(nodes[0].opType == "Relu");
  CHECK(nodes[0].name == "relu");
  REQUIRE(nodes[0].outputs.size() == 1);
  CHECK(nodes[0].getOutput(0) == "y");
  CHECK(getNodeName(getLocation(*module, "onnx.Neg")) == "unnamed_result");
}

TEST_CASE_METHOD(ImportFixture, "an inlined node tells its callers", "[module]") {
  ModelMaker model;
  model.input("x", pb::TensorProto::FLOAT, {2}).output("y");
  model.proto.add_opset_import()->set_domain("local");
  model.proto.mutable_opset_import(1)->set_version(1);
  pb::FunctionProto &function = *model.proto.add_functions();
  function.set_name("f");
  function.set_domain("local");
  function.add_input("a");
  function.add_output("b");
  pb::NodeProto &relu = *function.add_node();
  relu.set_op_type("Relu");
  relu.set_name("inner");
  relu.add_input("a");
  relu.add_output("b");
  model.node("f", {"x"}, {"y"}, "call").set_domain("local");
  accept(model);
  CHECK(getNodeName(getLocation(*module, "onnx.Relu")) == "call/inner");
}

TEST_CASE_METHOD(ImportFixture, "locations fuse and keep all nodes", "[module]") {
  context.loadDialect<mlir::func::FuncDialect>();
  mlir::Location first = makeNodeLocation(&context, "Relu", "a:b", {"y", ""});
  mlir::Location second = makeNodeLocation(&context, "Add", "add", {});
  mlir::Location fused =
      mlir::FusedLoc::get(&context, {first, mlir::FusedLoc::get(&context, {second, first})});
  llvm::SmallVector<NodeLocation> nodes;
  collectNodes(fused, nodes);
  REQUIRE(nodes.size() == 2);
  CHECK(nodes[0].name == "a:b");
  CHECK(nodes[1].opType == "Add");
  CHECK(getOutputName(fused, 0) == "y");
  CHECK(getOutputName(fused, 1) == "");
  CHECK(getOutputName(fused, 2) == "");
  CHECK(getNodeName(mlir::UnknownLoc::get(&context)) == "");
}

TEST_CASE_METHOD(ImportFixture, "results that the model does not name are there", "[module]") {
  ReluModel model;
  model.relu().set_op_type("MaxPool");
  model.graph.clear_input();
  model.graph.clear_output();
  model.input("x", pb::TensorProto::FLOAT, {1, 1, 4, 4}).output("y");
  setInts(model.relu(), "kernel_shape", {2, 2});
  accept(model);
  module->walk([](mlir::Operation *op) {
    if (op->getName().getStringRef() == "onnx.MaxPool")
      CHECK(op->getNumResults() == 2);
  });
}
