// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which copy of a model runs: by what processors and systems say of themselves, and by this one's.
#include "instruction_sets.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <string>

using namespace cameo;
using cpu::isa;

namespace {

uint32_t word(std::initializer_list<int> bits) {
  uint32_t word = 0;
  for (const int bit : bits)
    word |= 1u << bit;
  return word;
}

/// A processor and a system with all that is asked for.
cpu::processor_bits complete() {
  return {word({12, 22, 27, 28, 29}), word({5}), word({3, 5, 8, 16, 17, 28, 30, 31}), word({11}),
          0xe6};
}

/// Without one of these bits, and then without the next.
void expect_without(std::initializer_list<int> bits, uint32_t cpu::processor_bits::*word,
                    isa found) {
  for (const int bit : bits) {
    cpu::processor_bits machine = complete();
    machine.*word &= ~(1u << bit);
    INFO("bit " << bit);
    CHECK(cpu::find_isa(machine) == found);
  }
}

/// CAMEO_ISA as a test wants it.
class environment {
public:
  explicit environment(const char *value) {
    if (const char *known = getenv("CAMEO_ISA"))
      before_ = known;
    setenv("CAMEO_ISA", value, 1);
  }
  ~environment() { setenv("CAMEO_ISA", before_.c_str(), 1); }

private:
  std::string before_;
};

} // namespace

TEST_CASE("an instruction set is there when all its bits are") {
  using bits = cpu::processor_bits;
  CHECK(cpu::find_isa(complete()) == isa::x86_64_v4_avx512vnni);
  CHECK(cpu::find_isa({}) == isa::baseline);
  expect_without({11}, &bits::more_features, isa::x86_64_v4);
  expect_without({16, 17, 28, 30, 31}, &bits::structured_features, isa::x86_64_v3);
  expect_without({3, 5, 8}, &bits::structured_features, isa::baseline);
  expect_without({5}, &bits::extended_features, isa::baseline);
  expect_without({12, 22, 27, 28, 29}, &bits::features, isa::baseline);
}

TEST_CASE("an instruction set whose registers the system does not save is not there") {
  using bits = cpu::processor_bits;
  expect_without({5, 6, 7}, &bits::saved_state, isa::x86_64_v3);
  expect_without({1, 2}, &bits::saved_state, isa::baseline);
}

TEST_CASE("a model runs the best copy that it has and the machine too") {
  for (const isa best : {isa::baseline, isa::x86_64_v3, isa::x86_64_v4, isa::x86_64_v4_avx512vnni})
    CHECK(cpu::machine_isa(best) <= best);
  CHECK(cpu::machine_isa() == cpu::machine_isa(isa::x86_64_v4));
}

#if defined(__x86_64__)
TEST_CASE("this machine's instruction set is the one that the compiler's runtime finds") {
  const char *wanted = getenv("CAMEO_ISA");
  if (wanted && *wanted)
    return;
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
  const bool vnni = v4 && __builtin_cpu_supports("avx512vnni");
  CHECK(cpu::machine_isa(isa::x86_64_v4_avx512vnni) == (vnni ? isa::x86_64_v4_avx512vnni
                                                        : v4 ? isa::x86_64_v4
                                                        : v3 ? isa::x86_64_v3
                                                             : isa::baseline));
}
#endif

TEST_CASE("CAMEO_ISA is a name, and one that the machine has") {
  for (const char *name : {"x86-64-v4-", "x86_64_v4_avx512vnni", "avx512vnni"}) {
    const environment set(name);
    CHECK(cpu::check_isa(nullptr).code == CAMEO_INVALID_ARGUMENT);
  }
  const environment set("x86-64-v4-avx512vnni");
  const int32_t code = cpu::check_isa(nullptr, isa::x86_64_v4_avx512vnni).code;
  CHECK((code == CAMEO_OK || code == CAMEO_UNSUPPORTED));
}
