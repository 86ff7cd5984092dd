// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generic calls of abi.h, which check their arguments and pass on to the context's target. One
// program may hold several builds of the runtime, and the linker takes these functions from any one
// of them: they touch only what CAMEO_ABI_VERSION fixes (abi.h, and the structs at the head of
// context_base.h), and what C++ of the runtime calls is in other files.
#include "cameo/context_base.h"

namespace cameo {

namespace {

status check(const cameo_context *context) {
  if (!context)
    return error_null_argument();
  return context->target ? success() : error_context_of_other_model();
}

status check(const cameo_context *context, int32_t output) {
  CAMEO_TRY(check(context));
  if (output < 0 || output >= context->model->output_count)
    return error_index(output, context->model->output_count);
  return success();
}

} // namespace
} // namespace cameo

using namespace cameo;

extern "C" {

cameo_status cameo_finish(cameo_context *context) {
  CAMEO_TRY(check(context));
  return context->target->finish(context);
}

cameo_status cameo_poll(cameo_context *context) {
  CAMEO_TRY(check(context));
  return context->target->poll(context);
}

cameo_status cameo_ready(cameo_context *context, int32_t output) {
  CAMEO_TRY(check(context, output));
  return context->target->ready(context, output);
}

cameo_status cameo_wait(cameo_context *context, int32_t output) {
  CAMEO_TRY(check(context, output));
  return context->target->wait(context, output);
}

cameo_status cameo_fetch(cameo_context *context, int32_t output, void *destination, size_t bytes) {
  CAMEO_TRY(check(context, output));
  if (!destination && bytes > 0)
    return error_null_argument();
  return context->target->fetch(context, output, destination, bytes);
}

cameo_status cameo_output(cameo_context *context, int32_t output, cameo_tensor *tensor) {
  CAMEO_TRY(check(context, output));
  if (!tensor || (!tensor->dims && context->model->outputs[output].rank != 0))
    return error_null_argument();
  CAMEO_TRY(context->target->finish(context));
  CAMEO_TRY(enter(*context));
  context->tensors.give(output, *tensor);
  leave(*context);
  return success();
}

cameo_status cameo_extent(cameo_context *context, int32_t output, int32_t dim,
                          cameo_tensor *tensor) {
  CAMEO_TRY(check(context, output));
  if (!tensor)
    return error_null_argument();
  return context->target->extent(context, output, dim, tensor);
}

cameo_status cameo_buffer(cameo_context *context, int32_t index, cameo_tensor *tensor) {
  CAMEO_TRY(check(context));
  const int32_t ports = context->model->input_count + context->model->output_count;
  if (index < 0 || index >= ports)
    return error_index(index, ports);
  if (!tensor)
    return error_null_argument();
  return context->target->buffer(context, index, tensor);
}

cameo_status cameo_counters_of(cameo_context *context, cameo_counters *counters) {
  CAMEO_TRY(check(context));
  if (!counters)
    return error_null_argument();
  return context->target->counters(context, counters);
}

cameo_status cameo_weights_load(const cameo_model *model, const cameo_options *options,
                                cameo_weights **weights) {
  if (!model || !weights)
    return error_null_argument();
  *weights = nullptr;
  if (model->abi != CAMEO_ABI_VERSION)
    return error_model_version(model->abi);
  return model->target->weights_load(model, options, weights);
}

void cameo_weights_release(cameo_weights *weights) {
  if (weights)
    weights->target->weights_release(weights);
}

} // extern "C"
