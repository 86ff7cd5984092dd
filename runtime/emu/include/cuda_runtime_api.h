// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands where the CUDA Toolkit's header of the same name would: the part of the runtime API that
// Cameo's runtime and generated code use, declared in our own words, implemented by the emulator
// (cudart_*.cpp). Host code includes <cuda_runtime_api.h> and gets this one or NVIDIA's by include
// path alone; tests/emu holds every prototype and every enumerator equal where the toolkit is
// installed. CAMEO_CUDA_EMULATED tells which one it got.
#pragma once

#define CAMEO_CUDA_EMULATED 1

#include "cudart_types.h"

#include "cudart_functions.h"

#include "cudart_kernel_functions.h"
