// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes: payload against type, and against the operator's record.

#include "model.h"

using namespace cameo;
using namespace cameo::importer;

namespace {

using A = pb::AttributeProto;

/// x -> Softmax "node" -> y.
struct SoftmaxModel : ReluModel {
  SoftmaxModel() { relu().set_op_type("Softmax"); }
  pb::NodeProto &softmax() { return relu(); }
};

} // namespace

TEST_CASE_METHOD(ImportFixture, "an attribute's value is of its type", "[attributes]") {
  SoftmaxModel model;
  SECTION("another payload") {
    addAttribute(model.softmax(), "axis", A::INT).set_s("one");
    CHECK_THAT(malformed(model),
               holds("graph/relu/axis: is an attribute whose type is not that of its value"));
  }
  SECTION("two payloads") {
    A &axis = addAttribute(model.softmax(), "axis", A::INT);
    axis.set_i(1);
    axis.set_f(1);
    malformed(model);
  }
  SECTION("no type and two payloads") {
    A &axis = addAttribute(model.softmax(), "axis", A::UNDEFINED);
    axis.set_i(1);
    axis.set_f(1);
    CHECK_THAT(malformed(model), holds("without a type"));
  }
  SECTION("no type and one payload: files of IR version 1") {
    addAttribute(model.softmax(), "axis", A::UNDEFINED).set_i(1);
    accept(model);
  }
  SECTION("a number that is left out is 0: writers of proto3") {
    addAttribute(model.softmax(), "axis", A::INT);
    CHECK_THAT(accept(model), holds("axis = 0"));
  }
  SECTION("a tensor that is left out") {
    addAttribute(model.softmax(), "axis", A::TENSOR);
    CHECK_THAT(malformed(model), holds("is an attribute without a value"));
  }
}

TEST_CASE_METHOD(ImportFixture, "names of attributes", "[attributes]") {
  SoftmaxModel model;
  SECTION("twice") {
    setInt(model.softmax(), "axis", 0);
    setInt(model.softmax(), "axis", 1);
    CHECK_THAT(malformed(model), holds("has attribute 'axis' twice"));
  }
  SECTION("none") {
    setInt(model.softmax(), "", 0);
    malformed(model);
  }
  SECTION("not the operator's") {
    setInt(model.softmax(), "colour", 0);
    CHECK_THAT(malformed(model), holds("has an attribute 'colour', which Softmax does not have"));
  }
  SECTION("of MLIR's own") {
    setInt(model.softmax(), "operandSegmentSizes", 0);
    malformed(model);
  }
  SECTION("a graph that the operator does not take") {
    setGraph(model.softmax(), "body").output("x");
    CHECK_THAT(malformed(model), holds("has an attribute 'body'"));
  }
}

TEST_CASE_METHOD(ImportFixture, "the operator's record says what an attribute is", "[attributes]") {
  SoftmaxModel model;
  SECTION("wrong kind") {
    setString(model.softmax(), "axis", "one");
    CHECK_THAT(malformed(model), holds("axis"));
  }
  SECTION("out of range") {
    setInt(model.softmax(), "axis", 2);
    CHECK_THAT(malformed(model), holds("axis (C1) is out of range (got 2, need [-2, 2))"));
  }
  SECTION("out of range by far") {
    setInt(model.softmax(), "axis", INT64_MIN);
    malformed(model);
  }
  SECTION("missing") {
    model.softmax().set_op_type("Cast");
    CHECK_THAT(malformed(model), holds("requires attribute 'to'"));
  }
  SECTION("a type that ONNX does not have") {
    model.softmax().set_op_type("Cast");
    setInt(model.softmax(), "to", 999);
    malformed(model);
  }
}

TEST_CASE_METHOD(ImportFixture, "references are for functions", "[attributes]") {
  SoftmaxModel model;
  addAttribute(model.softmax(), "axis", A::INT).set_ref_attr_name("outer");
  CHECK_THAT(malformed(model), holds("refers to attribute 'outer' of a function, but is in none"));
}

TEST_CASE_METHOD(ImportFixture, "operands are verified before they are inferred from",
                 "[attributes]") {
  ModelMaker model;
  model.input("x", pb::TensorProto::FLOAT, {2}).output("y");
  pb::TypeProto &type = *model.graph.add_input()->mutable_type();
  model.graph.mutable_input(1)->set_name("s");
  setType(*type.mutable_sequence_type()->mutable_elem_type(), pb::TensorProto::FLOAT, {2});
  model.node("Add", {"s", "x"}, {"y"}, "add");
  CHECK_THAT(malformed(model), holds("graph/add: operand #0"));
}
