// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which file each kernel is in, and what it is called.

#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Finish/Passes.h"
#include "Finish/TargetOf.h"
#include "Support/Identifiers.h"
#include "Support/NodeLocation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace cameo {
#define GEN_PASS_DEF_NAMEKERNELSPASS
#include "Finish/Passes.h.inc"
} // namespace cameo

namespace {

/// Few enough that a file compiles in seconds, and enough of them to keep `make -j` busy.
constexpr size_t kKernelsPerFile = 12;
/// A name is made of so many operators at most.
constexpr size_t kMostOperators = 3;

using KernelFile = SmallVector<host::KernelOp>;

/// The header whose template a kernel calls; none of one that is written out.
StringRef getHeader(host::KernelOp kernel) {
  host::TemplateAttr called = kernel.getCalledTemplateAttr();
  return called ? called.getHeader().getValue() : StringRef();
}

/// Kernels of a header are in one file, or a few, where all do not fit into one: what the header's
/// templates have in common, such as register tiles, is compiled once then.
SmallVector<KernelFile> shareAmongFiles(ArrayRef<host::KernelOp> kernels) {
  if (kernels.size() <= kKernelsPerFile)
    return {KernelFile(kernels)};
  llvm::MapVector<StringRef, KernelFile> ofHeader;
  for (host::KernelOp kernel : kernels)
    ofHeader[getHeader(kernel)].push_back(kernel);
  SmallVector<KernelFile> files;
  for (auto &[header, own] : ofHeader) {
    KernelFile *file = llvm::find_if(files, [count = own.size()](const KernelFile &file) {
      return file.size() + count <= kKernelsPerFile;
    });
    for (host::KernelOp kernel : own) {
      if (file == files.end() || file->size() == kKernelsPerFile) {
        files.emplace_back();
        file = &files.back();
      }
      file->push_back(kernel);
    }
  }
  return files;
}

/// The names of fused nodes: `/block1/conv` and `/block1/relu` are `/block1/conv_relu`, `stem` and
/// `stem_relu` are `stem_relu`, and so on while that stays short.
std::string joinNames(ArrayRef<NodeLocation> nodes) {
  StringRef first = nodes.front().name;
  std::string joined = first.str();
  for (const NodeLocation &node : nodes.drop_front()) {
    if (node.name.starts_with(joined + "_")) {
      joined = node.name.take_front(kMaxIdentifier).str();
      continue;
    }
    auto own = std::mismatch(node.name.begin(), node.name.end(), first.begin(), first.end()).first;
    StringRef shared = node.name.take_front(own - node.name.begin());
    StringRef rest = node.name.drop_front(shared.find_last_of("/.") + 1);
    if (joined.size() + 1 + rest.size() > kMaxIdentifier)
      break;
    joined += "_" + rest.str();
  }
  return joined;
}

std::string joinOperators(ArrayRef<NodeLocation> nodes) {
  std::string joined;
  for (const NodeLocation &node : nodes.take_front(kMostOperators))
    joined += (joined.empty() ? "" : "_") + llvm::convertToSnakeFromCamelCase(node.opType);
  return joined;
}

/// The name of a kernel by itself: its nodes, or the operators if it serves several launches. A
/// node without a name goes by its output, as in run(); the operators come before it, `relu_y`.
std::string getBase(ArrayRef<NodeLocation> nodes, bool isShared) {
  if (nodes.empty())
    return "kernel";
  if (isShared || nodes.front().name.empty())
    return joinOperators(nodes);
  bool isNamed =
      llvm::any_of(nodes, [](const NodeLocation &node) { return node.name != node.getOutput(0); });
  return isNamed ? joinNames(nodes) : joinOperators(nodes) + "_" + nodes.back().name.str();
}

struct NameKernelsPass : cameo::impl::NameKernelsPassBase<NameKernelsPass> {
  void runOnOperation() override;

private:
  void name(host::KernelOp kernel);

  llvm::DenseMap<StringAttr, unsigned> launches;
  /// The nodes of the kernels so far.
  llvm::DenseSet<StringRef> named;
};

} // namespace

/// The template's name tells several functions of one node apart, or that one is there for the
/// caller's strides.
void NameKernelsPass::name(host::KernelOp kernel) {
  SmallVector<NodeLocation> nodes;
  collectNodes(kernel.getLoc(), nodes);
  std::string base = getBase(nodes, launches.lookup(kernel.getSymNameAttr()) > 1);
  bool isNew = kernel.getStrides().has_value();
  if (!kernel.getStrides())
    for (const NodeLocation &node : nodes)
      isNew |= named.insert(node.name).second;
  if (auto call = dyn_cast<CallOp>(kernel.getKernel()); call && !isNew)
    base += ("_" + call.getCallee()).str();
  if (kernel.getStrides())
    base += "_strided";
  kernel.setCalled(base);
}

void NameKernelsPass::runOnOperation() {
  ModuleOp module = getOperation();
  const Target *target = findTargetOf(module);
  launches.clear();
  named.clear();
  walkOutsideKernels(
      module, [&](host::LaunchKernelOp launch) { ++launches[launch.getKernelAttr().getAttr()]; });
  auto all = llvm::to_vector(module.getOps<host::KernelOp>());
  for (const TargetSide *side : target->getSides()) {
    SmallVector<host::KernelOp> own;
    llvm::copy_if(all, std::back_inserter(own), [&](host::KernelOp kernel) {
      return &target->getSide(kernel.getSide()) == side;
    });
    if (own.empty())
      continue;
    for (auto [number, file] : llvm::enumerate(shareAmongFiles(own)))
      for (host::KernelOp kernel : file) {
        kernel.setFile(number);
        kernel->moveBefore(module.getBody(), module.getBody()->end());
        name(kernel);
      }
  }
}

SmallVector<std::unique_ptr<Pass>> cameo::createFinishPasses() {
  SmallVector<std::unique_ptr<Pass>> passes;
  passes.push_back(createOutlineKernelsPass());
  passes.push_back(createReadTemplatesPass());
  passes.push_back(createMergeLoopsPass());
  passes.push_back(createHoldBytesPass());
  passes.push_back(createWidenFunctorsPass());
  passes.push_back(createMarkCrosswisePass());
  passes.push_back(createShareKernelsPass());
  passes.push_back(createNameKernelsPass());
  passes.push_back(createVerifyKernelsPass());
  return passes;
}
