// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Captures one run of MODEL as a CUDA graph and launches it on other contents of the same buffers.
//   captured SPACE FOLDER...    each with input_K.npy, of the same dims in all; gets output_K.npy
// What the host reads lies in its memory, all else in SPACE (host, pinned, device). Prints a line
// of the emulator's counters per launch, `refused MESSAGE`, or a line that begins with `wrong`.
#include "cameo/emu/emu.h"
#include "cameo/model.h"
#include "cameo/npy.h"

#include <cuda_runtime_api.h>

#include <array>
#include <cstdlib>
#include <deque>

extern "C" const cameo_model *MODEL(void);

namespace {

[[noreturn]] void wrong(const char *what) {
  std::printf("wrong: %s\n", what);
  std::exit(0);
}

void check(cudaError_t error) {
  if (error != cudaSuccess)
    wrong(cudaGetErrorName(error));
}

std::string text_of(const cameo::status &status) {
  char text[512];
  cameo_format(&status, MODEL(), text, sizeof text);
  return text;
}

void check(const cameo::status &status) {
  if (!cameo::ok(status))
    wrong(text_of(status).c_str());
}

int space_of(const std::string &name) {
  return name == "device"   ? CAMEO_SPACE_DEVICE
         : name == "pinned" ? CAMEO_SPACE_PINNED
                            : CAMEO_SPACE_HOST;
}

void *allocate(size_t bytes, int space) {
  void *memory = nullptr;
  if (space == CAMEO_SPACE_DEVICE)
    check(cudaMalloc(&memory, bytes + 1));
  else if (space == CAMEO_SPACE_PINNED)
    check(cudaMallocHost(&memory, bytes + 1));
  else
    memory = std::malloc(bytes + 1);
  return memory;
}

void release(void *memory, int space) {
  if (space == CAMEO_SPACE_DEVICE)
    check(cudaFree(memory));
  else if (space == CAMEO_SPACE_PINNED)
    check(cudaFreeHost(memory));
  else
    std::free(memory);
}

cameo::npy::array read(const std::string &folder, int32_t input) {
  cameo::npy::array array;
  const std::string path = folder + "/input_" + std::to_string(input) + ".npy";
  if (const char *problem = cameo::npy::read(path.c_str(), MODEL()->inputs[input].dtype, array))
    wrong((path + " " + problem).c_str());
  return array;
}

/// Whether only a run knows its extents.
bool is_open(const cameo_port &port) {
  bool open = port.rank < 0;
  for (int32_t d = 0; d < port.rank; ++d)
    open |= port.dims[d].kind == CAMEO_DIM_OPEN;
  return open;
}

/// The tensors of all runs: one memory each, whose contents change.
class buffers {
public:
  buffers(const std::string &folder, int space) {
    const cameo_model &m = *MODEL();
    for (int32_t i = 0; i < m.input_count; ++i) {
      arrays_.push_back(read(folder, i));
      cameo_tensor t = arrays_.back().tensor();
      t.space = m.inputs[i].space == CAMEO_SPACE_HOST ? CAMEO_SPACE_HOST : space;
      inputs.push_back(t);
    }
    for (int32_t k = 0; k < m.output_count; ++k) {
      cameo_tensor t{};
      t.dims = dims_.emplace_back().data();
      t.dtype = m.outputs[k].dtype;
      outputs.push_back(t);
    }
    // Shapes may depend on elements that the host reads.
    check(m.infer_shapes(inputs.data(), m.input_count, outputs.data(), m.output_count));
    for (cameo_tensor &t : inputs)
      t.data = allocate(t.bytes, t.space);
    for (int32_t k = 0; k < m.output_count; ++k) {
      outputs[static_cast<size_t>(k)].space = space;
      if (!is_open(m.outputs[k])) // else it is lent
        outputs[static_cast<size_t>(k)].data =
            allocate(outputs[static_cast<size_t>(k)].bytes, space);
      lent_.push_back(is_open(m.outputs[k]));
    }
    fill(folder);
  }
  ~buffers() {
    for (cameo_tensor &t : inputs)
      release(t.data, t.space);
    for (size_t k = 0; k < outputs.size(); ++k)
      if (!lent_[k])
        release(outputs[k].data, outputs[k].space);
  }
  buffers(const buffers &) = delete;
  buffers &operator=(const buffers &) = delete;

