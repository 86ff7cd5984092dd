// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Outputs at strides of the caller's: written in place where the model's kernel can, else repacked
// once on their side; what would lay elements over one another, or has no extents yet, is refused.
#include "calls.h"

namespace cameo::gen::negated {

using namespace cameo::cuda;

namespace {

/// y[n, m] = -x, as the compiler writes it with --strided-outputs; row r of y begins at r * stride.
CAMEO_KERNEL void negate(const float *x, float *y, int64_t n, int64_t m, int64_t stride) {
  for (int64_t i = grid_thread(); i < n * m; i += grid_threads())
    y[i / m * stride + i % m] = -x[i];
}

constexpr cameo_dim dims[] = {{CAMEO_DIM_SYMBOL, 0, 0, INT64_MAX, "n"},
                              {CAMEO_DIM_SYMBOL, 1, 0, INT64_MAX, "m"}};
constexpr cameo_dim counted_dims[] = {{CAMEO_DIM_SYMBOL, 0, 0, INT64_MAX, "n"},
                                      {CAMEO_DIM_BOUNDED, -1, 0, INT64_MAX, "count"}};
constexpr cameo_port port_of(const char *name, int32_t flags, const cameo_dim *of) {
  cameo_port p = scaled::port_of(name, 1);
  p.rank = 2;
  p.dims = of;
  p.flags = flags;
  return p;
}
constexpr cameo_port inputs[] = {port_of("x", 0, dims)};
constexpr cameo_port strided[] = {port_of("y", CAMEO_PORT_STRIDED, dims)};
constexpr cameo_port dense[] = {port_of("y", 0, dims)};
constexpr cameo_port counted[] = {port_of("y", 0, counted_dims)};
const char *const symbols[] = {"n", "m"};

template <const cameo_model &MODEL>
status generated(context &c, const cameo_tensor *in, cameo_tensor *out) {
  int64_t s[2] = {};
  CAMEO_TRY(check_dims(MODEL, in, 1, s));
  CAMEO_TRY(c.plan(0));
  const float *x = c.input<float>(in[0]);
  float *y = c.output<float>(out[0], {s[0], s[1]});
  CAMEO_TRY(c.ready());
  const int64_t stride = c.stride(out[0], 0), n = s[0], m = s[1];
  const access_scope scope(c.compute, "negate",
                           {read(x, n * m * 4), write(y, (n * stride - stride + m) * 4)});
  if (n * m > 0)
    c.compute.launch(negate, dim3(2), dim3(32), 0, x, y, n, m, stride);
  return c.done();
}

template <const cameo_model &MODEL> cameo_model model_of(const cameo_port *outputs) {
  cameo_model m = scaled::model;
  m.name = "negated";
  m.symbol_count = 2;
  m.symbols = symbols;
  m.inputs = inputs;
  m.outputs = outputs;
  m.weights = {};
  scaled::set_calls<MODEL, generated<MODEL>>(m);
  return m;
}
extern const cameo_model in_place, repacked, uncounted;
const cameo_model in_place = model_of<in_place>(strided);
const cameo_model repacked = model_of<repacked>(dense);
const cameo_model uncounted = model_of<uncounted>(counted);

} // namespace
} // namespace cameo::gen::negated

using namespace calls;

namespace {

constexpr int64_t rows = 5, columns = 7;

/// An output of `rows` by `columns`, its memory full of -1.
struct padded {
  vector_in memory;
  int64_t dims[2] = {rows, columns}, strides[2];
  cameo_tensor tensor;

  padded(int32_t space, int64_t row, int64_t column)
      : memory(space, std::vector<float>(100, -1.0f)), strides{row, column}, tensor(memory.tensor) {
    tensor.dims = dims;
    tensor.strides = strides;
    tensor.rank = 2;
  }
  bool is_right() {
    std::vector<float> want(100, -1.0f);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t k = 0; k < columns; ++k)
        want[static_cast<size_t>(r * strides[0] + k * strides[1])] =
            -static_cast<float>(r * columns + k);
    return memory.values() == want;
  }
};

struct input {
  vector_in memory{CAMEO_SPACE_DEVICE, ramp(rows *columns)};
  int64_t dims[2] = {rows, columns};
  cameo_tensor tensor = memory.tensor;
  input() {
    tensor.dims = dims;
    tensor.rank = 2;
  }
};

/// Runs it and gives how often an output was repacked.
int64_t run(const owner &o, padded &y) {
  input x;
  well(o.m.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr));
  well(cameo_finish(o.c));
  CHECK(y.is_right());
  float fetched[rows * columns];
  well(cameo_fetch(o.c, 0, fetched, sizeof fetched));
  for (int64_t i = 0; i < rows * columns; ++i)
    CHECK(fetched[i] == -static_cast<float>(i));
  CHECK(o.counters().d2h == 0);
  return o.counters().repacks;
}

} // namespace

TEST_CASE("a kernel that can writes padded rows in place", "[strides]") {
  owner o(cameo::gen::negated::in_place), other(cameo::gen::negated::repacked);
  for (int32_t space = 0; space < 4; ++space) {
    INFO(space);
    const bool on_device = space >= CAMEO_SPACE_DEVICE;
    padded y(space, 9, 1), z(space, 9, 1), dense(space, columns, 1), column(space, 1, rows + 1);
    CHECK(run(o, y) == (on_device ? 0 : 1));
    CHECK(run(other, z) == 1);
    CHECK(run(o, dense) == 0);
    CHECK(run(o, column) == 1); // its last stride is not 1
  }
}

TEST_CASE("strides change from run to run", "[strides]") {
  owner o(cameo::gen::negated::in_place);
  for (int64_t row : {9, 7, 12, 7, 8}) {
    padded y(CAMEO_SPACE_DEVICE, row, 1);
    CHECK(run(o, y) == 0);
  }
}

TEST_CASE("strides that are wrong are refused, and the run with them", "[strides]") {
  owner o(cameo::gen::negated::in_place);
  input x;
  const auto refused = [&](padded &y) {
    const cameo_status s = o.m.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr);
    CHECK(s.code == CAMEO_INVALID_ARGUMENT);
    CHECK(s.tensor == 1);
    return text_of(s, o.m);
  };
  padded over(CAMEO_SPACE_DEVICE, 6, 1), twice(CAMEO_SPACE_DEVICE, 0, 1),
      back(CAMEO_SPACE_DEVICE, 9, -1), small(CAMEO_SPACE_DEVICE, 9, 1);
  CHECK(refused(over).find("stride 6 of dimension 0 lays elements over one another, need 7") !=
        std::string::npos);
  CHECK(refused(twice).find("stride 0 of dimension 0") != std::string::npos);
  CHECK(refused(back).find("negative") != std::string::npos);
  small.tensor.bytes = (9 * 4 + 7) * 4 - 1;
  CHECK(refused(small).find("has 171 bytes, need 172") != std::string::npos);
  padded right(CAMEO_SPACE_DEVICE, 9, 1);
  CHECK(run(o, right) == 0);
}

TEST_CASE("the device does not scatter by an extent that it has counted", "[strides]") {
  owner o(cameo::gen::negated::uncounted);
  input x;
  padded y(CAMEO_SPACE_DEVICE, 9, 1), z(CAMEO_SPACE_HOST, 9, 1);
  const cameo_status s = o.m.run(o.c, &x.tensor, 1, &y.tensor, 1, nullptr);
  CHECK(s.code == CAMEO_INVALID_ARGUMENT);
  CHECK(text_of(s, o.m).find("dimension 1 is counted") != std::string::npos);
  CHECK(run(o, z) == 1);
}
