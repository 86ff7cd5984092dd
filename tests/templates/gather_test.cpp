// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather, gather_elements, gather_nd and their scatter counterparts: negative and out-of-range
// indices, repeated targets in order, scalars and empty tensors.
#include "machine.h"

#include CAMEO_TEMPLATE(gather.h)
#include CAMEO_TEMPLATE(scatter.h)

namespace cameo::test {
namespace {

struct gather_params { // data [2][7][5], indices [3]
  static constexpr int outer_rank = 1, index_rank = 1, inner_rank = 1;
  int64_t outer[1] = {2}, index[1] = {3}, inner[1] = {5};
  static constexpr int64_t axis_extent = 7;
};
struct scalar_gather_params { // data [7], a scalar index
  static constexpr int outer_rank = 0, index_rank = 0, inner_rank = 0;
  int64_t axis_extent;
};

template <class T, class I> void check_gather(const std::vector<I> &indices, int32_t code) {
  random_values random(1);
  const std::vector<T> x = random.vector<T>(70);
  machine mach;
  array<T> data(mach, x), out(mach, 30);
  array<I> chosen(mach, indices);
  mach.run([&](exec &e) {
    gather(e, gather_params{}, data.data(), chosen.data(),
           dense_store<T, 3>{out, index<3>{{2, 3, 5}}});
  });
  const std::vector<T> got = out.values();
  for (int64_t i = 0; i < 30; ++i) {
    int64_t at = static_cast<int64_t>(indices[static_cast<size_t>(i / 5 % 3)]);
    at = at < 0 ? at + 7 : at;
    const T want = at >= 0 && at < 7 ? x[static_cast<size_t>((i / 15 * 7 + at) * 5 + i % 5)] : T{};
    CHECK(same(got[static_cast<size_t>(i)], want));
  }
  CHECK(mach.code() == code);
}

TEST_CASE("gather") {
  check_gather<float, int64_t>({6, 0, -7}, CAMEO_OK);
  check_gather<int8_t, int32_t>({-1, 3, 3}, CAMEO_OK);
  check_gather<half, int64_t>({1, 7, 2}, CAMEO_OUT_OF_RANGE);
  check_gather<double, int64_t>({1, -8, INT64_MIN}, CAMEO_OUT_OF_RANGE);
}

TEST_CASE("gather names the index that is out of range") {
  machine mach;
  array<float> data(mach, std::vector<float>{1, 2, 3}), out(mach, 1);
  array<int64_t> at(mach, std::vector<int64_t>{-4});
  mach.run([&](exec &e) {
    gather(e, scalar_gather_params{3}, data.data(), at.data(), dense_store<float, 0>{out, {}});
  });
  CHECK(out.values() == std::vector<float>{0});
  CHECK(mach.code() == CAMEO_OUT_OF_RANGE);
  CHECK(mach.got() == -4);
  CHECK(mach.limit() == 3);
}

TEST_CASE("gather from an empty axis") {
  machine mach;
  array<float> data(mach, std::vector<float>{}), out(mach, 1);
  array<int64_t> at(mach, std::vector<int64_t>{0});
  mach.run([&](exec &e) {
    gather(e, scalar_gather_params{0}, data.data(), at.data(), dense_store<float, 0>{out, {}});
  });
  CHECK(out.values() == std::vector<float>{0});
  CHECK(mach.code() == CAMEO_OUT_OF_RANGE);
}

struct elements_params {
  static constexpr int rank = 3;
  int64_t data_dims[3] = {4, 5, 6};
  int64_t index_dims[3] = {3, 8, 6};
  static constexpr int64_t axis = 1;
};

std::vector<int64_t> random_indices(int64_t count, int64_t extent) {
  random_values random(13);
  std::vector<int64_t> v;
  for (int64_t i = 0; i < count; ++i)
    v.push_back(random.below(2 * extent) - extent);
  return v;
}

/// Position in data that an index element (i) refers to.
int64_t element_target(const std::vector<int64_t> &indices, int64_t i) {
  const int64_t given = indices[static_cast<size_t>(i)], at = given < 0 ? given + 5 : given;
  return (i / 48 * 5 + at) * 6 + i % 6;
}

TEST_CASE("gather_elements") {
  random_values random(2);
  const std::vector<float> x = random.vector<float>(120);
  std::vector<int64_t> indices = random_indices(144, 5);
  for (bool bad : {false, true}) {
    if (bad)
      indices[17] = 5;
    machine mach;
    array<float> data(mach, x), out(mach, 144);
    array<int64_t> chosen(mach, indices);
    mach.run([&](exec &e) {
      gather_elements(e, elements_params{}, data.data(), chosen.data(),
                      dense_store<float, 3>{out, index<3>{{3, 8, 6}}});
    });
    const std::vector<float> got = out.values();
    for (int64_t i = 0; i < 144; ++i)
      CHECK(got[static_cast<size_t>(i)] ==
            (bad && i == 17 ? 0.0f : x[static_cast<size_t>(element_target(indices, i))]));
    CHECK(mach.code() == (bad ? CAMEO_OUT_OF_RANGE : CAMEO_OK));
  }
}

struct any_axis_params {
  static constexpr int rank = 2;
  int64_t data_dims[2], index_dims[2];
  int64_t axis;
};

template <class T, class I>
void check_elements(const any_axis_params &p, const std::vector<I> &indices, int64_t bad) {
  const std::vector<T> x = random_values(2).vector<T>(p.data_dims[0] * p.data_dims[1]);
  const index<2> extents{{p.index_dims[0], p.index_dims[1]}};
  const int64_t extent = p.data_dims[p.axis];
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> data(mach, x), out(mach, volume(extents));
    array<I> chosen(mach, indices);
    mach.run([&](exec &e) {
      gather_elements(e, p, data.data(), chosen.data(), dense_store<T, 2>{out, extents});
    });
    const std::vector<T> got = out.values();
    for (int64_t i = 0; i < volume(extents); ++i) {
      index<2> from{{i / extents[1], i % extents[1]}};
      const auto given = static_cast<int64_t>(indices[static_cast<size_t>(i)]);
      from[static_cast<int>(p.axis)] = given < 0 ? given + extent : given;
      const T want = i == bad ? T{} : x[static_cast<size_t>(from[0] * p.data_dims[1] + from[1])];
      CHECK(got[static_cast<size_t>(i)] == want);
    }
    CHECK(mach.code() == (bad >= 0 ? CAMEO_OUT_OF_RANGE : CAMEO_OK));
    if (bad >= 0)
      CHECK(mach.got() == static_cast<int64_t>(indices[static_cast<size_t>(bad)]));
  }
}

TEST_CASE("gather_elements along each axis, with every index that there is not") {
  for (int64_t axis : {0, 1})
    for (int64_t length : {0, 1, 63, 64, 65, 150}) {
      any_axis_params p{{5, 170}, {3, length}, axis};
      p.data_dims[axis] = 7;
      p.data_dims[1 - axis] = axis == 0 ? 170 : 3;
      std::vector<int64_t> indices = random_indices(3 * length, 7);
      check_elements<float>(p, indices, -1);
      check_elements<int64_t>(p, std::vector<int32_t>(indices.begin(), indices.end()), -1);
      if (length == 0)
        continue;
      for (int64_t not_there : {int64_t{7}, int64_t{-8}, INT64_MAX, INT64_MIN}) {
        indices.back() = not_there;
        check_elements<float>(p, indices, 3 * length - 1);
      }
    }
}

template <scatter_reduction RED, class T> T combined(T old, T update) {
  return RED == scatter_reduction::none  ? update
         : RED == scatter_reduction::add ? add(old, update)
         : RED == scatter_reduction::mul ? mul(old, update)
         : RED == scatter_reduction::max ? max(old, update)
                                         : min(old, update);
}

template <scatter_reduction RED, class T> void check_scatter_elements() {
  random_values random(3);
  const std::vector<T> data = random.vector<T>(120), updates = random.vector<T>(144);
  std::vector<int64_t> indices = random_indices(144, 5);
  indices[20] = -6;
  std::vector<T> want = data;
  for (int64_t i = 0; i < 144; ++i)
    if (i != 20) {
      T &target = want[static_cast<size_t>(element_target(indices, i))];
      target = combined<RED>(target, updates[static_cast<size_t>(i)]);
    }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> out(mach, data), source(mach, updates);
    array<int64_t> chosen(mach, indices);
    mach.run([&](exec &e) {
      scatter_elements<RED>(e, elements_params{}, chosen.data(), source.data(), out.data());
    });
    CHECK(out.values() == want);
    CHECK(mach.code() == CAMEO_OUT_OF_RANGE);
    CHECK(mach.got() == -6);
  }
}

