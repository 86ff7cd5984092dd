// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of inputs, and what a model says of other values against what follows.

#include "model.h"

using namespace cameo;
using namespace cameo::importer;

namespace {

using T = pb::TensorProto;

/// x -> Relu -> m -> Relu -> y, with x as given.
struct ChainModel : ModelMaker {
  explicit ChainModel(const std::vector<Dim> &dims) {
    input("x", T::FLOAT, dims).output("y");
    node("Relu", {"x"}, {"m"}, "first");
    node("Relu", {"m"}, {"y"}, "second");
  }
  void declare(const std::string &name, int32_t element, const std::vector<Dim> &dims) {
    graph.add_value_info()->set_name(name);
    setType(*graph.mutable_value_info()->rbegin()->mutable_type(), element, dims);
  }
};

} // namespace

TEST_CASE_METHOD(ImportFixture, "open dims are symbols", "[types]") {
  SECTION("numbers and names") {
    CHECK_THAT(accept(ChainModel({"N", 3, "batch size"})),
               holds("!cameo.tensor<[N, 3, \"batch size\"], f32>"));
  }
  SECTION("dims without a name get one") {
    CHECK_THAT(accept(ChainModel({"", 3, ""})), holds("[x_0, 3, x_2]"));
  }
  SECTION("which no other has") {
    CHECK_THAT(accept(ChainModel({"", "x_0"})), holds("[x_0_1, x_0]"));
  }
  SECTION("a name is a name, whatever it says") {
    CHECK_THAT(accept(ChainModel({"2 * N"})), holds("[\"2 * N\"]"));
  }
  SECTION("-1 is open") { CHECK_THAT(accept(ChainModel({-1, 3, -1})), holds("[x_0, 3, x_2]")); }
  SECTION("a name without a letter is none") {
    CHECK_THAT(accept(ChainModel({"?", "-1", "?", "_", "\xc3\xa9"})),
               holds("[x_0, x_1, x_2, _, \"\\C3\\A9\"]"));
  }
  SECTION("zero") {
    CHECK_THAT(accept(ChainModel({int64_t{0}})), holds("!cameo.tensor<[0], f32>"));
  }
  SECTION("a scalar") { CHECK_THAT(accept(ChainModel({})), holds("!cameo.tensor<[], f32>")); }
}

TEST_CASE_METHOD(ImportFixture, "dims that are none", "[types]") {
  CHECK_THAT(malformed(ChainModel({-5})), holds("graph/x: has a negative dim (got -5)"));
  CHECK_THAT(malformed(ChainModel({int64_t(1) << 62, 8})), holds("no memory can hold"));
  CHECK_THAT(refuse(ChainModel(std::vector<Dim>(65, Dim(1))), ExitClass::Limit),
             holds("too many dims"));
  CHECK_THAT(malformed(ChainModel({"\xff"})), holds("the name of a dim is not UTF-8"));
}

TEST_CASE_METHOD(ImportFixture, "inputs of the graph have a type and a rank", "[types]") {
  ChainModel model({2});
  pb::TypeProto &type = *model.graph.mutable_input(0)->mutable_type();
  SECTION("no type") {
    model.graph.mutable_input(0)->clear_type();
    CHECK_THAT(malformed(model), holds("is an input without a type"));
  }
  SECTION("an empty type") {
    type.Clear();
    malformed(model);
  }
  SECTION("no element type") {
    type.mutable_tensor_type()->set_elem_type(0);
    malformed(model);
  }
  SECTION("a map") {
    type.mutable_map_type()->set_key_type(T::INT64);
    setType(*type.mutable_map_type()->mutable_value_type(), T::FLOAT, {});
    CHECK_THAT(refuse(model, ExitClass::Unsupported), holds("is a map"));
  }
  SECTION("a sparse tensor") {
    type.mutable_sparse_tensor_type()->set_elem_type(T::FLOAT);
    refuse(model, ExitClass::Unsupported);
  }
}

