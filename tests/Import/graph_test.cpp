// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and order in a graph.

#include "model.h"

using namespace cameo;
using namespace cameo::importer;

TEST_CASE_METHOD(ImportFixture, "a cycle is printed", "[graph]") {
  ReluModel model;
  model.node("Add", {"x", "c"}, {"a"}, "first");
  model.node("Relu", {"a"}, {"b"}, "second");
  model.node("Relu", {"b"}, {"c"}, "third");
  CHECK_THAT(malformed(model), holds("graph/first: uses 'c' before it is defined; "
                                     "the nodes have a cycle: a -> b -> c -> a"));
}

TEST_CASE_METHOD(ImportFixture, "a node that reads itself is a cycle", "[graph]") {
  ReluModel model;
  model.node("Add", {"x", "a"}, {"a"}, "self");
  CHECK_THAT(malformed(model), holds("the nodes have a cycle: a -> a"));
}

TEST_CASE_METHOD(ImportFixture, "a cycle through a branch is one", "[graph]") {
  ReluModel model;
  model.input("c", pb::TensorProto::BOOL, {});
  pb::NodeProto &branch = model.node("If", {"c"}, {"a"}, "if");
  setGraph(branch, "then_branch").output("t").node("Relu", {"b"}, {"t"});
  setGraph(branch, "else_branch").output("e").node("Relu", {"x"}, {"e"});
  model.node("Relu", {"a"}, {"b"}, "after");
  CHECK_THAT(malformed(model), holds("the nodes have a cycle: a -> b -> a"));
}

TEST_CASE_METHOD(ImportFixture, "a cycle among nodes that are unsorted too", "[graph]") {
  ReluModel model;
  model.node("Relu", {"later"}, {"early"}, "early");
  model.node("Relu", {"x"}, {"later"}, "late");
  model.node("Add", {"x", "b"}, {"a"}, "first");
  model.node("Relu", {"a"}, {"b"}, "second");
  CHECK_THAT(malformed(model), holds("the nodes have a cycle: a -> b -> a"));
}

TEST_CASE_METHOD(ImportFixture, "nodes are sorted", "[graph]") {
  ReluModel model;
  model.node("Neg", {"b"}, {"c"}, "third");
  model.node("Exp", {"x"}, {"other"}, "fourth");
  model.node("Relu", {"a"}, {"b"}, "second");
  model.node("Abs", {"x"}, {"a"}, "first");
  model.output("c");
  ImportResult result = import(model);
  REQUIRE(result.module);
  CHECK(result.warnings ==
        Names{"model.onnx: graph/third: uses 'b' before it is defined; the nodes are sorted"});
  // Nodes that are ready keep the order of the file.
  Names order;
  result.module->walk([&](mlir::Operation *op) {
    if (op->getName().getDialectNamespace() == "onnx")
      order.push_back(op->getName().stripDialect().str());
  });
  CHECK(order == Names{"Relu", "Exp", "Abs", "Relu", "Neg"});

  ImportOptions options;
  options.rejectWarnings = true;
  CHECK_THAT(malformed(model, options), holds("graph/third: uses 'b' before it is defined"));
}

TEST_CASE_METHOD(ImportFixture, "an argument of a body may be named as a later value", "[graph]") {
  ReluModel model;
  model.input("n", pb::TensorProto::INT64, {}).input("go", pb::TensorProto::BOOL, {});
  GraphMaker body = setGraph(model.node("Loop", {"n", "go", "x"}, {"l"}, "loop"), "body");
  body.input("i", pb::TensorProto::INT64, {}).input("c", pb::TensorProto::BOOL, {});
  body.input("late", pb::TensorProto::FLOAT, {2, 3}).output("c").output("t");
  body.node("Relu", {"late"}, {"t"});
  model.node("Relu", {"l"}, {"late"}, "late");
  ImportResult result = import(model);
  REQUIRE(result.module);
  CHECK(result.warnings.empty());
}

TEST_CASE_METHOD(ImportFixture, "of many warnings the first few are given", "[graph]") {
  ReluModel model;
  for (int number = 0; number < 20; ++number) {
    std::string name = "v" + std::to_string(number);
    model.node("Relu", {"x"}, {name});
    model.graph.add_value_info()->set_name(name);
    setType(*model.graph.mutable_value_info(number)->mutable_type(), pb::TensorProto::FLOAT, {9});
  }
  ImportResult result = import(model);
  REQUIRE(result.warnings.size() == 17);
  CHECK_THAT(result.warnings.back(), holds("4 more warnings"));
}

