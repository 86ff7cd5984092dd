// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors by DLPack: its structs as its specification has them, on plain memory.
#include "cameo/dlpack.h"

#include <catch2/catch.hpp>

namespace {

// DLPack 1.1: https://dmlc.github.io/dlpack/latest/c_api.html
enum DLDeviceType : int32_t { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLCUDAManaged = 13 };
struct DLDevice {
  DLDeviceType device_type;
  int32_t device_id;
};
struct DLDataType {
  uint8_t code, bits;
  uint16_t lanes;
};
struct DLTensor {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
};

constexpr DLDataType float32 = {2, 32, 1};

} // namespace

TEST_CASE("a dense tensor of another framework", "[dlpack]") {
  float data[12] = {};
  int64_t shape[] = {2, 5};
  const DLTensor theirs = {data, {kDLCPU, 0}, 2, float32, shape, nullptr, 8};
  cameo::tensor ours;
  REQUIRE(cameo::from_dlpack(theirs, ours));
  const cameo_tensor c = ours.c();
  CHECK(c.data == data + 2);
  CHECK(c.bytes == 40);
  CHECK(c.dtype == CAMEO_FLOAT);
  CHECK(c.space == CAMEO_SPACE_HOST);
  CHECK(c.rank == 2);
  CHECK((c.dims[0] == 2 && c.dims[1] == 5));
  CHECK(c.strides == nullptr);
}

TEST_CASE("strides are kept, and bytes reach to the last element", "[dlpack]") {
  double data[40] = {};
  int64_t shape[] = {3, 4}, strides[] = {10, 2};
  DLTensor theirs = {data, {kDLCUDA, 0}, 2, {2, 64, 1}, shape, strides, 0};
  cameo::tensor ours;
  REQUIRE(cameo::from_dlpack(theirs, ours));
  cameo::tensor copy = ours;
  const cameo_tensor c = copy.c();
  CHECK(c.space == CAMEO_SPACE_DEVICE);
  CHECK(c.bytes == 8 * (2 * 10 + 3 * 2 + 1));
  REQUIRE(c.strides != nullptr);
  CHECK((c.strides[0] == 10 && c.strides[1] == 2));
  shape[0] = 0;
  REQUIRE(cameo::from_dlpack(theirs, ours));
  CHECK(ours.bytes() == 0);
}

TEST_CASE("element types and memory", "[dlpack]") {
  char data[64] = {};
  int64_t shape[] = {5};
  cameo::tensor ours;
  const auto dtype = [&](uint8_t code, uint8_t bits) {
    const DLTensor theirs = {data, {kDLCUDAHost, 0}, 1, {code, bits, 1}, shape, nullptr, 0};
    return cameo::from_dlpack(theirs, ours) ? ours.c().dtype : 0;
  };
  CHECK(dtype(0, 64) == CAMEO_INT64);
  CHECK(ours.c().space == CAMEO_SPACE_PINNED);
  CHECK(dtype(1, 8) == CAMEO_UINT8);
  CHECK(dtype(2, 16) == CAMEO_FLOAT16);
  CHECK(dtype(4, 16) == CAMEO_BFLOAT16);
  CHECK(dtype(6, 8) == CAMEO_BOOL);
  CHECK(dtype(10, 8) == CAMEO_FLOAT8E4M3FN);
  CHECK(dtype(17, 4) == CAMEO_FLOAT4E2M1);
  CHECK(ours.bytes() == 3); // five of four bits
  CHECK(dtype(0, 128) == 0);
  CHECK(dtype(7, 8) == 0);
  CHECK(ours.c().dtype == CAMEO_FLOAT4E2M1); // as it was
}

TEST_CASE("what no model can read is refused", "[dlpack]") {
  float data[8] = {};
  int64_t shape[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, backwards[] = {-1};
  const DLTensor good = {data, {kDLCPU, 0}, 1, float32, shape, nullptr, 0};
  cameo::tensor ours;
  const auto refused = [&](auto change) {
    DLTensor bad = good;
    change(bad);
    return !cameo::from_dlpack(bad, ours);
  };
  CHECK_FALSE(refused([](DLTensor &) {}));
  CHECK(refused([](DLTensor &t) { t.dtype.lanes = 4; }));
  CHECK(refused([](DLTensor &t) { t.device.device_type = static_cast<DLDeviceType>(7); }));
  CHECK(refused([](DLTensor &t) { t.ndim = 9; }));
  CHECK(refused([&](DLTensor &t) { t.strides = backwards; }));
  int64_t huge[] = {INT64_MAX, INT64_MAX};
  CHECK(refused([&](DLTensor &t) {
    t.shape = huge;
    t.ndim = 2;
  }));
}
