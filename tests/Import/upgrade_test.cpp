// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Old forms of operators against the newest one.

#include "model.h"

using namespace cameo;
using namespace cameo::importer;

namespace {

using T = pb::TensorProto;

/// x [2, 3, 4] -> one node of an old operator set -> y.
struct OldModel : ModelMaker {
  OldModel(int64_t opset, const std::string &op, const Names &inputs = {"x"}) : ModelMaker(opset) {
    input("x", T::FLOAT, {2, 3, 4}).output("y");
    node(op, inputs, {"y"}, "old");
  }
  pb::NodeProto &old() { return *graph.mutable_node(0); }
};

} // namespace

TEST_CASE_METHOD(ImportFixture, "axes that became an input", "[upgrade]") {
  auto [op, opset, axes, result] = GENERATE(
      table<std::string, int64_t, Dims, std::string>({{"Unsqueeze", 11, {0}, "[1, 2, 3, 4]"},
                                                      {"ReduceSum", 11, {1}, "[2, 1, 4]"},
                                                      {"ReduceMean", 17, {1}, "[2, 1, 4]"},
                                                      {"ReduceMax", 13, {0, 1}, "[1, 1, 4]"}}));
  CAPTURE(op);
  OldModel model(opset, op);
  setInts(model.old(), "axes", axes);
  CHECK_THAT(accept(model), holds("-> !cameo.tensor<" + result + ", f32>"));
}

TEST_CASE_METHOD(ImportFixture, "reductions of all axes need none", "[upgrade]") {
  OldModel model(11, "ReduceSum");
  setInt(model.old(), "keepdims", 0);
  CHECK_THAT(accept(model), holds("-> !cameo.tensor<[], f32>"));
}

TEST_CASE_METHOD(ImportFixture, "Squeeze with and without axes", "[upgrade]") {
  ModelMaker model(11);
  model.input("x", T::FLOAT, {1, 3, 1}).output("y");
  pb::NodeProto &squeeze = model.node("Squeeze", {"x"}, {"y"});
  SECTION("without") { CHECK_THAT(accept(model), holds("-> !cameo.tensor<[3], f32>")); }
  SECTION("with") {
    setInts(squeeze, "axes", {0});
    CHECK_THAT(accept(model), holds("-> !cameo.tensor<[3, 1], f32>"));
  }
}

TEST_CASE_METHOD(ImportFixture, "Reshape of operator set 1", "[upgrade]") {
  OldModel model(1, "Reshape");
  setInts(model.old(), "shape", {6, -1});
  setInts(model.old(), "consumed_inputs", {0});
  CHECK_THAT(accept(model), holds("-> !cameo.tensor<[6, 4], f32>"));
}

TEST_CASE_METHOD(ImportFixture, "Slice by attributes", "[upgrade]") {
  OldModel model(9, "Slice");
  setInts(model.old(), "starts", {1});
  setInts(model.old(), "ends", {3});
  SECTION("along an axis") {
    setInts(model.old(), "axes", {2});
    CHECK_THAT(accept(model), holds("-> !cameo.tensor<[2, 3, 2], f32>"));
  }
  SECTION("along the first") {
    CHECK_THAT(accept(model), holds("-> !cameo.tensor<[1, 3, 4], f32>"));
  }
  SECTION("that do not fit") {
    setInts(model.old(), "axes", {1, 2});
    CHECK_THAT(malformed(model), holds("starts, ends and axes that do not fit"));
  }
}

TEST_CASE_METHOD(ImportFixture, "Split by an attribute or by the number of outputs", "[upgrade]") {
  ModelMaker model(11);
  model.input("x", T::FLOAT, {4, 6}).output("a").output("b");
  pb::NodeProto &split = model.node("Split", {"x"}, {"a", "b"});
  setInt(split, "axis", 1);
  SECTION("lengths") {
    setInts(split, "split", {2, 4});
    CHECK_THAT(accept(model), holds("-> (!cameo.tensor<[4, 2], f32>, !cameo.tensor<[4, 4], f32>)"));
  }
  SECTION("halves") {
    std::string text = accept(model);
    CHECK_THAT(text, holds("num_outputs = 2"));
    CHECK_THAT(text, holds("-> (!cameo.tensor<[4, 3], f32>, !cameo.tensor<[4, 3], f32>)"));
  }
  SECTION("an output that is left out is a part, the last one too") {
    split.add_output("");
    CHECK_THAT(accept(model), holds("num_outputs = 3"));
    model.proto.mutable_opset_import(0)->set_version(18);
    setInt(split, "num_outputs", 3);
    CHECK_THAT(accept(model), holds("-> (!cameo.tensor<[4, 2], f32>, !cameo.tensor<[4, 2], f32>, "
                                    "!cameo.tensor<[4, 2], f32>)"));
  }
}

