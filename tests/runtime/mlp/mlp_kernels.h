// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels of mlp, one function for each group of fused nodes.
#pragma once

#include "cameo/cpu/exec.h"

namespace cameo::gen::mlp {

using namespace cameo::cpu;

void fc1(exec &e, const float *x, const float *w1, const float *b1, float *h, int64_t N);
void fc2(exec &e, const float *h, const float *w2, const float *b2, float *z, int64_t N);
void soft(exec &e, const float *z, float *y, int64_t N);

/// Bytes that the kernels take from exec::scratch() at most.
int64_t scratch(int threads, int64_t N);

} // namespace cameo::gen::mlp