TEST_CASE_METHOD(ImportFixture, "an input without a shape has the rank that operators want",
                 "[types]") {
  ModelMaker model;
  auto add = [&](const std::string &name) {
    model.input(name, T::FLOAT, {})
        .graph.mutable_input()
        ->rbegin()
        ->mutable_type()
        ->mutable_tensor_type()
        ->clear_shape();
  };
  add("x");
  model.node("Relu", {"x"}, {"r"}, "relu");
  SECTION("behind others") {
    model.floats("w", {2, 3, 1, 1}, {1, 2, 3, 4, 5, 6}).output("y");
    model.node("Conv", {"r", "w"}, {"y"}, "conv");
    CHECK_THAT(accept(model), holds("%arg0: !cameo.tensor<[x_0, x_1, x_2, x_3], f32>"));
  }
  SECTION("by what follows from another one's") {
    add("w");
    model.node("Conv", {"x", "w"}, {"c"}, "conv");
    model.node("LSTM", {"r", "w", "w"}, {"", "h"}, "lstm");
    setInt(*model.graph.mutable_node()->rbegin(), "hidden_size", 4);
    model.output("c").output("h");
    CHECK_THAT(accept(model), holds("%arg0: !cameo.tensor<[x_0, x_1, x_2], f32>"));
  }
  SECTION("in a form of old that needs it") {
    model.proto.mutable_opset_import(0)->set_version(9);
    model.floats("w", {2, 3, 1}, {1, 2, 3, 4, 5, 6}).output("y");
    model.node("Softmax", {"r"}, {"s"}, "softmax");
    model.node("Conv", {"r", "w"}, {"y"}, "conv");
    model.output("s");
    CHECK_THAT(accept(model), holds("%arg0: !cameo.tensor<[x_0, x_1, x_2], f32>"));
  }
  SECTION("as the output is declared, where any would do") {
    model.output("r", T::FLOAT, {"a", 3});
    CHECK_THAT(accept(model), holds("%arg0: !cameo.tensor<[x_0, x_1], f32>"));
  }
  SECTION("or what the user says") {
    model.output("r");
    CHECK_THAT(refuse(model, ExitClass::Unsupported),
               holds("graph/x: is an input without a shape, and its operators take more than one "
                     "rank; --rank x=R says how many dims it has"));
    ImportOptions options;
    options.ranks = {{"x", 3}};
    CHECK_THAT(accept(model, options), holds("%arg0: !cameo.tensor<[x_0, x_1, x_2], f32>"));
    options.ranks = {{"r", 3}};
    CHECK_THAT(refuse(model, ExitClass::Usage, options),
               holds("--rank 'r' names no input whose shape is missing"));
  }
  SECTION("none suits") {
    model.node("Concat", {"r", "x"}, {"y"}, "concat");
    setInt(*model.graph.mutable_node()->rbegin(), "axis", 9);
    model.output("y");
    CHECK_THAT(refuse(model, ExitClass::Unsupported), holds("there is no rank that"));
  }
}

TEST_CASE_METHOD(ImportFixture, "every element type", "[types]") {
  auto [number, text] = GENERATE(table<int32_t, std::string>({{T::FLOAT, "f32"},
                                                              {T::UINT8, "ui8"},
                                                              {T::INT8, "i8"},
                                                              {T::UINT16, "ui16"},
                                                              {T::INT16, "i16"},
                                                              {T::INT32, "i32"},
                                                              {T::INT64, "i64"},
                                                              {T::STRING, "!cameo.string"},
                                                              {T::BOOL, "i1"},
                                                              {T::FLOAT16, "f16"},
                                                              {T::DOUBLE, "f64"},
                                                              {T::UINT32, "ui32"},
                                                              {T::UINT64, "ui64"},
                                                              {T::COMPLEX64, "complex<f32>"},
                                                              {T::COMPLEX128, "complex<f64>"},
                                                              {T::BFLOAT16, "bf16"},
                                                              {T::FLOAT8E4M3FN, "f8E4M3FN"},
                                                              {T::FLOAT8E4M3FNUZ, "f8E4M3FNUZ"},
                                                              {T::FLOAT8E5M2, "f8E5M2"},
                                                              {T::FLOAT8E5M2FNUZ, "f8E5M2FNUZ"},
                                                              {T::UINT4, "ui4"},
                                                              {T::INT4, "i4"},
                                                              {T::FLOAT4E2M1, "f4E2M1FN"},
                                                              {T::FLOAT8E8M0, "f8E8M0FNU"},
                                                              {T::UINT2, "ui2"},
                                                              {T::INT2, "i2"}}));
  ModelMaker model;
  model.input("x", number, {"N"}).output("x");
  CHECK_THAT(accept(model), holds("!cameo.tensor<[N], " + text + ">"));
}

