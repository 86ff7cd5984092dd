// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graph attributes as regions.

#include "model.h"

using namespace cameo;
using namespace cameo::importer;

namespace {

using T = pb::TensorProto;

struct IfModel : ModelMaker {
  IfModel() {
    input("c", T::BOOL, {}).input("x", T::FLOAT, {"N", 3}).output("y");
    node("Neg", {"x"}, {"captured"}, "neg");
    node("If", {"c"}, {"y"}, "if");
  }
  pb::NodeProto &branch() { return *graph.mutable_node(1); }
};

/// x carried through a body; the body is for the test to fill.
struct LoopModel : ModelMaker {
  LoopModel() {
    input("x", T::FLOAT, {1, 3}).integers("trips", {}, {5}).output("y");
    pb::NodeProto &loop = node("Loop", {"trips", "", "x"}, {"y"}, "loop");
    addAttribute(loop, "body", pb::AttributeProto::GRAPH);
  }
  GraphMaker body() {
    return GraphMaker(*graph.mutable_node(0)->mutable_attribute(0)->mutable_g());
  }
  GraphMaker bodyWithInputs() {
    GraphMaker made = body();
    made.input("i", T::INT64, {}).input("go", T::BOOL, {});
    made.graph.add_input()->set_name("carried");
    made.output("go").output("next");
    return made;
  }
};

} // namespace

TEST_CASE_METHOD(ImportFixture, "branches capture values of the graph around", "[regions]") {
  IfModel model;
  setGraph(model.branch(), "then_branch").output("t").node("Relu", {"captured"}, {"t"}, "relu");
  setGraph(model.branch(), "else_branch").output("captured");
  std::string text = accept(model);
  CHECK_THAT(text, holds("onnx.If"));
  CHECK_THAT(text, holds("onnx.Yield"));
  CHECK_THAT(text, holds("return"));
}

TEST_CASE_METHOD(ImportFixture, "branches that are wrong", "[regions]") {
  IfModel model;
  GraphMaker then = setGraph(model.branch(), "then_branch");
  SECTION("one branch") {
    then.output("captured");
    CHECK_THAT(malformed(model), holds("graph/if: has no attribute else_branch"));
    return;
  }
  GraphMaker otherwise = setGraph(model.branch(), "else_branch");
  SECTION("no outputs") { CHECK_THAT(malformed(model), holds("graph/if: ")); }
  SECTION("other numbers of outputs") {
    then.output("captured").output("captured");
    otherwise.output("captured");
    malformed(model);
  }
  SECTION("an input") {
    then.input("a", T::FLOAT, {}).output("captured");
    otherwise.output("captured");
    malformed(model);
  }
  SECTION("captures what comes later") {
    model.node("Relu", {"x"}, {"late"}, "late");
    then.output("t").node("Relu", {"late"}, {"t"}, "early");
    otherwise.output("captured");
    CHECK_THAT(accept(model), holds("onnx.Relu"));
  }
  SECTION("defines what is defined around it") {
    then.output("x").node("Relu", {"captured"}, {"x"}, "shadow");
    otherwise.output("captured");
    CHECK_THAT(malformed(model), holds("graph/if/then_branch/shadow: defines 'x'"));
  }
  SECTION("element types that differ") {
    then.integers("i", {}, {1}).output("i");
    otherwise.output("captured");
    malformed(model);
  }
  SECTION("branches may use the same names") {
    then.output("t").node("Relu", {"captured"}, {"t"});
    otherwise.output("t").node("Neg", {"captured"}, {"t"});
    accept(model);
  }
}

