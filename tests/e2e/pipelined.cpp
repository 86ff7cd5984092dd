// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs net, y[n, 16] of x[n, 64], over tiles: pipelined WAY. While one tile is computed, the next
// comes to the device and the last goes back, which the emulator's record is asked about. Prints
// `WAY h2d N d2h N both N waits N`: how many uploads, and fetches, may run beside a kernel, how
// many uploads beside a fetch, and how often the host has waited in the loop; or a line that begins
// with `wrong`.
//   events     one context on two buffers of each kind, three streams, ordered by ready and done
//   contexts   two contexts on streams of their own, tiles bound as they lie in pinned memory
//   in_turn    one context and one stream: nothing overlaps
#include "cameo/emu/emu.h"
#include "cameo/model.h"
#include "net.h"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int64_t tiles = 6, rows = 40, columns = 64, results = 16;
constexpr size_t in_count = rows * columns, out_count = rows * results;

[[noreturn]] void wrong(const char *what) {
  std::printf("wrong: %s\n", what);
  std::exit(0);
}

void check(cudaError_t error) {
  if (error != cudaSuccess)
    wrong(cudaGetErrorName(error));
}

void check(const cameo::status &status) {
  char text[512];
  cameo_format(&status, &net_model, text, sizeof text);
  if (!cameo::ok(status))
    wrong(text);
}

float *pinned(size_t count) {
  void *memory = nullptr;
  check(cudaMallocHost(&memory, count * sizeof(float)));
  return static_cast<float *>(memory);
}

float *on_device(size_t count) {
  void *memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(float)));
  return static_cast<float *>(memory);
}

struct stream {
  cudaStream_t handle{};
  stream() { check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
};

struct event {
  cudaEvent_t handle{};
  event() { check(cudaEventCreateWithFlags(&handle, cudaEventDisableTiming)); }
};

struct data {
  float *x = pinned(tiles * in_count), *y = pinned(tiles * out_count);
  data() {
    for (size_t i = 0; i < tiles * in_count; ++i)
      x[i] = static_cast<float>(i % 251) / 16 - 7;
  }
  float *tile(int64_t t) const { return x + static_cast<size_t>(t) * in_count; }
  float *result(int64_t t) const { return y + static_cast<size_t>(t) * out_count; }
};

cameo::tensor input(float *memory, cameo_space space) {
  return {memory, in_count, {rows, columns}, space};
}
cameo::tensor output(float *memory, cameo_space space) {
  return {memory, out_count, {rows, results}, space};
}

/// Counts how often the host waits while it lives.
class loop {
public:
  loop() { cameo_emu_get_counters(&before_); }
  ~loop() {
    cameo_emu_counters after;
    cameo_emu_get_counters(&after);
    waits += after.blocking_syncs - before_.blocking_syncs;
  }
  loop(const loop &) = delete;
  loop &operator=(const loop &) = delete;
  static int64_t waits;

private:
  cameo_emu_counters before_;
};
int64_t loop::waits = 0;

/// Buffers of a tile on the device, and the events that say what may be done with them.
struct slot {
  float *x = on_device(in_count), *y = on_device(out_count);
  event filled, read, computed, fetched;
};

void run_by_events(cameo::model &model, const data &d) {
  cameo::session session;
  check(model.open(session));
  const stream up, work, down;
  slot slots[2];
  for (int64_t t = 0; t < tiles; ++t) {
    const loop counted;
    slot &s = slots[t % 2];
    check(cudaStreamWaitEvent(up.handle, s.read.handle, 0));
    check(cudaMemcpyAsync(s.x, d.tile(t), in_count * 4, cudaMemcpyDefault, up.handle));
    check(cudaEventRecord(s.filled.handle, up.handle));
    cameo::tensor in[] = {input(s.x, CAMEO_SPACE_DEVICE).events(s.filled.handle, s.read.handle)};
    cameo::tensor out[] = {
        output(s.y, CAMEO_SPACE_DEVICE).events(s.fetched.handle, s.computed.handle)};
    check(session.run(in, out, work.handle));
    check(cudaStreamWaitEvent(down.handle, s.computed.handle, 0));
    check(cudaMemcpyAsync(d.result(t), s.y, out_count * 4, cudaMemcpyDefault, down.handle));
    check(cudaEventRecord(s.fetched.handle, down.handle));
  }
  check(cudaStreamSynchronize(down.handle));
  check(session.finish());
}

void run_by_contexts(cameo::model &model, const data &d) {
  cameo::session sessions[2];
  const stream streams[2];
  for (cameo::session &session : sessions)
    check(model.open(session));
  for (int64_t t = 0; t < tiles; ++t) {
    const loop counted;
    cameo::tensor in[] = {input(d.tile(t), CAMEO_SPACE_PINNED)};
    cameo::tensor out[] = {output(d.result(t), CAMEO_SPACE_PINNED)};
    check(sessions[t % 2].run(in, out, streams[t % 2].handle));
  }
  for (cameo::session &session : sessions)
    check(session.finish());
}

void run_in_turn(cameo::model &model, const data &d) {
  cameo::session session;
  check(model.open(session));
  const stream work;
  for (int64_t t = 0; t < tiles; ++t) {
    const loop counted;
    cameo::tensor in[] = {input(d.tile(t), CAMEO_SPACE_PINNED)};
    cameo::tensor out[] = {output(d.result(t), CAMEO_SPACE_PINNED)};
    check(session.run(in, out, work.handle));
  }
  check(session.finish());
}

} // namespace

int main(int, char **arguments) {
  const std::string way = arguments[1];
  cameo::model model(net_model);
  check(model.load());
  const data expected, d;
  run_in_turn(model, expected);

  loop::waits = 0;
  cameo_emu_record(1);
  (way == "events" ? run_by_events : way == "contexts" ? run_by_contexts : run_in_turn)(model, d);
  if (std::memcmp(d.y, expected.y, tiles * out_count * sizeof(float)) != 0)
    wrong("a tile's results are not those of its run alone");
  constexpr const char *up = "copy host to device", *down = "copy device to host", *kernel = "net_";
  std::printf("%s h2d %lld d2h %lld both %lld waits %lld\n", way.c_str(),
              static_cast<long long>(cameo_emu_beside(up, kernel)),
              static_cast<long long>(cameo_emu_beside(down, kernel)),
              static_cast<long long>(cameo_emu_beside(up, down)),
              static_cast<long long>(loop::waits));
}
