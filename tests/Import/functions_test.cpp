// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Model-local functions: what they may be, and how they are inlined.

#include "model.h"

using namespace cameo;
using namespace cameo::importer;

namespace {

struct FunctionModel : ModelMaker {
  FunctionModel() {
    input("x", pb::TensorProto::FLOAT, {2, 3});
    output("y");
    proto.add_opset_import()->set_domain("local");
    proto.mutable_opset_import(1)->set_version(1);
  }
  pb::NodeProto &call(const std::string &name, const Names &inputs, const Names &outputs) {
    pb::NodeProto &made = node(name, inputs, outputs, "call_" + name);
    made.set_domain("local");
    return made;
  }
  pb::FunctionProto &function(const std::string &name, const Names &inputs, const Names &outputs) {
    pb::FunctionProto &made = *proto.add_functions();
    made.set_name(name);
    made.set_domain("local");
    *made.mutable_input() = {inputs.begin(), inputs.end()};
    *made.mutable_output() = {outputs.begin(), outputs.end()};
    return made;
  }
  static pb::NodeProto &add(pb::FunctionProto &function, const std::string &op, const Names &inputs,
                            const Names &outputs, const std::string &domain = "") {
    pb::NodeProto &made = *function.add_node();
    made.set_op_type(op);
    made.set_name(outputs[0] + "_node");
    made.set_domain(domain);
    *made.mutable_input() = {inputs.begin(), inputs.end()};
    *made.mutable_output() = {outputs.begin(), outputs.end()};
    return made;
  }
  /// name(a) calls each of `callees` in turn.
  void chain(const std::string &name, const Names &callees) {
    pb::FunctionProto &made = function(name, {"a"}, {"b"});
    std::string last = "a";
    for (size_t number = 0; number < callees.size(); ++number) {
      std::string next = "t" + std::to_string(number);
      add(made, callees[number], {last}, {next}, "local");
      last = next;
    }
    add(made, "Relu", {last}, {"b"});
  }
};

} // namespace

TEST_CASE_METHOD(ImportFixture, "a call becomes the body", "[functions]") {
  FunctionModel model;
  pb::FunctionProto &function = model.function("twice", {"a", "unused"}, {"b", "c"});
  FunctionModel::add(function, "Add", {"a", "a"}, {"b"});
  FunctionModel::add(function, "Relu", {"b"}, {"c"});
  model.call("twice", {"x"}, {"s", "y"});
  std::string text = accept(model);
  CHECK_THAT(text, holds("onnx.Add"));
  CHECK_THAT(text, holds("onnx.Relu"));
  CHECK_THAT(text, !holds("twice"));
}

TEST_CASE_METHOD(ImportFixture, "attributes of a function", "[functions]") {
  FunctionModel model;
  pb::FunctionProto &function = model.function("soft", {"a"}, {"b"});
  pb::NodeProto &softmax = FunctionModel::add(function, "Softmax", {"a"}, {"b"});
  addAttribute(softmax, "axis", pb::AttributeProto::INT).set_ref_attr_name("along");
  pb::NodeProto &call = model.call("soft", {"x"}, {"y"});
  SECTION("given") {
    function.add_attribute("along");
    setInt(call, "along", 0);
    CHECK_THAT(accept(model), holds("axis = 0"));
  }
  SECTION("left out: the operator's default holds") {
    function.add_attribute("along");
    CHECK_THAT(accept(model), !holds("axis = 0"));
  }
  SECTION("with a default") {
    pb::AttributeProto &along = *function.add_attribute_proto();
    along.set_name("along");
    along.set_type(pb::AttributeProto::INT);
    along.set_i(0);
    CHECK_THAT(accept(model), holds("axis = 0"));
  }
  SECTION("not the function's") {
    setInt(call, "along", 0);
    CHECK_THAT(malformed(model), holds("an attribute that the function does not have"));
  }
  SECTION("of another type") {
    function.add_attribute("along");
    setString(call, "along", "0");
    CHECK_THAT(malformed(model), holds("refers to an attribute of another type"));
  }
  SECTION("through two functions") {
    function.add_attribute("along");
    pb::FunctionProto &outer = model.function("outer", {"a"}, {"b"});
    outer.add_attribute("outer_along");
    pb::NodeProto &inner = FunctionModel::add(outer, "soft", {"a"}, {"b"}, "local");
    addAttribute(inner, "along", pb::AttributeProto::INT).set_ref_attr_name("outer_along");
    call.set_op_type("outer");
    setInt(call, "outer_along", 0);
    CHECK_THAT(accept(model), holds("axis = 0"));
  }
}

