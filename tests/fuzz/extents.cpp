// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts as extents. An input is up to four lines: each is read, and joined with those before it by
// every operation. Text reads back to the same pointer, and no operation changes a value.

#include "fuzz.h"

#include "Dialect/Core/IR/CoreDialect.h"
#include "Dialect/Core/IR/ExtentFacts.h"

#include "mlir/IR/MLIRContext.h"

#include <memory>

using namespace cameo;
using namespace cameo::core;

namespace {

using Value = std::optional<int64_t>;
__extension__ using Wide = __int128;

mlir::MLIRContext &getContext() {
  static std::unique_ptr<mlir::MLIRContext> context;
  static unsigned uses = 0;
  if (uses++ % 2000 == 0) {
    context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    context->loadDialect<CoreDialect>();
  }
  return *context;
}

/// Some number for each name, negative ones and zero among them.
Value evaluate(ExtentAttr extent, int64_t shift) {
  return extent.evaluate([&](llvm::StringRef name) -> Value {
    return (name.empty() ? 3 : static_cast<unsigned char>(name.front()) + int64_t(name.size())) %
               11 +
           shift;
  });
}

Wide floorDiv(Wide a, Wide b) {
  Wide quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

struct Operation {
  const char *name;
  ExtentAttr (*build)(ExtentAttr, ExtentAttr);
  Wide (*compute)(Wide, Wide);
  bool divides = false;
};

constexpr Operation kOperations[] = {
    {"+", [](ExtentAttr x, ExtentAttr y) { return x + y; }, [](Wide a, Wide b) { return a + b; }},
    {"-", [](ExtentAttr x, ExtentAttr y) { return x - y; }, [](Wide a, Wide b) { return a - b; }},
    {"*", [](ExtentAttr x, ExtentAttr y) { return x * y; }, [](Wide a, Wide b) { return a * b; }},
    {"floordiv", [](ExtentAttr x, ExtentAttr y) { return x.floorDiv(y); }, floorDiv, true},
    {"ceildiv", [](ExtentAttr x, ExtentAttr y) { return x.ceilDiv(y); },
     [](Wide a, Wide b) { return -floorDiv(-a, b); }, true},
    {"mod", [](ExtentAttr x, ExtentAttr y) { return x.mod(y); },
     [](Wide a, Wide b) { return a - b * floorDiv(a, b); }, true},
    {"min", [](ExtentAttr x, ExtentAttr y) { return x.min(y); },
     [](Wide a, Wide b) { return std::min(a, b); }},
    {"max", [](ExtentAttr x, ExtentAttr y) { return x.max(y); },
     [](Wide a, Wide b) { return std::max(a, b); }}};

void checkText(ExtentAttr extent) {
  std::string text = extent.str(), error;
  llvm::FailureOr<ExtentAttr> again = parseExtent(text, extent.getContext(), error);
  fuzz::require(succeeded(again) && *again == extent, "text reads back to the same", text + error);
}

void checkOperation(const Operation &operation, ExtentAttr x, ExtentAttr y) {
  ExtentAttr joined = operation.build(x, y);
  checkText(joined);
  for (int64_t shift : {-6, 0, 5}) {
    Value left = evaluate(x, shift), right = evaluate(y, shift), got = evaluate(joined, shift);
    if (!left || !right || !got || (operation.divides && *right == 0))
      continue;
    fuzz::require(operation.compute(*left, *right) == *got, "the normal form keeps the value",
                  x.str() + " " + operation.name + " " + y.str() + " is " + joined.str());
  }
}

void checkFacts(ExtentAttr x, ExtentAttr y) {
  llvm::SetVector<llvm::StringRef> symbols;
  x.collectSymbols(symbols);
  ExtentFacts facts;
  for (llvm::StringRef name : symbols)
    facts.setRange(name, 0, 16);
  ExtentAttr simple = simplify(x, facts);
  ExtentRange bounds = range(x, facts);
  Value value = evaluate(x, 0), simpler = evaluate(simple, 0), other = evaluate(y, 0);
  if (!value)
    return;
  fuzz::require(!simpler || *simpler == *value, "simplifying keeps the value",
                x.str() + " is " + simple.str());
  fuzz::require(bounds.lo().value_or(*value) <= *value && bounds.hi().value_or(*value) >= *value,
                "a value lies in its range", x.str());
  fuzz::require(!other || !provablyEqual(x, y, facts) || *value == *other,
                "what is provably equal is equal", x.str() + " and " + y.str());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  mlir::MLIRContext &context = getContext();
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(reinterpret_cast<const char *>(data), size).split(lines, '\n', 3);
  llvm::SmallVector<ExtentAttr> extents;
  for (llvm::StringRef line : lines) {
    std::string error;
    llvm::FailureOr<ExtentAttr> parsed = parseExtent(line, &context, error);
    fuzz::require(succeeded(parsed) == error.empty(), "an extent or an error", error);
    if (succeeded(parsed))
      extents.push_back(*parsed);
  }
  for (ExtentAttr x : extents) {
    checkText(x);
    for (ExtentAttr y : extents) {
      for (const Operation &operation : kOperations)
        checkOperation(operation, x, y);
      checkFacts(x, y);
    }
  }
  return 0;
}
