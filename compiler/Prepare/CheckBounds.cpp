// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Without a heap all memory is given beforehand, so every value's size must have a bound.

#include "Prepare/Passes.h"
#include "Prepare/ShapeProgram.h"
#include "Support/Diagnostic.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace cameo {
#define GEN_PASS_DEF_CHECKBOUNDSPASS
#include "Prepare/Passes.h.inc"
} // namespace cameo

namespace {

/// As many values as a diagnostic names of each dim.
constexpr size_t kMostNamed = 8;

/// The values that a dim makes unbounded, the first one's op where there is one.
struct Unbounded {
  Operation *op = nullptr;
  SmallVector<std::string> names;
  /// No flag says anything of the dim: the run decides it.
  bool isLate = false;
};

class BoundsCheck {
public:
  explicit BoundsCheck(func::FuncOp main) : main(main), shape(main) {}

  LogicalResult run();

private:
  void check(Value value, Operation *op);
  void add(StringRef symbol, Value value, Operation *op, bool isLate);

  func::FuncOp main;
  ShapeProgram shape;
  llvm::MapVector<StringRef, Unbounded> found;
};

void BoundsCheck::add(StringRef symbol, Value value, Operation *op, bool isLate) {
  Unbounded &dim = found[symbol];
  if (!dim.op)
    dim.op = op;
  dim.isLate |= isLate;
  auto argument = dyn_cast<BlockArgument>(value);
  std::string name =
      argument ? host::getInputName(main, argument.getArgNumber()) : host::getName(value).str();
  std::string text = name.empty() ? "a value without a name" : quoteText(name);
  if (!llvm::is_contained(dim.names, text))
    dim.names.push_back(std::move(text));
}

void BoundsCheck::check(Value value, Operation *op) {
  auto tensor = dyn_cast<SymTensorType>(value.getType());
  if (!tensor || !tensor.hasRank())
    return;
  llvm::SetVector<StringRef> seen;
  for (ExtentAttr extent : tensor.getExtents()) {
    ExtentAttr capacity = shape.getCapacity(extent);
    llvm::SetVector<StringRef> symbols;
    (capacity.isUnknown() ? extent : capacity).collectSymbols(symbols);
    for (StringRef symbol : symbols) {
      bool isEntry = shape.isKnown(symbol);
      bool isBounded = shape.getFacts().lookup(symbol).max < kMaxSymbolExtent;
      if (!isBounded && seen.insert(symbol))
        add(symbol, value, op, !isEntry);
    }
  }
}

LogicalResult BoundsCheck::run() {
  llvm::SetVector<StringRef> dims;
  for (BlockArgument argument : main.getArguments()) {
    check(argument, main);
    if (auto tensor = dyn_cast<SymTensorType>(argument.getType()); tensor && tensor.hasRank())
      for (ExtentAttr extent : tensor.getExtents())
        extent.collectSymbols(dims);
  }
  main.walk([&](Operation *op) {
    auto rows = op->getAttrOfType<DenseI64ArrayAttr>("buffers");
    if (!rows)
      return;
    int64_t perResult = rows.size() / std::max<int64_t>(op->getNumResults(), 1);
    for (OpResult result : op->getResults())
      if (rows[result.getResultNumber() * perResult] >= 0)
        check(result, op);
  });
  for (auto &[symbol, dim] : found) {
    std::string names;
    for (const std::string &name : ArrayRef(dim.names).take_front(kMostNamed))
      names += (names.empty() ? "" : ", ") + name;
    if (dim.names.size() > kMostNamed)
      names += " and " + std::to_string(dim.names.size() - kMostNamed) + " more";
    InFlightDiagnostic error = dim.op->emitError();
    error << "without a heap, dim " << quoteText(symbol) << " of " << names << " needs a bound: ";
    if (dim.isLate)
      error << "the run decides it, and no flag bounds it";
    else if (dims.contains(symbol))
      error << "--dim " << escapeText(symbol) << "=1..N";
    else
      error << "an element of an input decides it; an upper limit by --assert, as "
               "'NAME[0] in 0..N', bounds it";
  }
  return success(found.empty());
}

struct CheckBoundsPass : cameo::impl::CheckBoundsPassBase<CheckBoundsPass> {
  void runOnOperation() override {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (main && failed(BoundsCheck(main).run()))
      signalPassFailure();
  }
};

} // namespace
