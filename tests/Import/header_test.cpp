// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Versions, operator sets, and operators that Cameo does not have.

#include "model.h"

using namespace cameo;
using namespace cameo::importer;

TEST_CASE_METHOD(ImportFixture, "a model needs a graph and versions", "[header]") {
  ReluModel model;
  SECTION("graph") {
    model.proto.clear_graph();
    CHECK_THAT(malformed(model), holds("has no graph"));
  }
  SECTION("IR version") {
    model.proto.clear_ir_version();
    CHECK_THAT(malformed(model), holds("has no IR version"));
  }
  SECTION("operator set") {
    model.proto.clear_opset_import();
    CHECK_THAT(malformed(model), holds("imports no operator set"));
  }
  SECTION("operator set of another domain only") {
    model.proto.mutable_opset_import(0)->set_domain("org.example");
    CHECK_THAT(malformed(model), holds("which the model does not import"));
  }
}

TEST_CASE_METHOD(ImportFixture, "before IR version 3 there were no operator sets", "[header]") {
  ReluModel model(1, 2);
  model.proto.clear_opset_import();
  accept(model);
}

TEST_CASE_METHOD(ImportFixture, "versions out of range", "[header]") {
  ReluModel model;
  pb::OperatorSetIdProto &opset = *model.proto.mutable_opset_import(0);
  SECTION("too new") {
    opset.set_version(9999);
    CHECK_THAT(refuse(model, ExitClass::Unsupported), holds("version 9999 (newest known: 28)"));
  }
  SECTION("newest") {
    opset.set_version(28);
    model.proto.set_ir_version(14);
    accept(model);
  }
  SECTION("none") {
    opset.set_version(0);
    CHECK_THAT(malformed(model), holds("a version that is none (got 0)"));
  }
  SECTION("negative") {
    opset.set_version(-1);
    malformed(model);
  }
  SECTION("IR too new") {
    model.proto.set_ir_version(15);
    CHECK_THAT(refuse(model, ExitClass::Unsupported), holds("IR version 15 (newest known: 14)"));
  }
  SECTION("IR negative") {
    model.proto.set_ir_version(-1);
    malformed(model);
  }
}

TEST_CASE_METHOD(ImportFixture, "one version for a domain, under either name", "[header]") {
  // skl2onnx and onnx.compose write a domain more than once.
  ReluModel model;
  pb::OperatorSetIdProto &second = *model.proto.add_opset_import();
  second.set_version(13);
  std::string name = "''";
  SECTION("same name") {}
  SECTION("other name") {
    second.set_domain("ai.onnx");
    name = "'ai.onnx'";
  }
  CHECK_THAT(accept(model), holds("onnx.opsets = {ai.onnx = 13 : i64}"));
  ImportResult result = import(model);
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings.front(), holds("imports operator set " + name +
                                            " twice; the last version counts (got 21 and 13)"));
  second.set_version(21);
  CHECK(import(model).warnings.empty());
}

TEST_CASE_METHOD(ImportFixture, "all operators that are missing are named at once", "[header]") {
  ReluModel model;
  model.proto.add_opset_import()->set_domain("org.example");
  model.proto.mutable_opset_import(1)->set_version(1);
  model.node("Frobnicate", {"x"}, {"a"}, "odd");
  model.node("Whirl", {"x"}, {"b"}, "spin").set_domain("org.example");
  model.node("Whirl", {"x"}, {"c"}, "spin2").set_domain("org.example");
  std::string line = refuse(model, ExitClass::Unsupported);
  CHECK_THAT(line, holds("3 nodes have operators"));
  CHECK_THAT(line, holds("Frobnicate-21 (graph/odd)"));
  CHECK_THAT(line, holds("org.example.Whirl-1 (2 nodes, the first is graph/spin)"));
  CHECK(import(model).unsupported.size() == 3);
}

TEST_CASE_METHOD(ImportFixture, "a thousand missing operators fit one line", "[header]") {
  ReluModel model;
  for (int number = 0; number < 1000; ++number)
    model.node("Odd" + std::to_string(number), {"x"}, {"v" + std::to_string(number)});
  CHECK_THAT(refuse(model, ExitClass::Unsupported), holds("1000 nodes"));
}

TEST_CASE_METHOD(ImportFixture,
                 "missing operators are found in branches and functions that are called",
                 "[header]") {
  ReluModel model;
  model.proto.add_opset_import()->set_domain("local");
  model.proto.mutable_opset_import(1)->set_version(1);
  for (const char *name : {"called", "not_called"}) {
    pb::FunctionProto &function = *model.proto.add_functions();
    function.set_name(name);
    function.set_domain("local");
    function.add_output("o");
    function.add_node()->set_op_type("In_" + std::string(name));
    function.mutable_node(0)->add_output("o");
  }
  model.node("called", {}, {"f"}).set_domain("local");
  std::string line = refuse(model, ExitClass::Unsupported);
  CHECK_THAT(line, holds("In_called"));
  CHECK_THAT(line, !holds("In_not_called"));
}

TEST_CASE_METHOD(ImportFixture, "training information is ignored with a warning", "[header]") {
  ReluModel model;
  model.proto.add_training_info();
  ImportResult result = import(model);
  REQUIRE(result.module);
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings[0], holds("training"));
}
