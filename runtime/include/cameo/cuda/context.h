// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The context as generated host code of the CUDA target sees it: cpu/context.h's calls, so that the
// text of a run() is the same on both targets, and what only a device has: copies between the two
// sides, a second stream, waits of the host. Nothing here waits but await(), host_input() of a
// tensor on the device, and memory that must grow while the device still uses it; each wait is
// counted. The first error sticks and is returned by ready() and done().
#pragma once

#include "cameo/context_base.h"
#include "cameo/cpu/context.h"
#include "cameo/cuda/call_state.h"
#include "cameo/cuda/conditional.h"
#include "cameo/cuda/conditional_bodies.h"
#include "cameo/cuda/device_arena.h"
#include "cameo/cuda/device_memory.h"
#include "cameo/cuda/error_report.h"
#include "cameo/cuda/exec.h"
#include "cameo/cuda/graph_capture.h"
#include "cameo/cuda/port_table.h"
#include "cameo/cuda/run_record.h"
#include "cameo/cuda/staging_pool.h"
#include "cameo/cuda/stream_order.h"
#include "cameo/gen.h"

namespace cameo::cuda {

class context;
struct device_weights;

/// The generated function behind NAME_run.
using body = status (*)(context &c, const cameo_tensor *inputs, cameo_tensor *outputs);

class context : public cameo_context {
public:
  exec compute;    ///< the caller's stream
  exec copy;       ///< the stream of transfers; see fork() and join()
  cpu::exec &host; ///< for kernels on the host

  // ---- As on the CPU ----

  template <class T> T &state() { return *static_cast<T *>(generated_state); }
  /// Also says so when the last run had to put late buffers beside an arena that was too short:
  /// then it is made longer.
  template <class S> bool changed(memo<S> &m, const S &values) const {
    m.valid = m.valid && arena_.is_long_enough();
    return !m.holds(values);
  }
  template <class S> void remember(memo<S> &m, const S &values) {
    m.keep(values);
    run_.note_new_sizes();
    ++counters.shape_program_runs;
  }

  /// Buffers on the device.
  status plan(buffer_table buffers, int64_t scratch = 0);
  status plan(int64_t bytes, int64_t scratch = 0) { return arena_.plan(bytes, scratch); }
  status replan(buffer_table buffers, int32_t from) { return arena_.replan(buffers, from); }
  template <class T> T *at(const buffer &b) const { return reinterpret_cast<T *>(arena_.at(b)); }
  template <class T> T *at(int64_t offset) const {
    return reinterpret_cast<T *>(arena_.at(offset));
  }
  /// The model's constants: `T` has them where they lie in the weights.
  template <class T> const T &constants() const {
    return *reinterpret_cast<const T *>(device_weights_);
  }

  /// Device memory that holds the input from ready() on: the caller's, or a copy that is on its way
  /// on the copy stream.
  template <class T> const T *input(const cameo_tensor &tensor) {
    return static_cast<const T *>(bind_input(tensor));
  }
  /// Device memory to write the output to: the caller's, or one that deliver() or done() copies
  /// out.
  template <class T> T *output(cameo_tensor &tensor, std::initializer_list<checked> dims) {
    return static_cast<T *>(bind_output(tensor, dims.begin(), static_cast<int32_t>(dims.size())));
  }
  template <class T> T *output(cameo_tensor &tensor, const checked *dims, int32_t rank) {
    return static_cast<T *>(bind_output(tensor, dims, rank));
  }
  /// Whether an output is written at its own strides in this run, and the stride of a dim of what
  /// output() or host_output() gave.
  bool strided(const cameo_tensor &tensor) const;
  int64_t stride(const cameo_tensor &tensor, int32_t d) const {
    return strided(tensor) ? tensor.strides[d] : dense_stride(tensor, d);
  }
  void shrink(cameo_tensor &tensor, std::initializer_list<int64_t> dims, int64_t rank = -1) {
    shrink_shape(tensor, dims, rank);
  }

