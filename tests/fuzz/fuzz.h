// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the fuzz targets share: a property that does not hold ends the program, as a sanitizer's
// finding does, and libFuzzer keeps the input.

#ifndef CAMEO_TESTS_FUZZ_FUZZ_H
#define CAMEO_TESTS_FUZZ_FUZZ_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace cameo::fuzz {

inline void require(bool holds, const char *property, const std::string &what = "") {
  if (holds)
    return;
  std::fprintf(stderr, "BROKEN PROPERTY: %s: %s\n", property, what.c_str());
  std::abort();
}

} // namespace cameo::fuzz

#endif // CAMEO_TESTS_FUZZ_FUZZ_H
