// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The records of all targets: each in a file of its own, listed here and in Target.cpp.

#ifndef CAMEO_TARGET_TARGETS_H
#define CAMEO_TARGET_TARGETS_H

#include "Target/Target.h"

namespace cameo {

extern const KernelSet kCpuKernels;
extern const Target kCpuTarget;
extern const Platform kCpuPlatform;

extern const KernelSet kCudaKernels;
extern const Target kCudaTarget;
extern const Platform kCudaPlatform, kCudaEmulatorPlatform;

} // namespace cameo

#endif // CAMEO_TARGET_TARGETS_H
