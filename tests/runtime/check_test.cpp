// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every wrong call that the tables can tell, its code, the tensor it names and its numbers.
#include "cameo/gen.h"
#include "cameo/tensor.h"

#include <catch2/catch.hpp>

#include <numeric>
#include <string>
#include <vector>

using namespace cameo;

namespace {

constexpr uint32_t host_spaces = 1u << CAMEO_SPACE_HOST | 1u << CAMEO_SPACE_PINNED;

const cameo_dim image_dims[] = {{CAMEO_DIM_SYMBOL, 0, 0, INT64_MAX, "N"},
                                {CAMEO_DIM_RANGE, 1, 1, 8, "C"},
                                {CAMEO_DIM_VALUE, -1, 4, 4, nullptr}};
const cameo_dim mask_dims[] = {{CAMEO_DIM_SYMBOL, 0, 0, INT64_MAX, "N"}};
const cameo_dim shape_dims[] = {{CAMEO_DIM_VALUE, -1, 2, 2, nullptr}};
const cameo_dim any_dims[] = {{CAMEO_DIM_SYMBOL, 2, 0, INT64_MAX, "K"}};
const int64_t extra_dims[] = {5};
const cameo_default extra = {extra_dims, 64, nullptr};
const cameo_port item = {nullptr,          CAMEO_TENSOR, CAMEO_FLOAT, -1, 0,       nullptr, nullptr,
                         CAMEO_SPACE_HOST, host_spaces,  4,           1,  nullptr, 0};
const cameo_port inputs[] = {
    {"image", CAMEO_TENSOR, CAMEO_FLOAT, 3, 0, image_dims, nullptr, CAMEO_SPACE_HOST, host_spaces,
     4, 1, nullptr, 0},
    {"mask", CAMEO_TENSOR, CAMEO_BOOL, 1, 0, mask_dims, nullptr, CAMEO_SPACE_HOST, host_spaces, 1,
     0, nullptr, 0},
    {"shape", CAMEO_TENSOR, CAMEO_INT64, 1, CAMEO_PORT_HOST_VALUE, shape_dims, nullptr,
     CAMEO_SPACE_HOST, host_spaces, 8, 0, nullptr, 0},
    {"like", CAMEO_TENSOR, CAMEO_FLOAT, -1, CAMEO_PORT_DIMS_ONLY, nullptr, nullptr,
     CAMEO_SPACE_HOST, host_spaces, 4, 1, nullptr, 0},
    {"extra", CAMEO_TENSOR, CAMEO_INT4, 1, CAMEO_PORT_DEFAULT, any_dims, nullptr, CAMEO_SPACE_HOST,
     host_spaces, 1, 1, &extra, 0},
    {"list", CAMEO_SEQUENCE, 0, 0, 0, nullptr, &item, CAMEO_SPACE_HOST, host_spaces, 1, 1, nullptr,
     0},
};
const cameo_port outputs[] = {{"y", CAMEO_TENSOR, CAMEO_FLOAT, 1, 0, mask_dims, nullptr,
                               CAMEO_SPACE_HOST, host_spaces, 4, 1, nullptr, 0},
                              {"z", CAMEO_TENSOR, CAMEO_FLOAT, 1, CAMEO_PORT_ALIAS, mask_dims,
                               nullptr, CAMEO_SPACE_HOST, host_spaces, 4, 1, nullptr, 0}};
const char *const symbol_names[] = {"N", "C", "K"};

/// As y, but wanted at multiples of 32 bytes, and refused elsewhere.
constexpr cameo_port strict_port() {
  cameo_port p{"y",     CAMEO_TENSOR,     CAMEO_FLOAT, 1,  0, mask_dims,
               nullptr, CAMEO_SPACE_HOST, host_spaces, 32, 0, nullptr,
               0};
  return p;
}
const cameo_port strict[] = {strict_port()};

cameo_model make_model() {
  cameo_model m{};
  m.abi = CAMEO_ABI_VERSION;
  m.name = "checks";
  m.input_count = 6;
  m.output_count = 2;
  m.symbol_count = 3;
  m.inputs = inputs;
  m.outputs = outputs;
  m.symbols = symbol_names;
  return m;
}
const cameo_model model = make_model();

/// A right call, to be spoiled.
struct call {
  float image[2 * 3 * 4] = {};
  uint8_t mask[2] = {0, 1};
  int64_t shape[2] = {1, 2};
  float x[4] = {}, y[2] = {};
  int64_t dims[8][4] = {{2, 3, 4}, {2}, {2}, {5, 6}, {3}, {}, {2}, {2}};
  int64_t item_dims[2] = {2, 2};
  cameo_tensor items[1] = {};
  cameo_tensor in[6] = {}, out[2] = {};
  uint8_t packed[2] = {};

