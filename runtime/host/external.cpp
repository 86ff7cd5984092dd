// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cameo/external.h"

#include "cameo/errors.h"

namespace cameo {

status call_external(const cameo_model &model, cameo_external_fn function, int32_t node,
                     void *stream, const external_call &call, int64_t &launches) {
  cameo_call info = {};
  info.node = node >= 0 ? model.nodes[node] : "";
  info.stream = stream;
  info.counts = call.counts;
  info.count_count = call.count_count;
  const status said = function(&info, call.inputs, call.input_count, call.outputs,
                               call.output_count, call.attributes, call.attribute_count);
  launches = info.launches;
  return ok(said) ? success() : error_external(node, said);
}

status call_external(const cameo_model &model, cameo_external_fn function, int32_t node,
                     const external_call &call) {
  for (int32_t i = 0; call.counts && i < call.count_count; ++i)
    call.counts[i] = 0;
  int64_t launches = 0;
  return call_external(model, function, node, nullptr, call, launches);
}

} // namespace cameo
