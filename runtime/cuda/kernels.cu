// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime's own kernels: the repack of strided tensors, the upload of what is small enough to
// be a launch's argument, and the choice of a branch. They double as the probe for whether the
// build has code for a device, being compiled for the same list of architectures as a model's.
#include "cameo/gen.h"
#include "device_state.h"

#if defined(__CUDACC__)
#define CAMEO_KERNEL __global__
#else
#define CAMEO_KERNEL
#endif

namespace cameo::cuda {
namespace {

#if defined(__CUDACC__)
__device__ int64_t grid_thread() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ int64_t grid_threads() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }
#else
int64_t grid_thread() {
  return static_cast<int64_t>(emu::self->block->index.x) * emu::block_size.x + emu::self->index.x;
}
int64_t grid_threads() { return static_cast<int64_t>(emu::grid_size.x) * emu::block_size.x; }
#endif

struct strided_shape {
  int32_t rank;
  int64_t dims[CAMEO_MAX_RANK];
  int64_t strides[CAMEO_MAX_RANK];
};

CAMEO_KERNEL void decide(const bool *condition, api::conditional_handle handle) {
  if (grid_thread() == 0)
    api::set_conditional(handle, *condition);
}

/// Alone on its stream, so the slot needs no lock.
CAMEO_KERNEL void go_on(const bool *condition, repeated_loop loop, const error_slot *raised,
                        error_flag flag) {
  if (grid_thread() != 0)
    return;
  const int64_t trips = *loop.trips;
  const bool failed = raised->code != CAMEO_OK && raised->kernel >= loop.first;
  bool again = *condition && trips < loop.most && !failed;
  if (again && trips >= loop.limit) {
    if (flag.slot->code == CAMEO_OK)
      *flag.slot = {0, CAMEO_LIMIT, flag.kernel, flag.node, trips + 1, loop.limit};
    again = false;
  }
  if (loop.goes_on != nullptr)
    *loop.goes_on = again;
  else
    api::set_conditional(loop.handle, again);
}

struct alignas(16) word16 {
  uint64_t low, high;
};

template <class WORD, bool GATHER>
CAMEO_KERNEL void repack(void *strided, void *dense, int64_t count, strided_shape shape) {
  auto *scattered = static_cast<WORD *>(strided);
  auto *row = static_cast<WORD *>(dense);
  for (int64_t i = grid_thread(); i < count; i += grid_threads()) {
    int64_t rest = i, offset = 0;
    for (int32_t d = shape.rank - 1; d >= 0; --d) {
      offset += rest % shape.dims[d] * shape.strides[d];
      rest /= shape.dims[d];
    }
    if constexpr (GATHER)
      row[i] = scattered[offset];
    else
      scattered[offset] = row[i];
  }
}

struct argument_bytes {
  unsigned char values[CAMEO_LAUNCH_UPLOAD_BYTES];
};

CAMEO_KERNEL void store_argument(unsigned char *target, int64_t bytes, argument_bytes source) {
  for (int64_t i = grid_thread(); i < bytes; i += grid_threads())
    target[i] = source.values[i];
}

/// One type for all of them, so that their launch is one.
using repack_kernel = void (*)(void *strided, void *dense, int64_t count, strided_shape shape);

template <class WORD> repack_kernel repack_of(bool gather) {
  return gather ? repack<WORD, true> : repack<WORD, false>;
}

repack_kernel repack_of(int32_t element_bytes, bool gather) {
  switch (element_bytes) {
  case 1:
    return repack_of<uint8_t>(gather);
  case 2:
    return repack_of<uint16_t>(gather);
  case 4:
    return repack_of<uint32_t>(gather);
  case 8:
    return repack_of<uint64_t>(gather);
  default:
    return repack_of<word16>(gather);
  }
}

} // namespace

api::error probe_kernels() {
  return api::probe(reinterpret_cast<const void *>(repack<uint8_t, true>));
}

void launch_decide(exec &e, const bool *condition, api::conditional_handle handle) {
  const access_scope scope(e, "decide", {read(condition, sizeof(bool))});
  e.launch(decide, dim3(1), dim3(1), 0, condition, handle);
}

void launch_again(exec &e, const bool *condition, const repeated_loop &loop) {
  const access_scope scope(e, "go_on",
                           {read(condition, sizeof(bool)), read(loop.trips, sizeof(*loop.trips)),
                            write(loop.goes_on, sizeof(bool))});
  const error_flag flag = loop.most > loop.limit ? e.flag() : error_flag{};
  e.launch(go_on, dim3(1), dim3(1), 0, condition, loop, e.state().slot, flag);
}

void launch_repack(exec &e, const cameo_tensor &strided, void *dense, bool gather) {
  int64_t count = element_count(strided);
  int32_t element_bytes = cameo_dtype_bits(strided.dtype) / 8;
  strided_shape shape{};
  if (is_dense(strided)) { // repacked for its alignment: a row, of bytes where elements are smaller
    if (element_bytes == 0) {
      element_bytes = 1;
      count = dense_bytes(strided.dtype, strided.dims, strided.rank);
    }
    shape.rank = 1;
    shape.dims[0] = count;
    shape.strides[0] = 1;
  } else {
    shape.rank = strided.rank;
    for (int32_t d = 0; d < strided.rank; ++d) {
      shape.dims[d] = strided.dims[d];
      shape.strides[d] = strided.strides[d];
    }
  }
  // An element that is not aligned to its size moves as bytes: one more, innermost, dimension.
  if (reinterpret_cast<uintptr_t>(strided.data) % static_cast<uintptr_t>(element_bytes) != 0 &&
      shape.rank < CAMEO_MAX_RANK) {
    for (int32_t d = 0; d < shape.rank; ++d)
      shape.strides[d] *= element_bytes;
    shape.dims[shape.rank] = element_bytes;
    shape.strides[shape.rank] = 1;
    ++shape.rank;
    count *= element_bytes;
    element_bytes = 1;
  }
  const int64_t span = span_bytes(strided), bytes = count * element_bytes;
  const access_scope scope(e, "repack",
                           {gather ? read(strided.data, span) : write(strided.data, span),
                            gather ? write(dense, bytes) : read(dense, bytes)});
  constexpr int64_t threads = 256, most_blocks = 4096;
  const int64_t blocks = (count + threads - 1) / threads;
  const dim3 grid(static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks));
  e.launch(repack_of(element_bytes, gather), grid, dim3(threads), 0, strided.data, dense, count,
           shape);
}

void launch_upload(exec &e, void *target, const void *source, int64_t bytes) {
  const access_scope scope(e, "upload", {write(target, bytes)});
  argument_bytes argument{}; // what is left of an earlier call's stack is nobody's data
  __builtin_memcpy(argument.values, source, static_cast<size_t>(bytes));
  e.launch(store_argument, dim3(1), dim3(256), 0, static_cast<unsigned char *>(target), bytes,
           argument);
}

} // namespace cameo::cuda