  call() {
    in[0] = bind(image, sizeof image, CAMEO_FLOAT, 3, dims[0]);
    in[1] = bind(mask, sizeof mask, CAMEO_BOOL, 1, dims[1]);
    in[2] = bind(shape, sizeof shape, CAMEO_INT64, 1, dims[2]);
    in[3] = bind(nullptr, 0, CAMEO_FLOAT, 2, dims[3]);
    in[4] = bind(packed, sizeof packed, CAMEO_INT4, 1, dims[4]);
    items[0] = bind(x, sizeof x, CAMEO_FLOAT, 2, item_dims);
    in[5].kind = CAMEO_SEQUENCE;
    in[5].data = items;
    in[5].bytes = sizeof items;
    out[0] = bind(y, sizeof y, CAMEO_FLOAT, 1, dims[6]);
    out[1] = bind(x, sizeof x, CAMEO_FLOAT, 1, dims[7]);
  }
  static cameo_tensor bind(void *data, size_t bytes, int32_t dtype, int32_t rank, int64_t *dims) {
    cameo_tensor t{};
    t.data = data;
    t.bytes = bytes;
    t.dtype = dtype;
    t.rank = rank;
    t.dims = dims;
    return t;
  }

  int64_t symbols[3] = {};
  status check() {
    cameo_tensor filled[6];
    CAMEO_TRY(check_dims(model, with_defaults(model, in, 6, filled), 6, symbols));
    for (int32_t i = 0; i < 6; ++i)
      CAMEO_TRY(check_data(model, in, i));
    return success();
  }
  void expect(int32_t code, int32_t tensor, std::vector<int64_t> values = {}) {
    const status s = check();
    INFO((s.message ? s.message : "") << " at " << s.tensor);
    CHECK(s.code == code);
    CHECK(s.tensor == tensor);
    for (size_t i = 0; i < values.size(); ++i)
      CHECK(s.values[i] == values[i]);
  }
};

constexpr int32_t invalid = CAMEO_INVALID_ARGUMENT;

} // namespace

TEST_CASE("a right call binds its symbols", "[check]") {
  call c;
  c.expect(CAMEO_OK, -1);
  CHECK(c.symbols[0] == 2);
  CHECK(c.symbols[1] == 3);
  CHECK(c.symbols[2] == 3);
}

TEST_CASE("counts", "[check]") {
  call c;
  CHECK(check_dims(model, c.in, 5, c.symbols).code == invalid);
  CHECK(check_dims(model, nullptr, 6, c.symbols).code == invalid);
  CHECK(check_counts(model, c.in, 6, c.out, 1).code == invalid);
  CHECK(check_counts(model, c.in, 6, nullptr, 2).code == invalid);
  CHECK(check_counts(model, c.in, 6, c.out, 2).code == CAMEO_OK);
}

