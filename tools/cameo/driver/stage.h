// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model of the chain: its context, its tensors, and what its last run did on the device.
#pragma once

#include "ports.h"
#include "witness.h"

namespace driver {

class stage {
public:
  stage(const cameo_model &model, cameo_options &options) : model(model), options_(options) {}
  ~stage() {
    if (context_)
      model.destroy(context_);
  }
  stage(const stage &) = delete;
  stage &operator=(const stage &) = delete;

  /// Gives outputs with rows that lie apart their strides; says why it cannot.
  std::string stride_outputs();
  /// Makes the context, once.
  cameo_status open();
  cameo_status run(void *stream);
  cameo_status finish();
  cameo_context *context() const { return context_; }
  cameo_counters told() const;
  /// A contradiction in the counters of the last run; empty where there is none.
  std::string doubt() const;
  /// Whether what the run writes is there, and its extents known where the next model does not take
  /// them from the device, only behind finish().
  bool is_awaited(bool takes_counts) const;

  const cameo_model &model;
  std::vector<bound_output> outputs;
  std::vector<cameo_tensor> in, out;
  witness::counts seen, seen_finish; ///< of the last run
  int64_t waits_behind = 0;          ///< of the host, in front of the next model's

private:
  bool is_staged(size_t output) const;
  void expect_staged();

  cameo_options &options_;
  cameo_context *context_ = nullptr;
};

} // namespace driver
