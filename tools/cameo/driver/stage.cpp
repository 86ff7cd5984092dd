// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stage.h"

namespace driver {

std::string stage::stride_outputs() {
  bool any = false;
  for (const bound_output &output : outputs)
    any |= output.where.pad > 0 || !output.where.strides.empty();
  if (!any)
    return "";
  std::vector<std::vector<int64_t>> dims(outputs.size(), std::vector<int64_t>(CAMEO_MAX_RANK, -1));
  std::vector<cameo_tensor> expected = out;
  for (size_t k = 0; k < expected.size(); ++k)
    expected[k].dims = dims[k].data();
  const cameo_status inferred =
      model.infer_shapes(in.data(), static_cast<int32_t>(in.size()), expected.data(),
                         static_cast<int32_t>(expected.size()));
  if (inferred.code != CAMEO_OK)
    return ""; // the run says so too
  for (size_t k = 0; k < outputs.size(); ++k) {
    const bool is_open = expected[k].rank > 0 && dims[k][0] < 0;
    if (model.outputs[k].rank < 0 &&
        (outputs[k].where.pad > 0 || !outputs[k].where.strides.empty()))
      return "an output has no strides whose rank becomes known in the run";
    if (is_open && outputs[k].where.pad > 0)
      return "an output cannot be padded whose extents become known in the run";
    outputs[k].stride(dims[k].data());
    out[k].strides = outputs[k].tensor.strides;
  }
  return "";
}

bool stage::is_staged(size_t k) const {
  const bool on_host =
      out[k].space == CAMEO_SPACE_HOST || (out[k].space == CAMEO_SPACE_PINNED && has_gaps(out[k]));
  return on_host && model.outputs[k].space != CAMEO_SPACE_HOST && dense_bytes_of(out[k]) > 0;
}

/// A device's value that is wanted in pageable memory, or at strides of the host's, comes through
/// memory of the runtime's, which nobody else knows: one fetch of its size is the output's.
void stage::expect_staged() {
  for (size_t k = 0; k < out.size(); ++k) {
    if (!is_staged(k))
      continue;
    --seen.d2h;
    seen.d2h_bytes -= static_cast<int64_t>(dense_bytes_of(out[k]));
    ++seen.d2h_outputs;
  }
}

bool stage::is_awaited(bool takes_counts) const {
  for (size_t k = 0; k < out.size(); ++k) {
    if (is_staged(k))
      return true;
    const cameo_port &port = model.outputs[k];
    for (int32_t d = 0; d < port.rank && !takes_counts; ++d)
      if (port.dims[d].kind == CAMEO_DIM_BOUNDED)
        return true;
  }
  return false;
}

cameo_counters stage::told() const {
  cameo_counters counters{};
  if (context_)
    cameo_counters_of(context_, &counters);
  return counters;
}

std::string stage::doubt() const {
#if CAMEO_DRIVER_DEVICE_MEMORY
  std::string problem = witness::disagreement(told(), seen);
  return problem.empty() ? witness::excess(seen_finish) : problem;
#else
  return "";
#endif
}

cameo_status stage::open() {
  return context_ ? cameo_status{} : model.create(&options_, &context_);
}

cameo_status stage::run(void *stream) {
  seen_finish = {};
  waits_behind = 0;
  const witness::phase phase;
  const cameo_status status = model.run(context_, in.data(), static_cast<int32_t>(in.size()),
                                        out.data(), static_cast<int32_t>(out.size()), stream);
  seen = phase.seen();
  if (status.code == CAMEO_OK)
    expect_staged();
  return status;
}

cameo_status stage::finish() {
  const witness::phase phase;
  cameo_status status = cameo_finish(context_);
  seen_finish = phase.seen();
  for (size_t k = 0; status.code == CAMEO_OK && k < out.size(); ++k)
    status = cameo_output(context_, static_cast<int32_t>(k), &out[k]);
  return status;
}

} // namespace driver
