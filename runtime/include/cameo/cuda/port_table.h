// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of each input and output of a context, in memory that the context's block has for it.
#pragma once

#include "cameo/cuda/device_memory.h"

namespace cameo::cuda {

/// The state of one input or output. All zero before the first run.
struct port {
  growing_block lent;   ///< given out by cameo_buffer, or as an open output: on the device
  growing_block device; ///< copy of what is on the host, or dense copy of what is strided
  const void *data; ///< of an output: where the run leaves it, dense, on the device or the host;
                    ///< null: strided
  int32_t slot;     ///< in the staging pool, -1 = none
  /// The work that is still to be done about an output.
  enum : int32_t {
    nothing,
    to_host,    ///< done() starts a copy from `device` to the caller's host memory
    to_strided, ///< done() scatters `device` to the caller's device memory
    to_device,  ///< done() uploads what the host has written to the slot
    copying,    ///< on its way to the caller's pinned memory
    staged,     ///< on its way to the slot; who waits moves it to the caller's memory
  } left;
  api::event complete; ///< behind the copy to the caller's pinned memory

  /// A copy to the host is under way.
  bool is_coming() const { return left == copying || left == staged; }
};

class port_table {
public:
  /// `ports` has room for a port for each input and output of the model, `bound` for a number for
  /// each output; both all zero.
  void use(const cameo_model &model, void *ports, void *bound);

  port &input(int32_t i) { return ports_[i]; }
  port &output(int32_t k) { return ports_[inputs_ + k]; }
  const port &output(int32_t k) const { return ports_[inputs_ + k]; }
  /// Inputs first.
  port &at(int32_t index) { return ports_[index]; }
  /// For check_output_memory().
  int64_t *bound() { return bound_; }

  /// A run, or a pass of one, begins: nothing is bound, and nothing is left to do.
  void begin_pass();
  /// Nothing of a run that failed is delivered.
  void abandon();
  /// Whether an output waits in its slot for the host to take it.
  bool has_staged() const;

  /// Frees what the ports have. The host has waited.
  void close(device_memory &memory);

private:
  port *ports_ = nullptr;
  int64_t *bound_ = nullptr; ///< per output: bytes it spans in this run, -1 before it is bound
  int32_t inputs_ = 0, outputs_ = 0;
};

} // namespace cameo::cuda
