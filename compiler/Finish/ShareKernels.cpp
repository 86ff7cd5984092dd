// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that differ in a few numbers become one function, which takes these.

#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Finish/KernelSpelling.h"
#include "Finish/Passes.h"
#include "llvm/ADT/SmallBitVector.h"

#include <map>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace cameo {
#define GEN_PASS_DEF_SHAREKERNELSPASS
#include "Finish/Passes.h.inc"
} // namespace cameo

namespace {

/// A function that takes more numbers would be hard to read.
constexpr size_t kMostNumbers = 8;
/// Groups of the same words that a kernel is compared with: of a chain of thousands no two may
/// differ in few numbers.
constexpr size_t kMostCompared = 4;

/// A kernel of a group, and the launches that start it.
struct Member {
  host::KernelOp kernel;
  KernelSpelling spelling;
  SmallVector<host::LaunchKernelOp> launches;
};

/// Kernels that one function serves, the first one's.
struct KernelGroup {
  SmallVector<Member> members;
  /// In which numbers any differs from the first.
  llvm::SmallBitVector differing;

  void share();

private:
  void takeNumbers(ArrayRef<StringAttr> symbols);
  void launchFirst(Member &member);
};

/// The groups of a module, in the order of their first kernels.
class KernelGroups {
public:
  void add(Member member);
  MutableArrayRef<KernelGroup> get() { return groups; }

private:
  std::vector<KernelGroup> groups;
  std::map<std::vector<const void *>, SmallVector<size_t>> alike;
};

} // namespace

/// In which numbers any of a group differs from the first, if one of these is added.
static llvm::SmallBitVector findDiffering(const KernelGroup &group,
                                          ArrayRef<KernelNumber> numbers) {
  llvm::SmallBitVector differing = group.differing;
  for (auto [position, pair] :
       llvm::enumerate(llvm::zip_equal(group.members.front().spelling.numbers, numbers)))
    if (std::get<0>(pair).value != std::get<1>(pair).value)
      differing.set(position);
  return differing;
}

void KernelGroups::add(Member member) {
  SmallVector<size_t> &known = alike[member.spelling.words];
  for (size_t number : ArrayRef(known).take_back(kMostCompared)) {
    KernelGroup &group = groups[number];
    llvm::SmallBitVector differing = findDiffering(group, member.spelling.numbers);
    if (differing.count() > kMostNumbers)
      continue;
    group.differing = std::move(differing);
    group.members.push_back(std::move(member));
    return;
  }
  known.push_back(groups.size());
  groups.emplace_back();
  groups.back().differing.resize(member.spelling.numbers.size());
  groups.back().members.push_back(std::move(member));
}

/// Names for the numbers in which members differ, beside the kernel's own symbols.
static SmallVector<StringAttr> nameNumbers(const KernelGroup &group) {
  const Member &first = group.members.front();
  llvm::StringMap<unsigned> taken;
  for (StringRef symbol : first.spelling.symbols)
    taken[symbol] = 1;
  SmallVector<StringAttr> names;
  for (unsigned position : group.differing.set_bits()) {
    StringRef base = first.spelling.numbers[position].getBase();
    std::string name = base.str();
    for (unsigned next = 1; taken.contains(name); ++next)
      name = (base + "_" + Twine(next)).str();
    taken[name] = 1;
    names.push_back(StringAttr::get(first.kernel->getContext(), name));
  }
  return names;
}

/// The first kernel names symbols in place of its numbers.
void KernelGroup::takeNumbers(ArrayRef<StringAttr> symbols) {
  host::KernelOp kernel = members.front().kernel;
  for (auto [position, symbol] : llvm::zip_equal(differing.set_bits(), symbols))
    members.front().spelling.numbers[position].replaceBy(kernel, symbol);
  kernel.setNumbersAttr(
      ArrayAttr::get(kernel.getContext(), SmallVector<Attribute>(symbols.begin(), symbols.end())));
}

/// Launches of a member start the first one's kernel, with the values of its symbols.
void KernelGroup::launchFirst(Member &member) {
  const Member &first = members.front();
  Builder builder(member.kernel.getContext());
  SmallVector<Attribute> numbers;
  for (unsigned position : differing.set_bits())
    numbers.push_back(member.spelling.numbers[position].value);
  llvm::StringMap<unsigned> positions;
  for (auto [position, symbol] :
       llvm::enumerate(member.kernel.getSymbols().getAsValueRange<StringAttr>()))
    positions[symbol] = position;
  for (host::LaunchKernelOp launch : member.launches) {
    SmallVector<Value> values;
    for (StringRef symbol : member.spelling.symbols)
      values.push_back(launch.getValues()[positions.at(symbol)]);
    launch.getValuesMutable().assign(values);
    launch.setNumbersAttr(builder.getArrayAttr(numbers));
    launch.setKernelAttr(FlatSymbolRefAttr::get(first.kernel));
  }
}

void KernelGroup::share() {
  for (Member &member : members)
    launchFirst(member);
  host::KernelOp kernel = members.front().kernel;
  kernel.setSymbolsAttr(
      Builder(kernel.getContext()).getStrArrayAttr(members.front().spelling.symbols));
  takeNumbers(nameNumbers(*this));
  for (Member &member : MutableArrayRef(members).drop_front())
    member.kernel.erase();
}

namespace {

struct ShareKernelsPass : cameo::impl::ShareKernelsPassBase<ShareKernelsPass> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    SymbolFacts facts = findSymbolFacts(main);
    llvm::DenseMap<StringAttr, SmallVector<host::LaunchKernelOp>> launches;
    prog::walkOutsideKernels(main, [&](host::LaunchKernelOp launch) {
      launches[launch.getKernelAttr().getAttr()].push_back(launch);
    });
    KernelGroups groups;
    for (auto kernel : getOperation().getOps<host::KernelOp>())
      groups.add({kernel, spellKernel(kernel, facts), launches[kernel.getSymNameAttr()]});
    for (KernelGroup &group : groups.get())
      group.share();
  }
};

} // namespace
