// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a TensorProto may be, wherever it stands.

#include "model.h"

#include "Dialect/ONNX/IR/OnnxDialect.h"

using namespace cameo;
using namespace cameo::importer;

namespace {

using T = pb::TensorProto;

/// A model that has one tensor and does not use it.
struct TensorModel : ReluModel {
  TensorModel(int32_t type, const Dims &dims) {
    T &tensor = *graph.add_initializer();
    tensor.set_name("w");
    tensor.set_data_type(type);
    *tensor.mutable_dims() = {dims.begin(), dims.end()};
  }
  T &tensor() { return *graph.mutable_initializer(0); }
};

} // namespace

TEST_CASE_METHOD(ImportFixture, "dims of tensors", "[tensors]") {
  SECTION("negative") {
    CHECK_THAT(malformed(TensorModel(T::FLOAT, {-1})),
               holds("graph/w: has a negative dim (got -1)"));
  }
  SECTION("count overflows") {
    CHECK_THAT(malformed(TensorModel(T::FLOAT, {int64_t(1) << 62, 8})),
               holds("no memory can hold"));
  }
  SECTION("bytes overflow") {
    CHECK_THAT(malformed(TensorModel(T::FLOAT, {int64_t(1) << 61})), holds("no memory can hold"));
  }
  SECTION("bits overflow") { malformed(TensorModel(T::INT4, {int64_t(1) << 62})); }
  SECTION("rank 65") {
    CHECK_THAT(refuse(TensorModel(T::FLOAT, Dims(65, 1)), ExitClass::Limit),
               holds("too many dims (got 65, limit 64)"));
  }
  SECTION("rank 64") {
    TensorModel model(T::FLOAT, Dims(64, 1));
    model.tensor().add_float_data(1);
    accept(model);
  }
  SECTION("nothing") { accept(TensorModel(T::FLOAT, {0, 5})); }
  SECTION("nothing, however large") {
    accept(TensorModel(T::FLOAT, {0, int64_t(1) << 62, int64_t(1) << 62}));
  }
  SECTION("a scalar without data") {
    CHECK_THAT(malformed(TensorModel(T::FLOAT, {})),
               holds("wrong number of elements (got 0 entries, need 1)"));
  }
  SECTION("more than there is") {
    CHECK_THAT(malformed(TensorModel(T::FLOAT, {1000000000000})),
               holds("wrong number of elements"));
  }
}

TEST_CASE_METHOD(ImportFixture, "data types of tensors", "[tensors]") {
  for (int32_t type : {0, 29, 999, -1})
    CHECK_THAT(malformed(TensorModel(type, {0})), holds("a data type that ONNX does not have"));
}

TEST_CASE_METHOD(ImportFixture, "raw data has the size of the dims", "[tensors]") {
  TensorModel model(T::FLOAT, {3});
  for (size_t size : {0, 8, 11, 16}) {
    model.tensor().set_raw_data(std::string(size, '\0'));
    CHECK_THAT(malformed(model),
               holds("has raw_data of the wrong size (got " + std::to_string(size)));
  }
  model.tensor().set_raw_data(std::string(12, '\0'));
  accept(model);
}

TEST_CASE_METHOD(ImportFixture, "packed data is rounded up to bytes", "[tensors]") {
  auto [type, count, size] = GENERATE(table<int32_t, int64_t, size_t>({{T::INT4, 3, 2},
                                                                       {T::UINT4, 4, 2},
                                                                       {T::INT2, 5, 2},
                                                                       {T::UINT2, 4, 1},
                                                                       {T::FLOAT4E2M1, 1, 1}}));
  TensorModel model(type, {count});
  for (size_t got : {size - 1, size + 1}) {
    model.tensor().set_raw_data(std::string(got, '\0'));
    malformed(model);
  }
  model.tensor().set_raw_data(std::string(size, '\0'));
  accept(model);
  model.tensor().clear_raw_data();
  for (size_t entry = 0; entry < size; ++entry)
    model.tensor().add_int32_data(0xff);
  accept(model);
  model.tensor().add_int32_data(0);
  malformed(model);
}

TEST_CASE_METHOD(ImportFixture, "every typed field may be short or long", "[tensors]") {
  auto [type, perElement] = GENERATE(table<int32_t, int>({{T::FLOAT, 1},
                                                          {T::COMPLEX64, 2},
                                                          {T::DOUBLE, 1},
                                                          {T::COMPLEX128, 2},
                                                          {T::INT64, 1},
                                                          {T::UINT64, 1},
                                                          {T::UINT32, 1},
                                                          {T::INT32, 1},
                                                          {T::INT8, 1},
                                                          {T::BOOL, 1},
                                                          {T::FLOAT16, 1},
                                                          {T::BFLOAT16, 1},
                                                          {T::FLOAT8E4M3FN, 1},
                                                          {T::STRING, 1}}));
  CAPTURE(type);
  auto makeModel = [type = type](int entries) {
    TensorModel model(type, {3});
    for (int entry = 0; entry < entries; ++entry) {
      if (type == T::FLOAT || type == T::COMPLEX64)
        model.tensor().add_float_data(1);
      else if (type == T::DOUBLE || type == T::COMPLEX128)
        model.tensor().add_double_data(1);
      else if (type == T::INT64)
        model.tensor().add_int64_data(1);
      else if (type == T::UINT64 || type == T::UINT32)
        model.tensor().add_uint64_data(1);
      else if (type == T::STRING)
        model.tensor().add_string_data("s");
      else
        model.tensor().add_int32_data(1);
    }
    return model.proto.SerializeAsString();
  };
  int needed = 3 * perElement;
  CHECK_THAT(malformed(makeModel(needed - 1)), holds("wrong number of elements"));
  CHECK_THAT(malformed(makeModel(needed + 1)), holds("wrong number of elements"));
  accept(makeModel(needed));
}