TEST_CASE_METHOD(ImportFixture, "Pad by attributes", "[upgrade]") {
  int64_t opset = GENERATE(1, 2);
  OldModel model(opset, "Pad");
  setInts(model.old(), opset == 1 ? "paddings" : "pads", {0, 0, 1, 0, 0, 2});
  setFloat(model.old(), "value", 7);
  std::string text = accept(model);
  CHECK_THAT(text, holds("-> !cameo.tensor<[2, 3, 7], f32>"));
  CHECK_THAT(text, holds("dense<7.000000e+00> : tensor<f32>"));
}

TEST_CASE_METHOD(ImportFixture, "Clip by attributes, in the type of its input", "[upgrade]") {
  ModelMaker model(6);
  model.input("x", T::FLOAT16, {2}).output("y");
  pb::NodeProto &clip = model.node("Clip", {"x"}, {"y"});
  setFloat(clip, "max", 6);
  std::string text = accept(model);
  CHECK_THAT(text, holds("dense<6.000000e+00> : tensor<f16>"));
  CHECK_THAT(text, holds("onnx.Clip"));
}

TEST_CASE_METHOD(ImportFixture, "TopK of operator set 1", "[upgrade]") {
  ModelMaker model(1);
  model.input("x", T::FLOAT, {2, 8}).output("v").output("i");
  setInt(model.node("TopK", {"x"}, {"v", "i"}), "k", 3);
  CHECK_THAT(accept(model), holds("-> (!cameo.tensor<[2, 3], f32>, !cameo.tensor<[2, 3], i64>)"));
}

TEST_CASE_METHOD(ImportFixture, "Softmax saw a matrix", "[upgrade]") {
  OldModel model(11, GENERATE("Softmax", "LogSoftmax"));
  SECTION("whose rows are the last axis: as today") {
    setInt(model.old(), "axis", 2);
    CHECK_THAT(accept(model), !holds("onnx.Flatten"));
  }
  SECTION("whose rows are several axes") {
    std::string text = accept(model);
    CHECK_THAT(text, holds("onnx.Flatten"));
    CHECK_THAT(text, holds("!cameo.tensor<[2, 12], f32>"));
    CHECK_THAT(text, holds("onnx.Reshape"));
  }
}

TEST_CASE_METHOD(ImportFixture, "broadcasting by attributes", "[upgrade]") {
  OldModel model(6, "Add", {"x", "w"});
  model.floats("w", {3}, {1, 2, 3});
  setInt(model.old(), "broadcast", 1);
  SECTION("along an axis") {
    setInt(model.old(), "axis", 1);
    CHECK_THAT(accept(model), holds("onnx.Unsqueeze"));
  }
  SECTION("along an axis that is out of range") {
    setInt(model.old(), "axis", 3);
    CHECK_THAT(malformed(model), holds("broadcasts along an axis that is out of range"));
  }
}

TEST_CASE_METHOD(ImportFixture, "a type to cast to, by its name", "[upgrade]") {
  OldModel model(1, "Cast");
  SECTION("known") {
    setString(model.old(), "to", "FLOAT16");
    CHECK_THAT(accept(model), holds("-> !cameo.tensor<[2, 3, 4], f16>"));
  }
  SECTION("unknown") {
    setString(model.old(), "to", "FLOAT17");
    CHECK_THAT(malformed(model), holds("a type that ONNX does not have (got 'FLOAT17')"));
  }
}

TEST_CASE_METHOD(ImportFixture, "Dropout at inference", "[upgrade]") {
  OldModel model(GENERATE(6, 7, 10), "Dropout");
  setFloat(model.old(), "ratio", 0.25f);
  CHECK_THAT(accept(model), holds("onnx.Dropout"));
}

TEST_CASE_METHOD(ImportFixture, "a mask of Dropout had the type of the data", "[upgrade]") {
  ModelMaker model(7);
  model.input("x", T::FLOAT, {2}).output("y").output("mask", T::FLOAT, {2});
  model.node("Dropout", {"x"}, {"y", "mask"});
  CHECK_THAT(accept(model), holds("onnx.Cast"));
}

TEST_CASE_METHOD(ImportFixture, "BatchNormalization at inference and at training", "[upgrade]") {
  ModelMaker model(7);
  model.input("x", T::FLOAT, {2, 3, 4}).output("y");
  for (const char *name : {"scale", "bias", "mean", "var"})
    model.floats(name, {3}, {1, 1, 1});
  pb::NodeProto &node =
      model.node("BatchNormalization", {"x", "scale", "bias", "mean", "var"}, {"y"});
  SECTION("inference") {
    setInt(node, "spatial", 1);
    CHECK_THAT(accept(model), holds("onnx.BatchNormalization"));
  }
  SECTION("training") {
    for (const char *name : {"m", "v", "sm", "sv"})
      node.add_output(name);
    CHECK_THAT(refuse(model, ExitClass::Unsupported), holds("trains"));
  }
  SECTION("each position by itself") {
    setInt(node, "spatial", 0);
    refuse(model, ExitClass::Unsupported);
  }
}

