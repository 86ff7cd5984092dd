// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initializers: constants, and inputs with a default.

#include "model.h"

using namespace cameo;
using namespace cameo::importer;

namespace {

ImportOptions freeze(bool freezes) {
  ImportOptions options;
  options.freezeInitializers = freezes;
  return options;
}

/// y = x + w, where w, the only initializer, is an input too.
struct DefaultModel : ModelMaker {
  explicit DefaultModel(int64_t irVersion = 10) : ModelMaker(irVersion < 4 ? 8 : 21, irVersion) {
    input("x", pb::TensorProto::FLOAT, {2}).input("w", pb::TensorProto::FLOAT, {2});
    floats("w", {2}, {1, 2}).output("y");
    node("Add", {"x", "w"}, {"y"}, "add");
  }
};

} // namespace

TEST_CASE_METHOD(ImportFixture, "an initializer is a constant", "[initializers]") {
  ReluModel model;
  model.floats("w", {2}, {1, 2});
  std::string text = accept(model);
  CHECK_THAT(text, holds("onnx.Constant"));
  CHECK_THAT(text, holds("dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>"));
}

TEST_CASE_METHOD(ImportFixture, "some initializers that are inputs may be overridden",
                 "[initializers]") {
  DefaultModel model;
  model.floats("b", {2}, {3, 4});
  model.node("Add", {"y", "b"}, {"z"}, "bias");
  std::string text = accept(model);
  CHECK_THAT(text, holds("onnx.default = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>"));
  CHECK_THAT(text, holds("onnx.name = \"w\""));
  CHECK_THAT(text, holds("onnx.Constant"));
  ImportResult result = import(model);
  REQUIRE(result.warnings.size() == 1);
  CHECK_THAT(result.warnings.front(), holds("takes 1 of its 2 initializers as inputs too"));
  CHECK_THAT(result.warnings.front(), holds("--freeze-initializers"));
  // Whoever says it is not told.
  CHECK(import(model, freeze(false)).warnings.empty());
  CHECK(import(model, freeze(true)).warnings.empty());
  CHECK_THAT(accept(model, freeze(true)), !holds("onnx.name = \"w\""));
}

TEST_CASE_METHOD(ImportFixture, "all of them are constants, unless the user says otherwise",
                 "[initializers]") {
  int64_t irVersion = GENERATE(10, 3);
  ImportOptions options;
  SECTION("nothing said") {}
  SECTION("frozen") { options = freeze(true); }
  SECTION("not frozen, which old files never were") {
    options = freeze(false);
    if (irVersion == 10) {
      std::string text = accept(DefaultModel(irVersion), options);
      CHECK_THAT(text, holds("onnx.name = \"w\""));
      CHECK_THAT(text, !holds("onnx.Constant"));
      return;
    }
  }
  std::string text = accept(DefaultModel(irVersion), options);
  CHECK_THAT(text, holds("onnx.Constant"));
  CHECK_THAT(text, !holds("onnx.name = \"w\""));
  CHECK(import(DefaultModel(irVersion), options).warnings.empty());
}

TEST_CASE_METHOD(ImportFixture, "a default has the type of its input", "[initializers]") {
  DefaultModel model;
  pb::TypeProto::Tensor &type =
      *model.graph.mutable_input(1)->mutable_type()->mutable_tensor_type();
  SECTION("other elements") {
    type.set_elem_type(pb::TensorProto::INT64);
    CHECK_THAT(malformed(model, freeze(false)), holds("graph/w: is declared as"));
  }
  SECTION("other dims") {
    type.mutable_shape()->mutable_dim(0)->set_dim_value(3);
    malformed(model, freeze(false));
  }
  SECTION("an open dim") {
    type.mutable_shape()->mutable_dim(0)->set_dim_param("N");
    CHECK_THAT(accept(model, freeze(false)), holds("!cameo.tensor<[N], f32> {onnx.default"));
  }
  SECTION("no shape: the default's") {
    type.clear_shape();
    CHECK_THAT(accept(model, freeze(false)), holds("!cameo.tensor<[2], f32> {onnx.default"));
  }
}

TEST_CASE_METHOD(ImportFixture, "strings are elements", "[initializers]") {
  ReluModel model;
  pb::TensorProto &tensor = *model.graph.add_initializer();
  tensor.set_name("s");
  tensor.set_data_type(pb::TensorProto::STRING);
  tensor.add_dims(2);
  tensor.add_string_data("a");
  tensor.add_string_data("b\n");
  CHECK_THAT(accept(model), holds("dense<[\"a\", \"b\\0A\"]> : tensor<2x!cameo.string>"));
}

TEST_CASE_METHOD(ImportFixture, "types of elements that Cameo does not have", "[initializers]") {
  ReluModel model;
  pb::TensorProto &tensor = *model.graph.add_initializer();
  tensor.set_name("w");
  tensor.set_data_type(pb::TensorProto::FLOAT6E2M3);
  tensor.add_dims(0);
  CHECK_THAT(refuse(model, ExitClass::Unsupported), holds("FLOAT6E2M3"));
}
