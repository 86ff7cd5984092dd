// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler writes for a two-layer perceptron, written by hand: the text that code emission
// aims at, kept compiling and correct by the runtime's tests.
// inputs:  x float32 [N, 64]
// outputs: y float32 [N, 10]
#pragma once

#include "cameo/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

const cameo_model *mlp_describe(void);
cameo_status mlp_infer_shapes(const cameo_tensor *inputs, int32_t input_count,
                              cameo_tensor *outputs, int32_t output_count);
cameo_status mlp_memory(const cameo_tensor *inputs, int32_t input_count, cameo_memory *plan);
cameo_status mlp_create(const cameo_options *options, cameo_context **context);
cameo_status mlp_run(cameo_context *context, const cameo_tensor *inputs, int32_t input_count,
                     cameo_tensor *outputs, int32_t output_count, void *stream);
void mlp_destroy(cameo_context *context);

#ifdef __cplusplus
}
#endif