TEST_CASE("dtype, rank, kind, dims", "[check]") {
  SECTION("dtype") {
    call c;
    c.in[0].dtype = CAMEO_DOUBLE;
    c.expect(invalid, 0, {CAMEO_DOUBLE, CAMEO_FLOAT});
  }
  SECTION("rank") {
    call c;
    c.in[1].rank = 2;
    c.expect(invalid, 1, {2, 1});
  }
  SECTION("dynamic rank has a limit") {
    call c;
    c.in[3].rank = 65;
    c.expect(invalid, 3, {65, 64});
    c.in[3].rank = -1;
    c.expect(invalid, 3);
    c.in[3].rank = 0;
    c.expect(CAMEO_OK, -1);
  }
  SECTION("kind") {
    call c;
    c.in[0].kind = CAMEO_SEQUENCE;
    c.expect(invalid, 0, {CAMEO_SEQUENCE, CAMEO_TENSOR});
  }
  SECTION("fixed dim") {
    call c;
    c.dims[0][2] = 5;
    c.expect(invalid, 0, {2, 5, 4});
  }
  SECTION("range") {
    call c;
    c.dims[0][1] = 9;
    c.expect(invalid, 0, {1, 9, 1, 8});
    c.dims[0][1] = 0;
    c.expect(invalid, 0);
  }
  SECTION("one symbol, two values") {
    call c;
    c.dims[1][0] = 1;
    c.expect(invalid, 1, {0, 1, 2, 0});
  }
  SECTION("negative dims") {
    call c;
    c.dims[0][0] = -2;
    c.expect(invalid, 0, {0, -2});
    c.dims[0][0] = 2;
    c.dims[3][1] = INT64_MIN;
    c.expect(invalid, 3, {1, INT64_MIN});
  }
  SECTION("product overflow") {
    call c;
    c.dims[3][0] = int64_t{1} << 40;
    c.dims[3][1] = int64_t{1} << 40;
    c.expect(invalid, 3);
    c.dims[3][0] = 0; // an empty tensor is fine
    c.expect(CAMEO_OK, -1);
    c.dims[3][1] = INT64_MAX; // unless its other dims are of no tensor
    c.expect(invalid, 3);
  }
  SECTION("null dims") {
    call c;
    c.in[0].dims = nullptr;
    c.expect(invalid, 0);
  }
}

TEST_CASE("data", "[check]") {
  SECTION("too short") {
    call c;
    c.in[0].bytes -= 1;
    c.expect(invalid, 0, {95, 96});
  }
  SECTION("null") {
    call c;
    c.in[0].data = nullptr;
    c.expect(invalid, 0);
  }
  SECTION("null is fine where empty") {
    call c;
    c.dims[0][0] = c.dims[1][0] = 0;
    c.in[0].data = nullptr;
    c.in[0].bytes = 0;
    c.expect(CAMEO_OK, -1);
  }
  SECTION("space") {
    call c;
    c.in[0].space = CAMEO_SPACE_DEVICE;
    c.expect(invalid, 0, {CAMEO_SPACE_DEVICE});
    c.in[0].space = 77;
    c.expect(invalid, 0, {77});
    c.in[0].space = CAMEO_SPACE_PINNED;
    c.expect(CAMEO_OK, -1);
    c.in[0].space = CAMEO_SPACE_NULL;
    c.expect(invalid, 0);
  }
  SECTION("bools") {
    call c;
    c.mask[1] = 2;
    c.expect(invalid, 1, {1, 2});
  }
  SECTION("misaligned where it cannot be repacked") {
    call c;
    c.in[2].data = reinterpret_cast<char *>(c.shape) + 1;
    c.in[2].bytes = 16;
    c.expect(invalid, 2, {8});
  }
  SECTION("packed elements need half the bytes") {
    call c;
    c.in[4].bytes = 1;
    c.expect(invalid, 4, {1, 2});
  }
  SECTION("host values are looked at by check_dims") {
    call c;
    c.in[2].data = nullptr;
    CHECK(check_dims(model, c.in, 6, c.symbols).tensor == 2);
  }
}

