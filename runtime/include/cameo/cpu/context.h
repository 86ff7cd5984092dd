// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The context as generated host code of the CPU target sees it. A generated run() checks dims and
// reads symbols (gen.h), places its buffers with plan(), takes pointers from input(), output(),
// at() and constants(), asks ready() whether all of that worked, calls kernels on `compute`, and
// ends with done(). Errors of bindings and of kernels are sticky; the first is returned.
#pragma once

#include "cameo/context_base.h"
#include "cameo/cpu/exec.h"
#include "cameo/cpu/host_arena.h"
#include "cameo/gen.h"

namespace cameo::cpu {

class context;

/// The generated function behind NAME_run.
using body = status (*)(context &c, const cameo_tensor *inputs, cameo_tensor *outputs);

class context : public cameo_context {
public:
  exec compute; ///< the thread team

  /// Generated code's own memory, zero at create, kept from run to run; sizeof(T) is the model's
  /// state_bytes.
  template <class T> T &state() { return *static_cast<T *>(generated_state); }

  /// Whether the shape program must run: it ran last for other values. They are forgotten then, so
  /// that a program that fails half way is not taken for done; remember() the new ones at its end.
  template <class S> bool changed(memo<S> &m, const S &values) const { return !m.holds(values); }
  template <class S> void remember(memo<S> &m, const S &values) {
    m.keep(values);
    ++counters.shape_program_runs;
  }

  /// Places buffers and makes the arena long enough; `scratch` bytes behind them are kept for
  /// exec::scratch().
  status plan(buffer_table buffers, int64_t scratch = 0);
  /// The same for offsets that were constants at compile time.
  status plan(int64_t bytes, int64_t scratch = 0) { return arena_.plan(bytes, scratch); }
  /// At a late symbol, before step `from`: places the buffers that begin there or later, moving
  /// none that is alive. The arena cannot grow while it is in use: when it is too short they go to
  /// a block of their own, and the next run's arena is made long enough.
  status replan(buffer_table buffers, int32_t from) { return arena_.replan(buffers, from); }

  template <class T> T *at(const buffer &b) const { return reinterpret_cast<T *>(arena_.at(b)); }
  template <class T> T *at(int64_t offset) const {
    return reinterpret_cast<T *>(arena_.at(offset));
  }
  /// The model's constants: `T` has them where they lie in the weights.
  template <class T> const T &constants() const {
    return *reinterpret_cast<const T *>(weights->data);
  }

  /// The input's elements, dense: the caller's memory, or a repacked copy. Null when it is empty,
  /// absent, or (see ready) wrong.
  template <class T> const T *input(const cameo_tensor &tensor) {
    return static_cast<const T *>(bind_input(tensor));
  }
  /// Where to write an output of these dims: the caller's memory, or a buffer that done() copies
  /// out; dense, unless strided(). Sets its dims. Null as above.
  template <class T> T *output(cameo_tensor &tensor, std::initializer_list<checked> dims) {
    return static_cast<T *>(bind_output(tensor, dims.begin(), static_cast<int32_t>(dims.size())));
  }
  template <class T> T *output(cameo_tensor &tensor, const checked *dims, int32_t rank) {
    return static_cast<T *>(bind_output(tensor, dims, rank));
  }
  /// Whether an output is written at its own strides in this run, and the stride of a dim of what
  /// output() gave.
  bool strided(const cameo_tensor &tensor) const;
  int64_t stride(const cameo_tensor &tensor, int32_t d) const {
    return strided(tensor) ? tensor.strides[d] : dense_stride(tensor, d);
  }
  /// The extents that an output turned out to have, of which none is larger than what output() was
  /// given, and how many of them at the end are its own where the run decides that.
  void shrink(cameo_tensor &tensor, std::initializer_list<int64_t> dims, int64_t rank = -1) {
    shrink_shape(tensor, dims, rank);
  }

  /// The first error so far; to be asked before kernels use the pointers of bindings.
  status ready() const;
  /// Names the node of the kernels that follow, for their errors.
  void step(int32_t node) { fault.node = node; }
  /// Calls what the user computes the operator of `node` by.
  status external(cameo_external_fn function, int32_t node, const external_call &call);
  /// Counts iteration number `iteration` (from 0) of a loop; an error beyond max_loop_trips.
  status trip(int64_t iteration);
  /// Ends the run: copies out what output() lent, returns the run's status.
  status done();

  /// Whether this process is a child of fork() of the one that made the context, so that the
  /// threads that worked for it are not here.
  bool forked() const;

private:
  friend class exec;
  friend struct lifecycle; // host/lifecycle.cpp: create, run, destroy and the generic calls

  /// State of one input or output.
  struct port {
    growing_block lent;   ///< given out by cameo_buffer, or as an open output
    growing_block repack; ///< dense copy of strided data
    const void *data;     ///< of an output: where the last run left it, dense; null: strided
    bool pending;         ///< done() must copy `repack` to the caller's strided memory
  };

  const void *bind_input(const cameo_tensor &tensor);
  void *bind_output(cameo_tensor &tensor, const checked *dims, int32_t rank);
  void *output_memory(cameo_tensor &tensor, int32_t index, int64_t bytes);
  void *grow(growing_block &b, int64_t bytes);
  void *grow_repack(int32_t tensor, int64_t bytes);
  void fail(const status &error);
  port &input_port(int32_t i) { return ports_[i]; }
  port &output_port(int32_t k) { return ports_[model->input_count + k]; }

  body generated_ = nullptr;
  port *ports_ = nullptr;
  int64_t *bound_ = nullptr; ///< per output: bytes it spans in this run, -1 before it is bound
  status error_{};
  host_arena arena_{*this};
  cameo_weights own_weights_;
  team *team_ = nullptr;
  struct async *async_ = nullptr; ///< of a context whose executor submits
  uint32_t process_ = 0;          ///< the number of the one that made it
};

/// The bodies of NAME_create, NAME_run and NAME_destroy.
status create(const cameo_model &model, const cameo_options *options, cameo_context **out);
status run(const cameo_model &model, cameo_context *c, const cameo_tensor *inputs,
           int32_t input_count, cameo_tensor *outputs, int32_t output_count, body generated);
void destroy(cameo_context *c);

/// For NAME_memory: adds the context's own part, which lies in the caller's arena too, and the
/// weights.
void complete(const cameo_model &model, cameo_memory &plan);
/// For NAME_memory: as many threads as a context has whose options ask for none.
int32_t default_threads();

extern const cameo_target target;

/// Where callers may have inputs and outputs.
constexpr uint32_t port_spaces =
    1u << CAMEO_SPACE_HOST | 1u << CAMEO_SPACE_PINNED | 1u << CAMEO_SPACE_MANAGED;

} // namespace cameo::cpu