TEST_CASE("scatter_elements applies repeated updates in order") {
  check_scatter_elements<scatter_reduction::none, float>();
  check_scatter_elements<scatter_reduction::add, float>();
  check_scatter_elements<scatter_reduction::mul, double>();
  check_scatter_elements<scatter_reduction::max, int8_t>();
  check_scatter_elements<scatter_reduction::min, int64_t>();
}

struct gather_nd_params { // data [2][3][4][5], indices [2][6][2]: batch 2, tuples over [3][4]
  static constexpr int batch_rank = 1, index_rank = 1, tuple = 2, inner_rank = 1;
  int64_t batch[1] = {2}, index[1] = {6}, axes[2] = {3, 4}, inner[1] = {5};
};

TEST_CASE("gather_nd with batch dims") {
  random_values random(4);
  const std::vector<int32_t> x = random.vector<int32_t>(120);
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < 12; ++i) {
    indices.push_back(random.below(6) - 3);
    indices.push_back(random.below(8) - 4);
  }
  indices[9] = 4;
  machine mach;
  array<int32_t> data(mach, x), out(mach, 60);
  array<int64_t> chosen(mach, indices);
  mach.run([&](exec &e) {
    gather_nd(e, gather_nd_params{}, data.data(), chosen.data(),
              dense_store<int32_t, 3>{out, index<3>{{2, 6, 5}}});
  });
  const std::vector<int32_t> got = out.values();
  for (int64_t i = 0; i < 60; ++i) {
    const int64_t tuple = i / 5, a = indices[static_cast<size_t>(2 * tuple)],
                  b = indices[static_cast<size_t>(2 * tuple + 1)];
    const int64_t at = ((i / 30 * 3 + (a < 0 ? a + 3 : a)) * 4 + (b < 0 ? b + 4 : b)) * 5 + i % 5;
    CHECK(got[static_cast<size_t>(i)] == (tuple == 4 ? 0 : x[static_cast<size_t>(at)]));
  }
  CHECK(mach.code() == CAMEO_OUT_OF_RANGE);
  CHECK(mach.got() == 4);
  CHECK(mach.limit() == 4);
}

