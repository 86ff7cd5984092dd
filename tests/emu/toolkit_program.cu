// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model linked with the real runtime. Without a driver or a device it must say so and go on; with
// one, the results are checked, of a run and of launches of its graph.
#include <cstdio>
#include <cstring>

#include "scaled_model.h"

namespace {

using namespace cameo;

/// One run captured, and its graph launched on other contents; the status of what went wrong first.
status run_as_graph(const cameo_model &model, cameo_context *c, int64_t count, bool &right) {
  const size_t bytes = static_cast<size_t>(count) * sizeof(float);
  float *x = nullptr, *y = nullptr;
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  right = cudaMallocHost(reinterpret_cast<void **>(&x), bytes) == cudaSuccess &&
          cudaMallocHost(reinterpret_cast<void **>(&y), bytes) == cudaSuccess &&
          cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess;
  cameo_tensor in{}, out{};
  in.data = x;
  out.data = y;
  in.bytes = out.bytes = bytes;
  in.dims = out.dims = &count;
  in.rank = out.rank = 1;
  in.dtype = out.dtype = CAMEO_FLOAT;
  in.space = out.space = CAMEO_SPACE_PINNED;
  for (int64_t i = 0; right && i < count; ++i)
    x[i] = 0;
  CAMEO_TRY(model.run(c, &in, 1, &out, 1, stream));
  CAMEO_TRY(cameo_finish(c));
  right = right && cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess;
  const status s = model.run(c, &in, 1, &out, 1, stream);
  right = right && cudaStreamEndCapture(stream, &graph) == cudaSuccess;
  CAMEO_TRY(s);
  right = right && cudaGraphInstantiate(&exec, graph, 0) == cudaSuccess;
  for (int64_t launch = 1; right && launch <= 3; ++launch) {
    for (int64_t i = 0; i < count; ++i)
      x[i] = static_cast<float>(i * launch);
    right = cudaGraphLaunch(exec, stream) == cudaSuccess &&
            cudaStreamSynchronize(stream) == cudaSuccess;
    CAMEO_TRY(cameo_finish(c));
    for (int64_t i = 0; right && i < count; ++i)
      right = y[i] == 2 * x[i] + 0.5f;
  }
  if (right)
    x[7] = -1; // the model raises
  right = right && cudaGraphLaunch(exec, stream) == cudaSuccess &&
          cudaStreamSynchronize(stream) == cudaSuccess &&
          cameo_finish(c).code == CAMEO_OUT_OF_RANGE;
  cudaGraphExecDestroy(exec);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFreeHost(x);
  cudaFreeHost(y);
  return success();
}

} // namespace

int main() {
  const cameo_model &model = gen::scaled::model;
  cameo_options options{};
  options.abi = CAMEO_ABI_VERSION;
  cameo_context *c = nullptr;
  status s = model.create(&options, &c);
  char text[512];
  cameo_format(&s, &model, text, sizeof(text));
  if (s.code == CAMEO_UNSUPPORTED) {
    printf("SKIP: no device (%s)\n", text);
    model.destroy(c); // null
    return 77;
  }
  constexpr int64_t count = 1000;
  float x[count], y[count];
  for (int64_t i = 0; i < count; ++i)
    x[i] = static_cast<float>(i);
  int64_t dims[1] = {count};
  cameo_tensor in{}, out{};
  in.data = x;
  out.data = y;
  in.bytes = out.bytes = sizeof(x);
  in.dims = out.dims = dims;
  in.rank = out.rank = 1;
  in.dtype = out.dtype = CAMEO_FLOAT;
  if (s.code == CAMEO_OK)
    s = model.run(c, &in, 1, &out, 1, nullptr);
  if (s.code == CAMEO_OK)
    s = cameo_finish(c);
  bool right = false;
  if (s.code == CAMEO_OK)
    s = run_as_graph(model, c, count, right);
  cameo_format(&s, &model, text, sizeof(text));
  int wrong = s.code != CAMEO_OK || !right;
  for (int64_t i = 0; i < count && !wrong; ++i)
    wrong = y[i] != 2 * x[i] + 0.5f;
  printf("%s: %s\n", wrong ? "WRONG" : "right", text);
  model.destroy(c);
  return wrong;
}