TEST_CASE_METHOD(ImportFixture, "a tensor in a body is built for each call", "[functions]") {
  FunctionModel model;
  pb::FunctionProto &function = model.function("bias", {"a"}, {"b"});
  pb::NodeProto &constant = FunctionModel::add(function, "Constant", {}, {"c"});
  pb::TensorProto &value = *addAttribute(constant, "value", pb::AttributeProto::TENSOR).mutable_t();
  value.set_data_type(pb::TensorProto::FLOAT);
  value.set_raw_data(std::string("\0\0\x40\x40", 4));
  FunctionModel::add(function, "Add", {"a", "c"}, {"b"});
  model.call("bias", {"x"}, {"m"});
  model.call("bias", {"m"}, {"y"});
  std::string text = accept(model);
  size_t first = text.find("dense<3.0");
  REQUIRE(first != std::string::npos);
  CHECK(text.find("dense<3.0", first + 1) != std::string::npos);
}

TEST_CASE_METHOD(ImportFixture, "an optional input that a call leaves out", "[functions]") {
  FunctionModel model;
  pb::FunctionProto &function = model.function("clip", {"a", "low", "high"}, {"b"});
  FunctionModel::add(function, "Clip", {"a", "low", "high"}, {"b"});
  model.floats("ten", {}, {10});
  model.call("clip", {"x", "", "ten"}, {"y"});
  CHECK_THAT(accept(model), holds("onnx.Clip"));
}

TEST_CASE_METHOD(ImportFixture, "functions that are wrong", "[functions]") {
  FunctionModel model;
  model.call("f", {"x"}, {"y"});
  pb::FunctionProto &function = model.function("f", {"a"}, {"b"});
  pb::NodeProto &relu = FunctionModel::add(function, "Relu", {"a"}, {"b"});
  SECTION("defined twice") {
    model.function("f", {}, {});
    CHECK_THAT(malformed(model), holds("f: is defined twice"));
  }
  SECTION("another overload is another function") {
    model.function("f", {}, {}).set_overload("other");
    accept(model);
  }
  SECTION("without a name") {
    function.clear_name();
    malformed(model);
  }
  SECTION("sees no names of the graph") {
    relu.set_input(0, "x");
    CHECK_THAT(malformed(model), holds("f/b_node: uses 'x', which nothing defines"));
  }
  SECTION("input twice") {
    function.add_input("a");
    malformed(model);
  }
  SECTION("output undefined") {
    function.add_output("ghost");
    CHECK_THAT(malformed(model), holds("has output 'ghost', which nothing defines"));
  }
  SECTION("attribute twice") {
    function.add_attribute("p");
    function.add_attribute("p");
    malformed(model);
  }
  SECTION("called with too many inputs") {
    model.graph.mutable_node(0)->add_input("x");
    CHECK_THAT(malformed(model), holds("too many inputs (got 2, need at most 1)"));
  }
  SECTION("called for too many outputs") {
    model.graph.mutable_node(0)->add_output("z");
    malformed(model);
  }
}

TEST_CASE_METHOD(ImportFixture, "a function goes before an operator of its name", "[functions]") {
  FunctionModel model;
  pb::FunctionProto &function = model.function("Relu", {"a"}, {"b"});
  function.set_domain("");
  FunctionModel::add(function, "Neg", {"a"}, {"b"});
  model.node("Relu", {"x"}, {"y"});
  CHECK_THAT(accept(model), holds("onnx.Neg"));
}

TEST_CASE_METHOD(ImportFixture, "no function reaches itself", "[functions]") {
  FunctionModel model;
  model.call("f", {"x"}, {"y"});
  SECTION("directly") {
    model.chain("f", {"f"});
    CHECK_THAT(malformed(model), holds("f: calls itself: f -> f"));
  }
  SECTION("through others") {
    model.chain("f", {"g"});
    model.chain("g", {"h"});
    model.chain("h", {"g"});
    CHECK_THAT(malformed(model), holds("calls itself: g -> h -> g"));
  }
  SECTION("in a branch") {
    pb::FunctionProto &function = model.function("f", {"a"}, {"b"});
    pb::NodeProto &branch = FunctionModel::add(function, "If", {"a"}, {"b"});
    setGraph(branch, "then_branch").output("t").node("f", {"a"}, {"t"}).set_domain("local");
    setGraph(branch, "else_branch").output("a");
    CHECK_THAT(malformed(model), holds("calls itself"));
  }
  SECTION("though nothing calls it") {
    model.chain("f", {});
    model.chain("g", {"g"});
    malformed(model);
  }
}

TEST_CASE_METHOD(ImportFixture, "what inlining makes is known before", "[functions]") {
  FunctionModel model;
  model.call("f0", {"x"}, {"y"});
  for (int number = 0; number < 64; ++number)
    model.chain("f" + std::to_string(number), Names(2, "f" + std::to_string(number + 1)));
  model.chain("f64", {});
  CHECK_THAT(refuse(model, ExitClass::Limit), holds("--max-nodes"));
}

TEST_CASE_METHOD(ImportFixture, "a chain of 3000 functions takes no stack", "[functions]") {
  FunctionModel model;
  model.call("f0", {"x"}, {"y"});
  for (int number = 0; number < 3000; ++number)
    model.chain("f" + std::to_string(number), {"f" + std::to_string(number + 1)});
  model.chain("f3000", {});
  accept(model);
}
