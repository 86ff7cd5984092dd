// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in for a model file beside the hand-made mlp: its weights, made of the same numbers
// on every machine, and a reference of what it should say.
#pragma once

#include <cstdint>
#include <vector>

namespace mlp_test {

/// W1 [32, 64], b1 [32], W2 [10, 32], b2 [10], as they lie in the payload.
std::vector<float> weights();
/// The blob, header first, as the file has it.
std::vector<unsigned char> blob();
/// n rows of input.
std::vector<float> input(int64_t n);
/// softmax(relu(x W1' + b1) W2' + b2) in double.
std::vector<double> reference(const std::vector<float> &x);

} // namespace mlp_test