  void fill(const std::string &folder) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const cameo::npy::array array = read(folder, static_cast<int32_t>(i));
      if (array.data.size() != inputs[i].bytes)
        wrong("the folders' dims differ");
      if (!array.data.empty())
        check(cudaMemcpy(inputs[i].data, array.data.data(), array.data.size(), cudaMemcpyDefault));
    }
  }
  void write(cameo::session &session, const std::string &folder) {
    for (size_t k = 0; k < outputs.size(); ++k) {
      check(cameo_output(session.get(), static_cast<int32_t>(k), &outputs[k]));
      const auto bytes = static_cast<size_t>(
          cameo::dense_bytes(outputs[k].dtype, outputs[k].dims, outputs[k].rank));
      std::vector<unsigned char> host(bytes + 1);
      if (bytes > 0)
        check(cudaMemcpy(host.data(), outputs[k].data, bytes, cudaMemcpyDefault));
      cameo_tensor t = outputs[k];
      t.data = host.data();
      const std::string path = folder + "/output_" + std::to_string(k) + ".npy";
      if (const char *problem = cameo::npy::write(path.c_str(), t))
        wrong((path + " " + problem).c_str());
    }
  }

  std::vector<cameo_tensor> inputs, outputs;

private:
  std::vector<cameo::npy::array> arrays_;
  std::deque<std::array<int64_t, CAMEO_MAX_RANK>> dims_;
  std::vector<bool> lent_;
};

cameo::status run(cameo::session &session, buffers &on, cudaStream_t stream) {
  return session.run(on.inputs.data(), static_cast<int32_t>(on.inputs.size()), on.outputs.data(),
                     static_cast<int32_t>(on.outputs.size()), stream);
}

/// Nothing has come into the graph, and the context works.
void refused(const cameo::status &status, cameo::session &session, buffers &on, cudaGraph_t graph,
             const std::string &folder) {
  size_t nodes = 0;
  check(cudaGraphGetNodes(graph, nullptr, &nodes));
  if (nodes != 0 || status.code != CAMEO_UNSUPPORTED)
    wrong(text_of(status).c_str());
  std::printf("refused %s\n", text_of(status).c_str());
  check(run(session, on, nullptr));
  check(session.finish());
  on.write(session, folder);
}

} // namespace

int main(int count, char **arguments) {
  const std::vector<std::string> folders(arguments + 2, arguments + count);
  cameo::model model(*MODEL());
  cameo::session session;
  check(model.open(session));
  buffers on(folders[0], space_of(arguments[1]));
  for (int before = 0; before < 2; ++before) { // the second knows sizes that the first has computed
    check(run(session, on, nullptr));
    check(session.finish());
  }

  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t exec = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cameo::status status = run(session, on, stream);
  check(cudaStreamEndCapture(stream, &graph));
  if (cameo::ok(status)) {
    check(cudaGraphInstantiate(&exec, graph));
    for (const std::string &folder : folders) {
      on.fill(folder);
      cameo_emu_reset_counters();
      check(cudaGraphLaunch(exec, stream));
      cameo_emu_counters seen;
      cameo_emu_get_counters(&seen);
      check(cudaStreamSynchronize(stream));
      check(session.finish());
      std::printf("graphs %d launches %d d2h %d h2d %d waits %d allocations %d\n",
                  static_cast<int>(seen.graph_launches), static_cast<int>(seen.launches),
                  static_cast<int>(seen.d2h), static_cast<int>(seen.h2d),
                  static_cast<int>(seen.blocking_syncs),
                  static_cast<int>(seen.device_allocs + seen.pinned_allocs));
      on.write(session, folder);
    }
    check(cudaGraphExecDestroy(exec));
  } else {
    refused(status, session, on, graph, folders[0]);
  }
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
}