TEST_CASE("strides", "[check]") {
  call c;
  float wide[64] = {};
  int64_t strides[] = {32, 8, 2};
  c.in[0].data = wide;
  c.in[0].strides = strides;
  SECTION("span") {
    // Last element: 1 * 32 + 2 * 8 + 3 * 2 = 54.
    c.in[0].bytes = 55 * sizeof(float);
    c.expect(CAMEO_OK, -1);
    c.in[0].bytes -= 4;
    c.expect(invalid, 0, {54 * 4, 55 * 4});
  }
  SECTION("negative") {
    c.in[0].bytes = sizeof wide;
    strides[1] = -1;
    c.expect(invalid, 0);
  }
  SECTION("overflow of the span") {
    strides[0] = INT64_MAX / 2;
    strides[1] = INT64_MAX / 2;
    c.in[0].bytes = sizeof wide;
    c.expect(invalid, 0);
  }
  SECTION("not accepted") {
    int64_t two[] = {2};
    uint8_t bytes[4] = {};
    c.in[0].strides = nullptr;
    c.in[0].bytes = sizeof wide;
    c.in[1].data = bytes;
    c.in[1].bytes = sizeof bytes;
    c.in[1].strides = two;
    c.expect(invalid, 1);
  }
  SECTION("not for packed elements") {
    int64_t two[] = {2};
    c.in[0].strides = nullptr;
    c.in[0].bytes = sizeof wide;
    c.in[4].strides = two;
    c.expect(invalid, 4);
  }
}

TEST_CASE("an absent input has the dims of its default", "[check]") {
  call c;
  c.in[4] = {};
  c.in[4].space = CAMEO_SPACE_NULL;
  c.expect(CAMEO_OK, -1);
  CHECK(c.symbols[2] == 5);
  c.in[4].space = CAMEO_SPACE_HOST;
  c.expect(invalid, 4);
}

TEST_CASE("sequences", "[check]") {
  call c;
  SECTION("item dtype") {
    c.items[0].dtype = CAMEO_INT32;
    c.expect(invalid, 5, {CAMEO_INT32, CAMEO_FLOAT});
  }
  SECTION("item data") {
    c.items[0].bytes = 15;
    c.expect(invalid, 5, {15, 16});
  }
  SECTION("empty") {
    c.in[5].bytes = 0;
    c.in[5].data = nullptr;
    c.expect(CAMEO_OK, -1);
  }
  SECTION("null with items") {
    c.in[5].data = nullptr;
    c.expect(invalid, 5);
  }
}