TEST_CASE_METHOD(ImportFixture, "names that nothing defines, or two things", "[graph]") {
  ReluModel model;
  SECTION("input") {
    model.relu().set_input(0, "ghost");
    CHECK_THAT(malformed(model), holds("graph/relu: uses 'ghost', which nothing defines"));
  }
  SECTION("output") {
    model.output("ghost");
    CHECK_THAT(malformed(model), holds("graph/ghost: is an output that nothing defines"));
  }
  SECTION("node twice") {
    model.node("Neg", {"x"}, {"y"}, "again");
    CHECK_THAT(malformed(model), holds("graph/again: defines 'y', which is defined already"));
  }
  SECTION("input and node") {
    model.node("Neg", {"x"}, {"x"});
    CHECK_THAT(malformed(model), holds("Neg#1: defines 'x'"));
  }
  SECTION("input twice") {
    model.input("x", pb::TensorProto::FLOAT, {1});
    CHECK_THAT(malformed(model), holds("is an input defined twice"));
  }
  SECTION("initializer twice") {
    model.floats("w", {1}, {1}).floats("w", {1}, {2});
    CHECK_THAT(malformed(model), holds("is an initializer defined twice"));
  }
  SECTION("initializer and node") {
    model.floats("y", {1}, {1});
    CHECK_THAT(malformed(model), holds("defines 'y'"));
  }
  SECTION("empty input") {
    model.input("", pb::TensorProto::FLOAT, {1});
    CHECK_THAT(malformed(model), holds("graph/input#1: is an input without a name"));
  }
  SECTION("empty initializer") {
    model.floats("", {1}, {1});
    CHECK_THAT(malformed(model), holds("is an initializer without a name"));
  }
  SECTION("empty output") {
    model.output("");
    CHECK_THAT(malformed(model), holds("is an output without a name"));
  }
}

TEST_CASE_METHOD(ImportFixture, "nodes need an operator and an output", "[graph]") {
  ReluModel model;
  SECTION("no operator") { model.relu().clear_op_type(); }
  SECTION("no outputs") { model.node("Relu", {"x"}, {}); }
  SECTION("only outputs that are left out") { model.node("Relu", {"x"}, {""}); }
  malformed(model);
}

TEST_CASE_METHOD(ImportFixture, "the number of inputs is the operator's", "[graph]") {
  ReluModel model;
  SECTION("none") {
    model.relu().clear_input();
    CHECK_THAT(malformed(model), holds("graph/relu: has no input X"));
  }
  SECTION("left out") {
    model.relu().set_input(0, "");
    CHECK_THAT(malformed(model), holds("has no input X"));
  }
  SECTION("64") {
    for (int number = 0; number < 63; ++number)
      model.relu().add_input("x");
    CHECK_THAT(malformed(model), holds("has too many inputs (got 64, need at most 1)"));
  }
  SECTION("a variadic operator of nothing") {
    model.relu().set_op_type("Sum");
    model.relu().clear_input();
    CHECK_THAT(malformed(model), holds("has no inputs"));
  }
  SECTION("a variadic operator with a hole") {
    model.relu().set_op_type("Sum");
    model.relu().add_input("");
    model.relu().add_input("x");
    CHECK_THAT(malformed(model), holds("leaves out one of the inputs"));
  }
  SECTION("trailing inputs that are left out do not count") {
    model.relu().add_input("");
    accept(model);
  }
}

TEST_CASE_METHOD(ImportFixture, "the number of outputs is the operator's", "[graph]") {
  ReluModel model;
  model.relu().add_output("z");
  CHECK_THAT(malformed(model), holds("has too many outputs (got 2, need at most 1)"));
}

TEST_CASE_METHOD(ImportFixture, "odd outputs are right", "[graph]") {
  ReluModel model;
  SECTION("an input") {
    model.output("x");
    CHECK_THAT(accept(model), holds("return %0, %arg0"));
  }
  SECTION("an initializer") {
    model.floats("w", {1}, {1}).output("w");
    accept(model);
  }
  SECTION("the same twice") {
    model.output("y");
    CHECK_THAT(accept(model), holds("return %0, %0"));
  }
}

TEST_CASE_METHOD(ImportFixture, "names must be UTF-8, and are shown escaped", "[graph]") {
  ReluModel model;
  SECTION("not UTF-8") {
    model.relu().set_name("re\xff");
    CHECK_THAT(malformed(model), holds("the name of a node is not UTF-8 (got 're\\xFF')"));
  }
  SECTION("an output that is not") {
    model.relu().set_output(0, "\xc3");
    malformed(model);
  }
  SECTION("control characters") {
    model.relu().set_name("a\nb\x1b[31m");
    model.relu().set_input(0, "ghost\r");
    CHECK_THAT(malformed(model), holds("graph/a\\x0Ab\\x1B[31m: uses 'ghost\\x0D'"));
  }
  SECTION("a megabyte") {
    model.relu().set_name(std::string(1 << 20, 'n'));
    model.relu().set_input(0, "ghost");
    CHECK(malformed(model).size() < 400);
  }
  SECTION("beyond ASCII") {
    model.relu().set_name("r\xc3\xa9lu");
    accept(model);
  }
}

TEST_CASE_METHOD(ImportFixture, "doc strings are not looked at", "[graph]") {
  ReluModel model;
  model.relu().set_doc_string("\xff\xfe");
  model.graph.set_doc_string(std::string(1 << 20, '\xff'));
  CHECK_THAT(accept(model), !holds("\xff"));
}