struct scatter_nd_params { // out [3][4][inner]
  static constexpr int index_rank = 2, tuple = 2;
  int64_t index[2], axes[2] = {3, 4}, inner;
};

template <scatter_reduction RED, class T> void check_scatter_nd(int64_t tuples, int64_t inner) {
  random_values random(5);
  const std::vector<T> data = random.vector<T>(12 * inner),
                       updates = random.vector<T>(2 * tuples * inner);
  std::vector<int64_t> indices;
  std::vector<T> want = data;
  for (int64_t t = 0; t < 2 * tuples; ++t) {
    const int64_t a = t == 3 ? 3 : random.below(6) - 3, b = random.below(8) - 4;
    indices.push_back(a);
    indices.push_back(b);
    for (int64_t j = 0; j < inner && t != 3; ++j) {
      T &target =
          want[static_cast<size_t>(((a < 0 ? a + 3 : a) * 4 + (b < 0 ? b + 4 : b)) * inner + j)];
      target = combined<RED>(target, updates[static_cast<size_t>(t * inner + j)]);
    }
  }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> out(mach, data), source(mach, updates);
    array<int64_t> chosen(mach, indices);
    scatter_nd_params p{{2, tuples}, {3, 4}, inner};
    mach.run([&](exec &e) { scatter_nd<RED>(e, p, chosen.data(), source.data(), out.data()); });
    CHECK(out.values() == want);
    CHECK(mach.code() == (tuples > 1 && inner > 0 ? CAMEO_OUT_OF_RANGE : CAMEO_OK));
  }
}

