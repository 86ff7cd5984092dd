// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the runtime API that kernels call, where nvcc knows them without a header.
#pragma once

void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned int value);