TEST_CASE_METHOD(ImportFixture, "data is in one place", "[tensors]") {
  TensorModel model(T::FLOAT, {1});
  model.tensor().add_float_data(1);
  SECTION("raw and typed") {
    model.tensor().set_raw_data(std::string(4, '\0'));
    CHECK_THAT(malformed(model), holds("has its data twice"));
  }
  SECTION("two typed fields") {
    model.tensor().add_int32_data(1);
    CHECK_THAT(malformed(model), holds("in a field of another type"));
  }
  SECTION("another type's field") {
    model.tensor().set_data_type(T::INT64);
    CHECK_THAT(malformed(model), holds("of type INT64 has data in a field of another type"));
  }
  SECTION("strings in raw data") {
    model.tensor().clear_float_data();
    model.tensor().set_data_type(T::STRING);
    model.tensor().set_raw_data("abc");
    CHECK_THAT(malformed(model), holds("has strings in raw_data"));
  }
  SECTION("segments") {
    model.tensor().mutable_segment()->set_begin(0);
    refuse(model, ExitClass::Unsupported);
  }
}

TEST_CASE_METHOD(ImportFixture, "elements are in the range of their type", "[tensors]") {
  auto [type, value] = GENERATE(table<int32_t, int32_t>({{T::INT8, 128},
                                                         {T::INT8, -129},
                                                         {T::UINT8, 256},
                                                         {T::UINT8, -1},
                                                         {T::INT16, 32768},
                                                         {T::UINT16, 65536},
                                                         {T::FLOAT16, 65536},
                                                         {T::BFLOAT16, -1},
                                                         {T::BOOL, 2},
                                                         {T::FLOAT8E5M2, 256},
                                                         {T::INT4, 256}}));
  TensorModel model(type, {1});
  model.tensor().add_int32_data(value);
  CHECK_THAT(malformed(model), holds("has an element outside"));
}

TEST_CASE_METHOD(ImportFixture, "unsigned elements beyond 32 and 63 bits", "[tensors]") {
  TensorModel model(T::UINT32, {1});
  model.tensor().add_uint64_data(UINT64_MAX);
  malformed(model);
  model.tensor().set_uint64_data(0, uint64_t(1) << 32);
  malformed(model);
  model.tensor().set_data_type(T::UINT64);
  model.tensor().set_uint64_data(0, UINT64_MAX);
  CHECK_THAT(accept(model), holds("18446744073709551615"));
}

TEST_CASE_METHOD(ImportFixture, "a bool is 0 or 1", "[tensors]") {
  TensorModel model(T::BOOL, {2});
  model.tensor().set_raw_data(std::string("\1\2", 2));
  CHECK_THAT(malformed(model), holds("a bool that is neither 0 nor 1 (got 2)"));
  model.tensor().set_raw_data(std::string("\1\0", 2));
  CHECK_THAT(accept(model), holds("dense<[true, false]>"));
}

TEST_CASE_METHOD(ImportFixture, "all eight carriers are checked alike", "[tensors]") {
  ReluModel model;
  T bad;
  bad.set_name("w");
  bad.set_data_type(T::FLOAT);
  bad.add_dims(3);
  bad.set_raw_data("short");
  T good;
  good.set_data_type(T::INT64);
  good.add_dims(0);
  auto constant = [&](pb::NodeProto &node) -> T & {
    return *addAttribute(node, "value", pb::AttributeProto::TENSOR).mutable_t();
  };
  SECTION("initializer") { *model.graph.add_initializer() = bad; }
  SECTION("sparse values") {
    *model.graph.add_sparse_initializer()->mutable_values() = bad;
    *model.graph.mutable_sparse_initializer(0)->mutable_indices() = good;
  }
  SECTION("sparse indices") {
    *model.graph.add_sparse_initializer()->mutable_values() = good;
    model.graph.mutable_sparse_initializer(0)->mutable_values()->set_name("s");
    *model.graph.mutable_sparse_initializer(0)->mutable_indices() = bad;
  }
  SECTION("attribute") { constant(model.node("Constant", {}, {"c"})) = bad; }
  SECTION("list of tensors in an attribute") {
    *addAttribute(model.node("Constant", {}, {"c"}), "values", pb::AttributeProto::TENSORS)
         .add_tensors() = bad;
  }
  SECTION("branch") {
    pb::NodeProto &branch = model.node("If", {"x"}, {"i"});
    *setGraph(branch, "then_branch").graph.add_initializer() = bad;
  }
  SECTION("function that nothing calls") {
    pb::FunctionProto &function = *model.proto.add_functions();
    function.set_name("f");
    function.add_node()->set_op_type("Constant");
    function.mutable_node(0)->add_output("c");
    constant(*function.mutable_node(0)) = bad;
  }
  SECTION("default of a function's attribute") {
    pb::FunctionProto &function = *model.proto.add_functions();
    function.set_name("f");
    function.add_attribute_proto()->set_name("a");
    *function.mutable_attribute_proto(0)->mutable_t() = bad;
  }
  CHECK_THAT(malformed(model), holds("has raw_data of the wrong size (got 5 bytes, need 12)"));
}

