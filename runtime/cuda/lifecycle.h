// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions that need the inside of a context without being members of it.
#pragma once

#include "cameo/call.h"

#include "device_state.h"

namespace cameo::cuda {

struct lifecycle {
  static status make(const cameo_model &model, const cameo_options &options, bool user_memory,
                     device_weights &weights, cameo_context *&out);
  static status open(context &c);
  static void destroy(context &c);
  static void close(context &c);
  static status admit_call(context &c);
  static status call(context &c, const cameo_tensor *inputs, int32_t input_count,
                     cameo_tensor *outputs, int32_t output_count, api::stream stream,
                     body generated);
  static status admit(context &c, api::stream stream, bool &captured);
  static status begin(context &c, api::stream stream);
  static status execute(context &c, body generated);
  static void account(context &c);
  static status check_captured(context &c);
  static status rehearse(context &c, body generated);
  static status record(context &c, body generated);
  static status capture(context &c, api::stream stream, body generated);
  static void take_launched(context &c);
  /// Takes results that the runs have left for the host; false when they are not there and nobody
  /// may wait. Errors are noted in the run record.
  static bool collect(context &c, bool block);
  static status wait(context &c, bool block);
  static status wait_output(context &c, int32_t output, bool block);
  static status fetch(context &c, int32_t output, void *destination, size_t bytes);
  static status extent(context &c, int32_t output, int32_t dim, cameo_tensor &tensor);
  static status lend(context &c, int32_t index, cameo_tensor &tensor);

  static context_layout layout_of(const cameo_model &model);
};

} // namespace cameo::cuda
