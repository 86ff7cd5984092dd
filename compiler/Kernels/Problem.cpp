// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Problem.h"

#include "Dialect/Core/IR/BoundedMemory.h"
#include "cameo/pack/winograd.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

static Amount makeAmount(std::optional<int64_t> value) { return value ? *value : INT64_MAX; }

Amount cameo::operator+(Amount a, Amount b) {
  return makeAmount(llvm::checkedAdd(a.get(), b.get()));
}

Amount cameo::operator*(Amount a, Amount b) {
  return makeAmount(llvm::checkedMul(a.get(), b.get()));
}

Problem::Problem(Operation *op, const ExtentFacts &facts)
    : facts(facts), precision(PrecisionAttr::lookup(op)), isBounded(core::isBounded(op)) {
  if (TargetAttr target = TargetAttr::lookup(op))
    machine = target.getComputing().getMachine();
}

Problem &Problem::set(StringRef name, ArrayRef<ExtentAttr> extents) {
  Member &member = members[name];
  for (ExtentAttr extent : extents) {
    member.numbers.push_back(estimate(extent, facts));
    member.isKnown &= extent.getConstant().has_value();
  }
  return *this;
}

Problem &Problem::set(StringRef name, ArrayRef<int64_t> numbers) {
  members[name].numbers.assign(numbers.begin(), numbers.end());
  return *this;
}

Problem &Problem::setConstant(StringRef operand, bool is) {
  if (is)
    constants.insert(operand);
  return *this;
}

Problem &Problem::setPlanes(StringRef operand, bool are) {
  if (are)
    planes.insert(operand);
  return *this;
}

const Problem::Member &Problem::get(StringRef name) const {
  auto found = members.find(name);
  assert(found != members.end() && "a variant names a member that was not set");
  return found->second;
}

bool Problem::fits(Amount bytes) const { return bytes <= machine.getFact("core_cache"); }

bool Problem::is_winograd(Amount tile, Amount taps) const {
  return cameo::is_winograd(tile.get(), taps.get());
}