TEST_CASE_METHOD(ImportFixture, "sparse tensors become dense", "[tensors]") {
  ReluModel model;
  pb::SparseTensorProto &sparse = *model.graph.add_sparse_initializer();
  T &values = *sparse.mutable_values();
  values.set_name("s");
  values.set_data_type(T::FLOAT);
  values.add_dims(2);
  values.add_float_data(5);
  values.add_float_data(7);
  T &indices = *sparse.mutable_indices();
  indices.set_data_type(T::INT64);
  indices.add_dims(2);
  indices.add_int64_data(1);
  indices.add_int64_data(3);
  sparse.add_dims(2);
  sparse.add_dims(2);
  auto setIndices = [&](const Dims &given) {
    *indices.mutable_int64_data() = {given.begin(), given.end()};
  };
  SECTION("by position") {
    CHECK_THAT(accept(model),
               holds("dense<[[0.000000e+00, 5.000000e+00], [0.000000e+00, 7.000000e+00]]>"));
  }
  SECTION("by axis") {
    indices.add_dims(2);
    setIndices({0, 0, 1, 0});
    CHECK_THAT(accept(model),
               holds("dense<[[5.000000e+00, 0.000000e+00], [7.000000e+00, 0.000000e+00]]>"));
  }
  SECTION("out of range") {
    setIndices({1, 4});
    CHECK_THAT(malformed(model), holds("an index out of range (got 4, need [0, 4))"));
  }
  SECTION("negative") {
    setIndices({-1, 0});
    malformed(model);
  }
  SECTION("twice") {
    setIndices({3, 3});
    CHECK_THAT(malformed(model), holds("indices do not ascend"));
  }
  SECTION("too many indices") {
    indices.set_dims(0, 3);
    indices.add_int64_data(3);
    CHECK_THAT(malformed(model), holds("do not fit"));
  }
  SECTION("too large for what it holds") {
    sparse.set_dims(0, 1000000);
    sparse.set_dims(1, 1000000);
    CHECK_THAT(refuse(model, ExitClass::Limit), holds("would take 4000000000000 bytes"));
  }
  SECTION("no indices") {
    sparse.clear_indices();
    malformed(model);
  }
}

TEST_CASE_METHOD(ImportFixture, "elements below a byte get one each", "[tensors]") {
  SECTION("int4, the first in the low bits, with a sign") {
    TensorModel model(T::INT4, {3});
    model.tensor().set_raw_data("\x8f\x07");
    CHECK_THAT(accept(model), holds("dense<[-1, -8, 7]> : tensor<3xi4>"));
  }
  SECTION("uint2") {
    TensorModel model(T::UINT2, {5});
    model.tensor().set_raw_data("\xe4\x02");
    CHECK_THAT(accept(model), holds("dense<[0, 1, 2, 3, 2]> : tensor<5xui2>"));
  }
}

TEST_CASE_METHOD(ImportFixture, "bits of floats are kept", "[tensors]") {
  // A signalling NaN, -0, the least denormal, -infinity.
  const std::string bits("\x01\x00\xa0\x7f\x00\x00\x00\x80\x01\x00\x00\x00\x00\x00\x80\xff", 16);
  TensorModel model(T::FLOAT, {4});
  model.tensor().set_raw_data(bits);
  accept(model);
  mlir::ArrayRef<char> kept;
  module->walk([&](cameo::onnx::ConstantOp op) {
    kept = llvm::cast<mlir::DenseElementsAttr>(op.getValue()).getRawData();
  });
  CHECK(std::string(kept.begin(), kept.end()) == bits);
}

TEST_CASE_METHOD(ImportFixture, "large tensors are resources", "[tensors]") {
  TensorModel model(T::INT32, {300});
  for (int32_t number = 0; number < 300; ++number)
    model.tensor().add_int32_data(number);
  CHECK_THAT(accept(model), holds("dense_resource<tensor_0> : tensor<300xi32>"));
  mlir::Operation *constant = nullptr;
  module->walk([&](cameo::onnx::ConstantOp op) { constant = op; });
  auto value = llvm::cast<mlir::DenseResourceElementsAttr>(constant->getAttr("value"));
  REQUIRE(value.getData().size() == 1200);
  CHECK(reinterpret_cast<const int32_t *>(value.getData().data())[299] == 299);
}