TEST_CASE("scatter_nd applies repeated updates in order") {
  check_scatter_nd<scatter_reduction::none, float>(20, 7);
  check_scatter_nd<scatter_reduction::add, float>(40, 1);
  check_scatter_nd<scatter_reduction::add, float>(30, 700);
  check_scatter_nd<scatter_reduction::mul, int32_t>(20, 3);
  check_scatter_nd<scatter_reduction::max, double>(1, 5);
  check_scatter_nd<scatter_reduction::min, uint8_t>(20, 2);
  check_scatter_nd<scatter_reduction::none, float>(0, 2);
  check_scatter_nd<scatter_reduction::none, float>(4, 0);
}

struct tensor_scatter_params { // a cache [batch][3][5][inner], of which `fresh` positions come
  static constexpr int rank = 4;
  int64_t data_dims[4], shape[4];
  int64_t axis;
};

/// Where the position `offset` behind `begin` is; -1 for nowhere.
template <scatter_mode MODE> int64_t position_of(int64_t begin, int64_t offset, int64_t extent) {
  if (MODE == scatter_mode::circular)
    return ((begin + offset) % extent + extent) % extent;
  return begin >= 0 && begin < extent - offset ? begin + offset : -1;
}

template <scatter_mode MODE> void check_tensor_scatter(int axis, std::vector<int64_t> begins) {
  random_values random(6);
  const auto batch = static_cast<int64_t>(begins.size());
  tensor_scatter_params p{{batch, 3, 5, 4}, {batch, 3, 5, 4}, axis};
  p.shape[axis] = 2;
  const index<4> cache = data_dims_of<4>(p), shape = shape_of<4>(p);
  const std::vector<float> data = random.vector<float>(volume(cache)),
                           updates = random.vector<float>(volume(shape));
  std::vector<float> want = data;
  bool outside = false;
  for (int64_t i = 0; i < volume(shape); ++i) {
    index<4> at = unflatten(i, shape);
    at[axis] = position_of<MODE>(begins[static_cast<size_t>(at[0])], at[axis], cache[axis]);
    outside = outside || at[axis] < 0;
    if (at[axis] >= 0)
      want[static_cast<size_t>(flatten(at, cache))] = updates[static_cast<size_t>(i)];
  }
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<float> out(mach, data), source(mach, updates);
    array<int64_t> first(mach, begins);
    mach.run([&](exec &e) {
      tensor_scatter<MODE>(e, p, first.data(), out.data(), dense_load<float, 4>{source, shape});
    });
    CHECK(out.values() == want);
    CHECK(mach.code() == (outside ? CAMEO_OUT_OF_RANGE : CAMEO_OK));
  }
}

TEST_CASE("tensor_scatter writes behind the positions of each entry") {
  for (int axis : {1, 2, 3}) {
    check_tensor_scatter<scatter_mode::linear>(axis, {0, 1});
    check_tensor_scatter<scatter_mode::linear>(axis, {1, -1, INT64_MAX, INT64_MIN, 7});
    check_tensor_scatter<scatter_mode::circular>(axis, {2, 4, -1, -13, 1000});
  }
}

TEST_CASE("tensor_scatter without positions begins at the front") {
  machine mach;
  const tensor_scatter_params p{{1, 2, 3, 1}, {1, 2, 2, 1}, 2};
  array<int32_t> out(mach, std::vector<int32_t>{1, 2, 3, 4, 5, 6}),
      source(mach, std::vector<int32_t>{10, 20, 30, 40});
  mach.run([&](exec &e) {
    tensor_scatter<scatter_mode::linear>(e, p, static_cast<const int64_t *>(nullptr), out.data(),
                                         dense_load<int32_t, 4>{source, shape_of<4>(p)});
  });
  CHECK(out.values() == std::vector<int32_t>{10, 20, 3, 30, 40, 6});
  CHECK(mach.code() == CAMEO_OK);
}

} // namespace
} // namespace cameo::test