TEST_CASE("outputs", "[check]") {
  call c;
  int64_t bytes = 0, bound[2] = {-1, -1};
  const checked dims[] = {2};
  REQUIRE(ok(set_shape(model, c.out[0], 0, dims, 1, bytes)));
  CHECK(bytes == 8);
  CHECK(c.dims[6][0] == 2);
  const auto check = [&](int32_t k) { return check_output_memory(model, c.in, c.out, k, bound); };
  SECTION("right") {
    CHECK(check(0).code == CAMEO_OK);
    CHECK(bound[0] == 8);
  }
  SECTION("too small names the bytes") {
    c.out[0].bytes = 7;
    const status s = check(0);
    CHECK(s.code == invalid);
    CHECK(s.tensor == 6);
    CHECK(s.values[0] == 7);
    CHECK(s.values[1] == 8);
  }
  SECTION("over an input") {
    float memory[26];
    c.in[0].data = memory;
    c.out[0].data = memory + 23;
    c.out[0].bytes = 8;
    const status s = check(0);
    CHECK(s.code == invalid);
    CHECK(s.tensor == 6);
    CHECK(s.values[0] == 0);
    c.out[0].data = memory + 24; // just behind it
    CHECK(check(0).code == CAMEO_OK);
  }
  SECTION("over another output") {
    c.out[1].data = c.y + 1;
    c.out[1].bytes = 8;
    CHECK(check(0).code == CAMEO_OK);
    CHECK(check(1).code == invalid);
  }
  SECTION("an alias may lie where its input does, all of it, nowhere else") {
    const checked all[] = {24};
    c.out[1].data = c.image;
    c.out[1].bytes = sizeof c.image;
    REQUIRE(ok(set_shape(model, c.out[1], 1, all, 1, bytes)));
    CHECK(check(1).code == CAMEO_OK);
    const int64_t reversed[] = {1, 2, 6};
    c.in[0].strides = reversed;
    CHECK(check(1).code == invalid);
    c.in[0].strides = nullptr;
    const checked part[] = {23};
    REQUIRE(ok(set_shape(model, c.out[1], 1, part, 1, bytes)));
    CHECK(check(1).code == invalid);
    c.out[1].data = c.image + 1;
    CHECK(check(1).code == invalid);
    REQUIRE(ok(set_shape(model, c.out[0], 0, all, 1, bytes)));
    c.out[0].data = c.image;
    c.out[0].bytes = sizeof c.image;
    CHECK(check(0).code == invalid);
  }
  SECTION("stride 0 would write an element twice") {
    const int64_t zero[] = {0};
    c.out[0].strides = zero;
    CHECK(check(0).code == invalid);
  }
  SECTION("strides keep elements apart, in any order of the dims") {
    int64_t dims3[] = {2, 3, 4};
    float memory[64];
    cameo_tensor &t = c.out[0];
    t.dims = dims3;
    t.rank = 3;
    t.data = memory;
    t.bytes = sizeof memory;
    const auto with = [&](int64_t a, int64_t b, int64_t d) {
      const int64_t strides[] = {a, b, d};
      t.strides = strides;
      return check(0);
    };
    CHECK(with(15, 5, 1).code == CAMEO_OK);
    CHECK(with(1, 2, 6).code == CAMEO_OK);
    CHECK(with(12, 1, 3).code == CAMEO_OK);
    status s = with(15, 3, 1);
    CHECK(s.code == invalid);
    CHECK(s.values[0] == 1);
    CHECK(s.values[1] == 3);
    CHECK(s.values[2] == 4);
    s = with(13, 5, 1);
    CHECK(s.code == invalid);
    CHECK(s.values[0] == 0);
    CHECK(s.values[2] == 14);
    CHECK(with(5, 5, 1).code == invalid);
    dims3[0] = 1; // where there is one, no stride matters
    CHECK(with(0, 5, 1).code == CAMEO_OK);
    dims3[1] = 0;
    CHECK(with(0, 0, 0).code == CAMEO_OK);
  }
  SECTION("shapes that do not fit") {
    const checked negative[] = {-1}, huge[] = {checked(INT64_MAX) * 2};
    CHECK(set_shape(model, c.out[0], 0, negative, 1, bytes).code == invalid);
    CHECK(set_shape(model, c.out[0], 0, huge, 1, bytes).code == invalid);
    const checked wide[] = {INT64_MAX / 2};
    CHECK(set_shape(model, c.out[0], 0, wide, 1, bytes).code == invalid);
  }
}

TEST_CASE("strided copies", "[check]") {
  float wide[60];
  std::iota(wide, wide + 60, 0.0f);
  int64_t dims[] = {2, 3, 4}, strides[] = {30, 1, 7};
  cameo_tensor t = call::bind(wide, sizeof wide, CAMEO_FLOAT, 3, dims);
  t.strides = strides;
  float dense[24];
  copy_to_dense(dense, t);
  size_t n = 0;
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j)
      for (int64_t k = 0; k < 4; ++k)
        CHECK(dense[n++] == static_cast<float>(i * 30 + j + k * 7));
  float back[60] = {};
  t.data = back;
  copy_from_dense(t, dense);
  int touched = 0;
  for (int i = 1; i < 60; ++i) {
    CHECK((back[i] == 0 || back[i] == wide[i]));
    touched += back[i] != 0;
  }
  CHECK(touched == 23);
}

TEST_CASE("sizes", "[check]") {
  const int64_t dims[] = {3, 5};
  CHECK(dense_bytes(CAMEO_FLOAT, dims, 2) == 60);
  CHECK(dense_bytes(CAMEO_FLOAT16, dims, 2) == 30);
  CHECK(dense_bytes(CAMEO_INT4, dims, 2) == 8);
  CHECK(dense_bytes(CAMEO_UINT2, dims, 2) == 4);
  CHECK(dense_bytes(CAMEO_FLOAT6E3M2, dims, 2) == 12);
  CHECK(dense_bytes(CAMEO_COMPLEX128, dims, 2) == 240);
  CHECK(dense_bytes(CAMEO_FLOAT, dims, 0) == 4);
  const int64_t zero[] = {INT64_MAX / 4, 0, INT64_MAX};
  CHECK(dense_bytes(CAMEO_FLOAT, zero, 2) == 0);
  CHECK(dense_bytes(CAMEO_FLOAT, zero, 3) == -1);
  const int64_t huge[] = {INT64_MAX / 4};
  CHECK(dense_bytes(CAMEO_FLOAT, huge, 1) > 0);
  CHECK(dense_bytes(CAMEO_DOUBLE, huge, 1) == -1);
}