TEST_CASE_METHOD(ImportFixture, "sequences and optionals", "[types]") {
  ModelMaker model;
  model.graph.add_input()->set_name("s");
  pb::TypeProto &optional = *model.graph.mutable_input(0)->mutable_type();
  pb::TypeProto &sequence = *optional.mutable_optional_type()->mutable_elem_type();
  setType(*sequence.mutable_sequence_type()->mutable_elem_type(), T::INT64, {"n", 2});
  model.output("s");
  CHECK_THAT(accept(model), holds("!cameo.optional<!cameo.seq<!cameo.tensor<[?, 2], i64>>>"));
}

TEST_CASE_METHOD(ImportFixture, "what a model says of a value must be so", "[types]") {
  ChainModel model({"N", 3});
  SECTION("elements") {
    model.declare("m", T::INT64, {"N", 3});
    CHECK_THAT(malformed(model),
               holds("graph/first/m: is declared as !cameo.tensor<[N, 3], i64>, but is "
                     "!cameo.tensor<[N, 3], f32>"));
  }
  SECTION("kind") {
    model.graph.add_value_info()->set_name("m");
    setType(*model.graph.mutable_value_info(0)
                 ->mutable_type()
                 ->mutable_sequence_type()
                 ->mutable_elem_type(),
            T::FLOAT, {});
    malformed(model);
  }
  SECTION("an output") {
    model.graph.clear_output();
    model.output("y", T::DOUBLE, {"N", 3});
    malformed(model);
  }
  SECTION("a number for a name is not against it") {
    model.declare("m", T::FLOAT, {7, 3});
    CHECK_THAT(accept(model), holds("[N, 3]"));
  }
  SECTION("another name is not against it") {
    model.declare("m", T::FLOAT, {"M", 3});
    CHECK_THAT(accept(model), !holds("M"));
  }
  SECTION("nothing") {
    model.graph.add_value_info()->set_name("m");
    accept(model);
  }
  SECTION("of a value that is not there") {
    model.declare("ghost", T::INT64, {1});
    accept(model);
  }
}

TEST_CASE_METHOD(ImportFixture, "a declared shape that is wrong is a warning", "[types]") {
  ChainModel model({"N", 3});
  std::string wrong;
  SECTION("rank") {
    model.declare("m", T::FLOAT, {"N"});
    wrong = "graph/first/m: is declared as !cameo.tensor<[N], f32>, but is ";
  }
  SECTION("extent") {
    model.declare("m", T::FLOAT, {"N", 4});
    wrong = "graph/first/m: is declared as !cameo.tensor<[N, 4], f32>, but is ";
  }
  SECTION("of an output") {
    model.graph.clear_output();
    model.output("y", T::FLOAT, {"N", 3, 1});
    wrong = "y: is declared as !cameo.tensor<[N, 3, 1], f32>, but is ";
  }
  ImportResult result = import(model);
  REQUIRE(result.module);
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings.front(), holds(wrong + "!cameo.tensor<[N, 3], f32>"));
  // The later declaration counts.
  CHECK_THAT(accept(model), holds("-> !cameo.tensor<[N, 3], f32>"));

  ImportOptions options;
  options.rejectWarnings = true;
  CHECK_THAT(malformed(model, options), holds(wrong));
}

TEST_CASE_METHOD(ImportFixture, "what does not follow is taken from the model", "[types]") {
  ModelMaker model;
  model.input("x", T::FLOAT, {"N", 6}).input("shape", T::INT64, {2});
  model.node("Reshape", {"x", "shape"}, {"m"}, "reshape");
  model.node("Relu", {"m"}, {"y"}, "relu");
  model.graph.add_value_info()->set_name("m");
  setType(*model.graph.mutable_value_info(0)->mutable_type(), T::FLOAT, {"N", 6});
  SECTION("a number and a symbol of an input") {
    model.output("y");
    CHECK_THAT(accept(model), holds("-> !cameo.tensor<[N, 6], f32>"));
  }
  SECTION("nothing where that says nothing") {
    model.graph.mutable_input(0)
        ->mutable_type()
        ->mutable_tensor_type()
        ->mutable_shape()
        ->mutable_dim(0)
        ->set_dim_param("?");
    model.output("y", T::FLOAT, {"?", -1});
    CHECK_THAT(accept(model), holds("-> !cameo.tensor<[?, 6], f32>"));
  }
  SECTION("but no symbol that no input has") {
    model.output("y", T::FLOAT, {"elsewhere", 6});
    CHECK_THAT(accept(model), !holds("elsewhere"));
  }
}
