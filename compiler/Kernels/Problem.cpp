// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Problem.h"

#include "Dialect/Core/IR/BoundedMemory.h"
#include "Kernels/Explained.h"
#include "Support/NodeLocation.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <numeric>

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

static TargetSideAttr getComputing(Operation *op) {
  TargetAttr target = TargetAttr::lookup(op);
  return target ? target.getComputing() : TargetSideAttr();
}

Problem::Problem(Operation *op, TargetSideAttr side, const ExtentFacts &facts)
    : op(op), facts(&facts), context(op->getContext()), precision(PrecisionAttr::lookup(op)),
      isBounded(core::isBounded(op)), explained(explainsChoices(op)) {
  if (side) {
    machine = side.getMachine();
    kernels = side.getKernels();
  }
}

Problem::Problem(Operation *op, const ExtentFacts &facts) : Problem(op, getComputing(op), facts) {}

static SmallVector<Amount, 2> estimateAll(ArrayRef<ExtentAttr> extents, const ExtentFacts &facts) {
  return llvm::map_to_vector<2>(extents, [&](ExtentAttr extent) {
    return Amount(estimate(extent, facts), extent.isConstant());
  });
}

ModuleOp Problem::getModule() const {
  auto module = dyn_cast<ModuleOp>(op);
  return module ? module : op->getParentOfType<ModuleOp>();
}

std::string Problem::getNode() const { return describeNode(op->getLoc()); }

Problem &Problem::set(StringRef name, ArrayRef<ExtentAttr> extents) {
  Member &member = members[name];
  member.extents.assign(extents.begin(), extents.end());
  member.numbers = estimateAll(extents, *facts);
  member.divisors = llvm::map_to_vector<2>(
      extents, [&](ExtentAttr extent) { return divisibility(extent, *facts); });
  return *this;
}

Problem Problem::estimateBy(const ExtentFacts &others) const {
  Problem estimated = *this;
  for (auto &entry : estimated.members)
    entry.second.numbers = estimateAll(entry.second.extents, others);
  return estimated;
}

Problem &Problem::set(const NamedAttrList &named) {
  for (NamedAttribute member : named) {
    if (auto array = dyn_cast<ArrayAttr>(member.getValue()))
      set(member.getName(), llvm::to_vector(array.getAsRange<ExtentAttr>()));
    else if (auto extent = dyn_cast<ExtentAttr>(member.getValue()))
      set(member.getName(), extent);
    else if (auto flag = dyn_cast<BoolAttr>(member.getValue()))
      set(member.getName(), ExtentAttr::constant(context, flag.getValue()));
    else
      set(member.getName(),
          ExtentAttr::constant(context, cast<IntegerAttr>(member.getValue()).getInt()));
  }
  return *this;
}

Problem &Problem::setConstant(StringRef operand, bool is) {
  if (is)
    constants.insert(operand);
  return *this;
}

Problem &Problem::setBudget(int64_t bytes) {
  budget = bytes;
  return *this;
}

Problem &Problem::setPlanes(StringRef operand, bool are) {
  if (are)
    planes.insert(operand);
  return *this;
}

Problem &Problem::setListed(StringRef operand, bool are) {
  if (are)
    listed.insert(operand);
  return *this;
}

const Problem::Member &Problem::get(StringRef name) const {
  auto found = members.find(name);
  assert(found != members.end() && "a variant names a member that was not set");
  return found->second;
}

ArrayRef<ExtentAttr> Problem::getExtents(StringRef member) const { return get(member).extents; }

Amount Problem::volume(const Member &member) const {
  return std::accumulate(member.numbers.begin(), member.numbers.end(), Amount(1),
                         [](Amount product, Amount number) { return product * number; });
}

bool Problem::fits(Amount bytes) const { return bytes <= machine.getFact("core_cache"); }