TEST_CASE("statuses as text", "[format]") {
  char text[200];
  const auto format = [&](const status &s, const cameo_model *m) {
    cameo_format(&s, m, text, sizeof text);
    return std::string(text);
  };
  CHECK(format(error_dim(0, 2, 5, 4), &model) ==
        "INVALID_ARGUMENT: input \"image\": dimension 2 is 5, need 4");
  CHECK(format(error_dim(0, 2, 5, 4), nullptr) ==
        "INVALID_ARGUMENT: tensor 0: dimension 2 is 5, need 4");
  CHECK(format(error_dtype(6, CAMEO_INT4, CAMEO_FLOAT), &model) ==
        "INVALID_ARGUMENT: output \"y\": element type is int4, need float32");
  CHECK(format(error_symbol(1, 0, 1, INT64_MIN, 0), &model) ==
        "INVALID_ARGUMENT: input \"mask\": dimension 0 is 1, but N is -9223372036854775808 in an "
        "earlier place");
  CHECK(format(error_overlap(6, 0), &model) ==
        "INVALID_ARGUMENT: output \"y\": memory overlaps that of input \"image\"");
  CHECK(format(error_kind(5, 0, 1), &model) ==
        "INVALID_ARGUMENT: input \"list\": kind is tensor, need sequence");
  CHECK(format(error_space(0, 2), &model) ==
        "INVALID_ARGUMENT: input \"image\": device memory cannot be bound here");
  fault_slot fault;
  fault.code = CAMEO_OUT_OF_RANGE;
  fault.fault_node = 3;
  fault.got = -7;
  fault.limit = 5;
  CHECK(format(error_value(fault), &model) ==
        "OUT_OF_RANGE: node 3: value -7 is out of range of 5");
  CHECK(format(success(), &model) == "OK: ok");
  // Cut short, always terminated, full length returned.
  const status s = success();
  CHECK(cameo_format(&s, nullptr, text, 4) == 6);
  CHECK(std::string(text) == "OK:");
  CHECK(cameo_format(&s, nullptr, nullptr, 0) == 6);
  // Model text is escaped.
  cameo_port evil = inputs[0];
  evil.name = "a\"\n\x1b[31m\xe2\x80\xae";
  cameo_model m = model;
  m.inputs = &evil;
  CHECK(format(error_null_data(0), &m) ==
        "INVALID_ARGUMENT: input \"a\\x22\\x0a\\x1b[31m\\xe2\\x80\\xae\": data is null");
  CHECK(std::string(cameo_code_name(99)) == "unknown");
  CHECK(std::string(cameo_dtype_name(-1)) == "unknown");
  CHECK(cameo_dtype_bits(1000) == 0);
}

TEST_CASE("a port's alignment is held against the memory", "[check]") {
  cameo_model m = make_model();
  m.inputs = m.outputs = strict;
  m.input_count = m.output_count = 1;
  alignas(32) float memory[32] = {};
  int64_t dims[1] = {2}, bound[1] = {-1};
  for (int at = 0; at < 16; ++at) {
    cameo_tensor in = call::bind(memory + at, 8, CAMEO_FLOAT, 1, dims),
                 out = call::bind(memory + 16 + at, 8, CAMEO_FLOAT, 1, dims);
    const int32_t code = at % 8 == 0 ? CAMEO_OK : CAMEO_INVALID_ARGUMENT;
    const status read = check_data(m, &in, 0),
                 written = check_output_memory(m, &in, &out, 0, bound);
    CHECK(read.code == code);
    CHECK(written.code == code);
    if (code != CAMEO_OK) {
      CHECK(read.values[0] == 32);
      CHECK(written.tensor == 1);
    }
  }
}
