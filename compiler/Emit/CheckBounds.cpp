// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/CheckBounds.h"

#include "Support/Diagnostic.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace {

/// As many values as a diagnostic names of each dim.
constexpr size_t kMostNamed = 8;

/// The values that a dim makes unbounded, the first one's op where there is one.
struct Unbounded {
  Operation *op = nullptr;
  SmallVector<std::string> names;
  /// Of a dim that the run decides, no flag says anything.
  bool isLate = false;
};

class BoundsCheck {
public:
  explicit BoundsCheck(const Program &program) : program(program) {}

  LogicalResult run();

private:
  void check(Value value, Operation *op);
  void add(StringRef symbol, Value value, Operation *op, bool isLate);

  const Program &program;
  llvm::MapVector<StringRef, Unbounded> found;
};

void BoundsCheck::add(StringRef symbol, Value value, Operation *op, bool isLate) {
  Unbounded &dim = found[symbol];
  if (!dim.op)
    dim.op = op;
  dim.isLate |= isLate;
  StringRef name = program.getName(value);
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
    ExtentAttr capacity = program.getCapacity(extent);
    llvm::SetVector<StringRef> symbols;
    (capacity.isUnknown() ? extent : capacity).collectSymbols(symbols);
    for (StringRef symbol : symbols) {
      bool isEntry = program.isEntrySymbol(symbol);
      bool isBounded = program.getFacts().lookup(symbol).max < kMaxSymbolExtent;
      if (!isBounded && seen.insert(symbol))
        add(symbol, value, op, !isEntry);
    }
  }
}

LogicalResult BoundsCheck::run() {
  func::FuncOp main = program.getMain();
  for (BlockArgument argument : program.getBody().getArguments())
    check(argument, main);
  main.walk([&](Operation *op) {
    for (OpResult result : op->getResults())
      if (program.getBufferOf(result) >= 0)
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
    else
      error << "--dim " << escapeText(symbol) << "=1..N";
  }
  return success(found.empty());
}

} // namespace

LogicalResult cameo::checkBounds(const Program &program) { return BoundsCheck(program).run(); }