TEST_CASE_METHOD(ImportFixture, "a branch that contradicts itself is not taken", "[regions]") {
  IfModel model;
  model.floats("w", {4, 2}, std::vector<float>(8));
  auto contradict = [](GraphMaker branch) {
    branch.output("m").node("MatMul", {"captured", "w"}, {"m"}, "wrong");
  };
  auto relu = [](GraphMaker branch) {
    branch.output("t").node("Relu", {"captured"}, {"t"}, "relu");
  };
  auto expectDemand = [&](int64_t wanted) {
    std::string text = accept(model);
    std::string value = "[#cameo.extent<" + std::to_string(wanted) + ">]";
    CHECK_THAT(text, holds("prog.assert demanded %arg0 in " + value + " to " + value));
    CHECK_THAT(text, !holds("onnx.If"));
    CHECK_THAT(text, holds("onnx.Relu"));
    ImportResult result = import(model);
    REQUIRE(result.warnings.size() == 1);
    CHECK_THAT(result.warnings.front(), holds("graph/if: has a branch that cannot be taken"));
    CHECK_THAT(result.warnings.front(), holds("wrong"));
  };
  SECTION("the first") {
    contradict(setGraph(model.branch(), "then_branch"));
    relu(setGraph(model.branch(), "else_branch"));
    expectDemand(0);
  }
  SECTION("the second") {
    relu(setGraph(model.branch(), "then_branch"));
    contradict(setGraph(model.branch(), "else_branch"));
    expectDemand(1);
  }
  SECTION("what is around one in which both are") {
    GraphMaker outer = setGraph(model.branch(), "then_branch");
    pb::NodeProto &inner = outer.output("n").node("If", {"c"}, {"n"}, "inner");
    contradict(setGraph(inner, "then_branch"));
    contradict(setGraph(inner, "else_branch"));
    relu(setGraph(model.branch(), "else_branch"));
    expectDemand(0);
  }
  SECTION("both") {
    contradict(setGraph(model.branch(), "then_branch"));
    contradict(setGraph(model.branch(), "else_branch"));
    CHECK_THAT(malformed(model), holds("then_branch/wrong: "));
  }
  SECTION("one that is known to be taken") {
    pb::TensorProto &known = *model.graph.add_initializer();
    known.set_name("known");
    known.set_data_type(T::BOOL);
    known.add_int32_data(1);
    model.branch().set_input(0, "known");
    contradict(setGraph(model.branch(), "then_branch"));
    relu(setGraph(model.branch(), "else_branch"));
    CHECK_THAT(malformed(model), holds("then_branch/wrong: "));
  }
  SECTION("what is no contradiction stays wrong") {
    setGraph(model.branch(), "then_branch").output("t").node("Relu", {}, {"t"}, "wrong");
    relu(setGraph(model.branch(), "else_branch"));
    CHECK_THAT(malformed(model), holds("then_branch/wrong: has no input X"));
  }
}

TEST_CASE_METHOD(ImportFixture, "a carried value keeps its rank", "[regions]") {
  LoopModel model;
  model.bodyWithInputs().node("Relu", {"carried"}, {"next"}, "relu");
  CHECK_THAT(accept(model), holds("!cameo.tensor<[?, ?], f32>"));
}

TEST_CASE_METHOD(ImportFixture, "a carried value that grows is typed for every iteration",
                 "[regions]") {
  LoopModel model;
  pb::NodeProto &concat =
      model.bodyWithInputs().node("Concat", {"carried", "x"}, {"next"}, "concat");
  setInt(concat, "axis", 0);
  std::string text = accept(model);
  CHECK_THAT(text, !holds("[2, 3]"));
}

TEST_CASE_METHOD(ImportFixture, "a carried value whose rank changes has none", "[regions]") {
  LoopModel model;
  GraphMaker body = model.bodyWithInputs();
  body.integers("axis", {1}, {0});
  body.node("Unsqueeze", {"carried", "axis"}, {"next"}, "unsqueeze");
  CHECK_THAT(accept(model), holds("!cameo.tensor<*, f32>"));
}

TEST_CASE_METHOD(ImportFixture, "a carried value that may be missing at first", "[regions]") {
  LoopModel model;
  model.node("Optional", {"x"}, {"perhaps"});
  model.graph.mutable_node(0)->set_input(2, "perhaps");
  model.bodyWithInputs().node("OptionalGetElement", {"carried"}, {"next"});
  SECTION("is one behind the loop") { model.output("y"); }
  SECTION("whatever the file says") { model.output("y", T::FLOAT, {"N", 3}); }
  model.graph.mutable_output()->DeleteSubrange(0, 1);
  CHECK_THAT(accept(model), holds("-> !cameo.optional<!cameo.tensor<"));
}