  /// The first error so far; from here on kernels on `compute` may use the bindings.
  status ready();
  /// Names the node of the kernels that follow, on either side.
  void step(int32_t node);
  /// Calls what the user computes the operator of `node` by, on the device.
  status external(cameo_external_fn function, int32_t node, const external_call &call);
  status trip(int64_t iteration);
  /// Ends the run: starts the copies of outputs that are left. Does not wait.
  status done();
  /// Ends the run but for the host's work on what it has fetched: `rest`, a function of the
  /// context, awaits that when the run is finished. It is done at once where an output that the
  /// host writes goes to the device, or has a `done` event.
  template <class Rest> status done(const Rest &rest) {
    static_assert(std::is_trivially_copyable_v<Rest>, "it is kept as bytes");
    if (!leaves_rest()) {
      CAMEO_TRY(rest(*this));
      return done();
    }
    const auto work = [](context &c, const void *kept) {
      return (*static_cast<const Rest *>(kept))(c);
    };
    return run_.rest.keep(call_, work, &rest, sizeof(Rest)) ? done() : call_.first_error();
  }

  // ---- Host memory ----

  status host_plan(buffer_table buffers, int64_t scratch = 0) {
    return call_.host().plan(buffers, scratch);
  }
  status host_replan(buffer_table buffers, int32_t from) {
    return call_.host().replan(buffers, from);
  }
  status host_plan(int64_t arena_bytes, int64_t scratch = 0) {
    return call_.host().plan(arena_bytes, scratch);
  }
  template <class T> T *host_at(const buffer &b) const { return call_.host().at<T>(b); }
  template <class T> T *host_at(int64_t offset) const { return call_.host().at<T>(offset); }
  template <class T> const T &host_constants() const {
    return *reinterpret_cast<const T *>(weights->data);
  }
  /// The input's elements for the host to read now. Waits when they are on the device, or when the
  /// tensor has an event to wait for.
  template <class T> const T *host_input(const cameo_tensor &tensor) {
    return static_cast<const T *>(bind_host_input(tensor));
  }
  /// Where the host writes an output before done(): the caller's memory, or one that done()
  /// uploads.
  template <class T> T *host_output(cameo_tensor &tensor, std::initializer_list<checked> dims) {
    return static_cast<T *>(
        bind_host_output(tensor, dims.begin(), static_cast<int32_t>(dims.size())));
  }

  status host_external(cameo_external_fn function, int32_t node, const external_call &call);

  // ---- Between the sides ----

  /// Starts a copy of device memory to the host, after what `compute` has been given so far and
  /// beside what it gets next.
  fetched fetch(const void *source, int64_t bytes);
  /// Waits for it and stores it. Every fetch is awaited or dropped once, or not at all in a run
  /// that fails.
  status await(const fetched &f, void *target);
  void drop(const fetched &f);
  /// Starts to ask for bools on the device that `compute` has been given so far, and that stay as
  /// they are until the last choice.
  asked ask(const bool *conditions, int32_t count = 1) {
    return asked(*this, bodies_, conditions, count);
  }
  /// A loop that the device runs, if it `begins`: at most `most` iterations. How many there have
  /// been is in `trips`, device memory, at the end of each.
  repetition repeat(const int64_t *trips, bool begins, int64_t most = INT64_MAX) {
    return repetition(*this, bodies_, trips, begins, most);
  }
  /// Copies host memory, which may change right after, to device memory, in the order of `compute`;
  /// with a launch where it is small.
  void upload(void *target, const void *source, int64_t bytes);
  /// Later work on `copy` comes after the work that `compute` has been given so far.
  void fork();
  /// Later work on `compute` comes after the work that `copy` has been given so far.
  void join();
  /// The output is complete: if it goes to the host, the copy may start now instead of in done().
  void deliver(cameo_tensor &tensor);
  /// At the end of the run, `count` extents that kernels have left as int64_t at `source`; fetched
  /// in one copy, without a wait; cameo_finish takes them and cameo_output tells them. Each extent
  /// of an output at most once.
  template <size_t N> void extents(const int64_t *source, const counted_extent (&which)[N]) {
    fetch_extents(source, which, int32_t{N});
  }

private:
  friend struct lifecycle; // cuda/lifecycle.cpp, results.cpp: create, run, destroy, generic calls

