// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model built several times into one program, once per instruction set: the generated
// CMakeLists.txt compiles its files for x86-64-v4, for x86-64-v3 and without a flag, each into a
// namespace of that name, and every call of the model's interface goes to the copy that fits the
// machine. A model whose kernels are faster by an extension has a copy for the level with that too.
// Scratch sizes follow the kernels, so whole programs are chosen, never single kernels.
#pragma once

#include "cameo/cpu/context.h"

namespace cameo::cpu {

/// The entries of a copy.
struct model_copy {
  status (*infer_shapes)(const cameo_tensor *inputs, int32_t input_count, cameo_tensor *outputs,
                         int32_t output_count);
  status (*memory)(const cameo_tensor *inputs, int32_t input_count, cameo_memory *plan);
  body run;
};

/// Each has what those before it have.
enum class isa : int32_t { baseline, x86_64_v3, x86_64_v4, x86_64_v4_avx512vnni };

/// The best that machine and system can run, or what the environment's CAMEO_ISA (x86-64,
/// x86-64-v3, x86-64-v4, x86-64-v4-avx512vnni) says instead, if they can; but no more than `best`,
/// for which the model has its best copy. Found once; the same for the whole program.
isa machine_isa(isa best = isa::x86_64_v4);

/// For NAME_create: refuses a CAMEO_ISA that is no such name or more than the machine has, and
/// tells the logger which copy runs.
status check_isa(const cameo_options *options, isa best = isa::x86_64_v4);

} // namespace cameo::cpu