TEST_CASE_METHOD(ImportFixture, "bodies that are wrong", "[regions]") {
  LoopModel model;
  SECTION("no inputs") {
    model.body().output("x");
    malformed(model);
  }
  SECTION("one output") {
    GraphMaker body = model.body();
    body.input("i", T::INT64, {})
        .input("go", T::BOOL, {})
        .input("carried", T::FLOAT, {})
        .output("go");
    malformed(model);
  }
  SECTION("a carried value of another type") {
    GraphMaker body = model.bodyWithInputs();
    setType(*body.graph.mutable_input(2)->mutable_type(), T::INT64, {1, 3});
    body.node("Identity", {"carried"}, {"next"});
    CHECK_THAT(malformed(model), holds("carried: is declared as"));
  }
  SECTION("more inputs than there are values, of no type") {
    GraphMaker body = model.bodyWithInputs();
    body.graph.add_input()->set_name("extra");
    body.node("Identity", {"carried"}, {"next"});
    CHECK_THAT(malformed(model), holds("extra: is an input whose type nothing says"));
  }
}

TEST_CASE_METHOD(ImportFixture, "an initializer of a body is a constant in it", "[regions]") {
  LoopModel model;
  GraphMaker body = model.bodyWithInputs();
  body.floats("one", {}, {1});
  body.node("Add", {"carried", "one"}, {"next"}, "add");
  accept(model);
}

//===----------------------------------------------------------------------===//
// FlexAttention, whose graphs are put in the middle of its steps
//===----------------------------------------------------------------------===//

namespace {

struct FlexModel : ModelMaker {
  FlexModel() : ModelMaker(25) {
    pb::OperatorSetIdProto &preview = *proto.add_opset_import();
    preview.set_domain("ai.onnx.preview");
    preview.set_version(1);
    for (const char *name : {"q", "k", "v"})
      input(name, T::FLOAT, {"N", 2, "L", 8});
    output("y");
    node("FlexAttention", {"q", "k", "v"}, {"y"}, "flex").set_domain("ai.onnx.preview");
  }
  GraphMaker graphFor(const std::string &name) {
    GraphMaker made = setGraph(*graph.mutable_node(0), name);
    made.graph.add_input()->set_name("scores");
    return made;
  }
};

} // namespace

TEST_CASE_METHOD(ImportFixture, "FlexAttention with its graphs", "[regions]") {
  FlexModel model;
  SECTION("without any") {
    std::string text = accept(model);
    CHECK_THAT(text, holds("onnx.Softmax"));
    CHECK_THAT(text, !holds("FlexAttention"));
  }
  SECTION("one that changes scores") {
    model.graphFor("score_mod").output("t").node("Tanh", {"scores"}, {"t"}, "tanh");
    std::string text = accept(model);
    CHECK(text.find("onnx.Tanh") < text.find("onnx.Softmax"));
    CHECK_THAT(text, !holds("onnx.Yield"));
  }
  SECTION("one that gives what it gets") {
    model.graphFor("prob_mod").output("scores");
    CHECK_THAT(accept(model), holds("onnx.Softmax"));
  }
  SECTION("one of two values") {
    model.graphFor("prob_mod").output("scores").output("scores");
    CHECK_THAT(malformed(model), holds("does not make one value of one"));
  }
  SECTION("one that changes the type") {
    pb::NodeProto &cast =
        model.graphFor("score_mod").output("h").node("Cast", {"scores"}, {"h"}, "cast");
    setInt(cast, "to", T::FLOAT16);
    CHECK_THAT(malformed(model), holds("of another type than its argument"));
  }
  SECTION("a precision that is none") {
    setInt(*model.graph.mutable_node(0), "softmax_precision", T::INT64);
    CHECK_THAT(malformed(model), holds("softmax_precision that is no float type"));
  }
}