  explicit context(cpu::context &half)
      : host(half.compute), call_(*this, half), order_(call_), memory_(order_), staging_(memory_),
        arena_(memory_), bodies_(call_, arena_, run_),
        capture_(memory_, staging_, arena_, run_, report_) {}

  const void *bind_input(const cameo_tensor &tensor);
  const void *bind_host_input(const cameo_tensor &tensor);
  void *bind_output(cameo_tensor &tensor, const checked *dims, int32_t rank);
  void *bind_host_output(cameo_tensor &tensor, const checked *dims, int32_t rank);
  bool has_elements(int32_t i, const unsigned char *defaults, const void *&data);
  status check_scatter(const cameo_tensor &tensor, int32_t output) const;
  bool shape_output(cameo_tensor &tensor, const checked *dims, int32_t rank, int64_t &bytes);
  bool real_space(const cameo_tensor &tensor, int32_t number);
  bool await_ready(const cameo_tensor &tensor);
  void *output_memory(cameo_tensor &tensor, int32_t index, int64_t bytes);
  const void *upload_input(const cameo_tensor &tensor, port &p, int64_t bytes);
  void gather_host(const cameo_tensor &tensor, void *dense, int64_t bytes);
  void repack(const cameo_tensor &strided, void *dense, bool gather);
  void start_delivery(cameo_tensor &tensor, int32_t index);
  bool leaves_rest() const;
  void do_rest();
  bool goes_with_launch(int64_t bytes) const;
  void upload_with_launch(void *target, const void *source, int64_t bytes);
  bool send(void *target, const void *source, int64_t bytes, api::stream stream);
  bool send_slot(int32_t slot, void *target, int64_t bytes, api::stream stream);
  void mark_done(const cameo_tensor &tensor, api::stream stream);
  void fetch_extents(const int64_t *source, const counted_extent *which, int32_t count);

  api::event delivered(const port &p) const {
    return p.slot >= 0 ? staging_.event(p.slot) : p.complete;
  }
  void take_output(int32_t index);
  bool owes_host();
  void clear_run();
  void release_inputs();
  void abandon();
  void settle();

  call_state call_;
  stream_order order_;
  device_memory memory_;
  staging_pool staging_;
  device_arena arena_;
  port_table ports_;
  const unsigned char *device_weights_ = nullptr;
  run_record run_;
  conditional_bodies bodies_;
  error_report report_;
  graph_capture capture_;
};

/// The parts of NAME_create, NAME_run and NAME_destroy. `stream` is a cudaStream_t; null is CUDA's
/// default stream.
status create(const cameo_model &model, const cameo_options *options, cameo_context **out);
status run(const cameo_model &model, cameo_context *c, const cameo_tensor *inputs,
           int32_t input_count, cameo_tensor *outputs, int32_t output_count, void *stream,
           body generated);
void destroy(cameo_context *c);

/// For NAME_memory: the device arena and its peak from packed buffers; then complete() adds the
/// weights and what the context needs on the host.
void describe_arena(const buffer *buffers, int32_t count, const char *const *names,
                    int64_t arena_bytes, cameo_memory &plan);
void describe_arena(int64_t arena_bytes, int64_t peak_bytes, const char *peak_tensor,
                    cameo_memory &plan);
void complete(const cameo_model &model, cameo_memory &plan);
/// Packs the buffers first.
inline status describe_arena(buffer_table buffers, const char *const *names, cameo_memory &plan) {
  int64_t bytes = 0;
  CAMEO_TRY(pack(buffers.rows, buffers.count, INT32_MIN, 0, bytes));
  cuda::describe_arena(buffers.rows, buffers.count, names, bytes, plan);
  return success();
}

extern const cameo_target target;

/// Where callers may have inputs and outputs.
constexpr uint32_t port_spaces = 1u << CAMEO_SPACE_HOST | 1u << CAMEO_SPACE_PINNED |
                                 1u << CAMEO_SPACE_DEVICE | 1u << CAMEO_SPACE_MANAGED;

} // namespace cameo::cuda