TEST_CASE_METHOD(ImportFixture, "Upsample became Resize", "[upgrade]") {
  ModelMaker model(GENERATE(7, 9));
  model.input("x", T::FLOAT, {1, 1, 4, 4}).output("y");
  pb::NodeProto &upsample = model.node("Upsample", {"x"}, {"y"}, "up");
  if (model.proto.opset_import(0).version() == 7) {
    const std::vector<float> floats{1, 1, 2, 2};
    addAttribute(upsample, "scales", pb::AttributeProto::FLOATS)
        .mutable_floats()
        ->Assign(floats.begin(), floats.end());
  } else {
    model.floats("scales", {4}, {1, 1, 2, 2});
    upsample.add_input("scales");
  }
  std::string text = accept(model);
  CHECK_THAT(text, holds("onnx.Resize"));
  CHECK_THAT(text, holds("asymmetric"));
  CHECK_THAT(text, holds("!cameo.tensor<[1, 1, 8, 8], f32>"));
}

TEST_CASE_METHOD(ImportFixture, "Resize leaves out inputs by giving nothing in them", "[upgrade]") {
  ModelMaker model(11);
  model.input("x", T::FLOAT, {1, 1, 4, 4})
      .floats("none", {0}, {})
      .integers("sizes", {4}, {1, 1, 6, 2})
      .output("y");
  model.node("Resize", {"x", "none", "none", "sizes"}, {"y"});
  CHECK_THAT(accept(model), holds("!cameo.tensor<[1, 1, 6, 2], f32>"));
}

TEST_CASE_METHOD(ImportFixture, "tf_half_pixel_for_nn is another rounding", "[upgrade]") {
  auto [rounding, instead] = GENERATE(table<std::string, std::string>(
      {{"floor", "round_prefer_ceil"}, {"round_prefer_floor", "ceil"}, {"ceil", ""}}));
  CAPTURE(rounding);
  ModelMaker model(GENERATE(11, 18));
  model.input("x", T::FLOAT, {1, 1, 4, 4}).floats("scales", {4}, {1, 1, 1.5, 2}).output("y");
  pb::NodeProto &resize = model.node("Resize", {"x", "", "scales"}, {"y"});
  setString(resize, "coordinate_transformation_mode", "tf_half_pixel_for_nn");
  setString(resize, "nearest_mode", rounding);
  if (instead.empty()) {
    refuse(model, ExitClass::Unsupported);
    return;
  }
  std::string text = accept(model);
  CHECK_THAT(text, !holds("tf_half_pixel_for_nn"));
  CHECK_THAT(text, holds("nearest_mode = \"" + instead + "\""));
}

TEST_CASE_METHOD(ImportFixture, "all ways to write a constant", "[upgrade]") {
  ModelMaker model;
  model.output("c");
  pb::NodeProto &constant = model.node("Constant", {}, {"c"});
  using A = pb::AttributeProto;
  SECTION("int") {
    setInt(constant, "value_int", 5);
    CHECK_THAT(accept(model), holds("dense<5> : tensor<i64>"));
  }
  SECTION("ints") {
    setInts(constant, "value_ints", {5, 6});
    CHECK_THAT(accept(model), holds("dense<[5, 6]> : tensor<2xi64>"));
  }
  SECTION("no ints") {
    setInts(constant, "value_ints", {});
    CHECK_THAT(accept(model), holds("tensor<0xi64>"));
  }
  SECTION("float") {
    setFloat(constant, "value_float", 5);
    CHECK_THAT(accept(model), holds("dense<5.000000e+00> : tensor<f32>"));
  }
  SECTION("floats") {
    {
      const std::vector<float> floats{1, 2};
      addAttribute(constant, "value_floats", A::FLOATS)
          .mutable_floats()
          ->Assign(floats.begin(), floats.end());
    }
    CHECK_THAT(accept(model), holds("tensor<2xf32>"));
  }
  SECTION("string") {
    setString(constant, "value_string", "s");
    CHECK_THAT(accept(model), holds("dense<\"s\"> : tensor<!cameo.string>"));
  }
  SECTION("strings") {
    addAttribute(constant, "value_strings", A::STRINGS).add_strings("s");
    CHECK_THAT(accept(model), holds("tensor<1x!cameo.string>"));
  }
  SECTION("none") { CHECK_THAT(malformed(model), holds("needs one value (got 0)")); }
  SECTION("two") {
    setInt(constant, "value_int", 5);
    setFloat(constant, "value_float", 5);
    CHECK_THAT(malformed(model), holds("needs one value (got 2)"));
  }
}

TEST_CASE_METHOD(ImportFixture, "Scan with a batch", "[upgrade]") {
  OldModel model(8, "Scan", {"", "x"});
  setInt(model.old(), "num_scan_inputs", 1);
  setInts(model.old(), "directions", {1});
  setGraph(model.old(), "body").input("a", T::FLOAT, {4}).output("a");
  SECTION("scans each entry") {
    std::string text = accept(model);
    CHECK_THAT(text, holds("batched"));
    CHECK_THAT(text, holds("scan_input_directions = array<i64: 1>"));
  }
  SECTION("is refused with lengths") {
    model.old().set_input(0, "x");
    CHECK_THAT(refuse(model, ExitClass::Unsupported), holds("sequence_lens"));
  }
}
