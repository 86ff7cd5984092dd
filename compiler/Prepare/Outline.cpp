// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Prepare/Outline.h"

#include "Dialect/Core/IR/Limits.h"
#include "Prepare/Lowering.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

/// A function in front of @main, with the builder at its end.
static void addFunction(func::FuncOp main, StringRef name, OpBuilder &builder) {
  builder.setInsertionPoint(main);
  auto function =
      func::FuncOp::create(builder, main.getLoc(), name, builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
  auto end = func::ReturnOp::create(builder, main.getLoc());
  builder.setInsertionPoint(end);
}

//===----------------------------------------------------------------------===//
// @read_symbols
//===----------------------------------------------------------------------===//

/// Adds the checks that the table of the model cannot say: dims that are expressions, divisors.
static void addInputChecks(func::FuncOp main, const ShapeProgram &shape,
                           const SymbolValues &symbols, OpBuilder &builder) {
  Location location = main.getLoc();
  for (auto [number, type] : llvm::enumerate(main.getArgumentTypes()))
    for (auto [axis, extent] : llvm::enumerate(cast<SymTensorType>(type).getExtents()))
      if (!extent.isSymbol() && !extent.isConstant())
        host::CheckDimOp::create(builder, location, number, axis,
                                 symbols.evaluate(builder, location, extent));
  for (StringRef symbol : shape.getInputSymbols())
    if (int64_t divisor = shape.getFacts().lookup(symbol).divisor; divisor > 1)
      host::CheckDivisorOp::create(builder, location, symbols.lookup(symbol), divisor);
}

namespace {

/// The body of @read_symbols.
class ShapeLowering : public StatementLowering {
public:
  using StatementLowering::StatementLowering;
  const SymbolValues &getSymbols() const { return symbols; }
};

} // namespace

LogicalResult cameo::outlineShapeProgram(func::FuncOp main, const ShapeProgram &shape) {
  OpBuilder builder(main.getContext());
  addFunction(main, "read_symbols", builder);
  host::ReadDimsOp::create(builder, main.getLoc(),
                           builder.getStrArrayAttr(shape.getInputSymbols()));
  ShapeLowering lowering(shape, builder);
  lowering.defineSymbols(shape.getInputSymbols(), main.getLoc());

  Block &body = main.getBody().front();
  IRMapping mapping;
  for (BlockArgument argument : body.getArguments()) {
    bool isRead = llvm::any_of(argument.getUsers(), [&](Operation *user) {
      return shape.contains(body.findAncestorOpInBlock(*user));
    });
    if (isRead)
      mapping.map(argument, host::InputDataOp::create(
                                builder, main.getLoc(), argument.getType(), argument.getArgNumber(),
                                host::getInputName(main, argument.getArgNumber()))
                                .getResult());
  }
  // The operations in front of them are lowered already.
  Operation *first = builder.getInsertionPoint()->getPrevNode();
  for (Operation &op : body)
    if (shape.contains(&op))
      builder.clone(op, mapping);
  if (failed(lowering.lowerFrom(first->getNextNode())))
    return failure();
  addInputChecks(main, shape, lowering.getSymbols(), builder);
  return success();
}

//===----------------------------------------------------------------------===//
// @infer_shapes and @memory
//===----------------------------------------------------------------------===//

static void addSymbols(const ShapeProgram &shape, Location location, OpBuilder &builder,
                       SymbolValues &symbols) {
  for (StringRef symbol : shape.getSymbols())
    symbols.define(symbol, host::SymbolOp::create(builder, location, symbol));
}

/// Adds a function that asks the shape program, and the symbols that it may use.
static void addQuery(func::FuncOp main, StringRef name, const ShapeProgram &shape,
                     OpBuilder &builder, SymbolValues &symbols) {
  addFunction(main, name, builder);
  host::ReadSymbolsOp::create(builder, main.getLoc(), IntegerAttr());
  addSymbols(shape, main.getLoc(), builder, symbols);
}

void cameo::outlineInferShapes(func::FuncOp main, const ShapeProgram &shape) {
  OpBuilder builder(main.getContext());
  SymbolValues symbols;
  addQuery(main, "infer_shapes", shape, builder, symbols);
  for (auto [number, type] : llvm::enumerate(main.getResultTypes())) {
    SmallVector<ExtentAttr> dims = shape.getCapacities(cast<SymTensorType>(type).getExtents());
    // Nobody can tell before the run a dim that it decides without a bound.
    if (llvm::none_of(dims, [](ExtentAttr dim) { return dim.isUnknown(); }))
      host::SetShapeOp::create(builder, main.getLoc(), number,
                               symbols.evaluate(builder, main.getLoc(), dims));
  }
}

namespace {

/// The rows of one arena.
struct Arena {
  Side side;
  SmallVector<std::pair<int64_t, BufferAttr>> rows;

  /// Whether Plan has placed them all.
  bool isConstant() const {
    return llvm::all_of(rows, [](const auto &row) { return row.second.isPlaced(); });
  }
};

/// How long an arena is whose rows all have their places, and the largest row of the moment that
/// needs most.
struct ArenaSize {
  int64_t bytes = 0, peakRow = -1;
};

ArenaSize measure(const Arena &arena) {
  ArenaSize size;
  llvm::MapVector<int64_t, int64_t> changes; // of the bytes alive, by step
  auto getLength = [](BufferAttr row) {
    return static_cast<int64_t>(llvm::alignTo(*row.getBytes().getConstant(), kAlignment));
  };
  for (auto [number, row] : arena.rows) {
    size.bytes = std::max(size.bytes, row.getOffset() + getLength(row));
    changes[row.getFirst()] += getLength(row);
    changes[row.getLast() + 1] -= getLength(row);
  }
  auto ordered = changes.takeVector();
  llvm::sort(ordered);
  int64_t alive = 0, most = 0, step = -1;
  for (auto [at, change] : ordered) {
    alive += change;
    if (alive > most)
      step = at;
    most = std::max(most, alive);
  }
  int64_t peakBytes = 0;
  for (auto [number, row] : arena.rows) {
    int64_t bytes = *row.getBytes().getConstant();
    if (row.getFirst() > step || step > row.getLast() || bytes <= peakBytes)
      continue;
    peakBytes = bytes;
    size.peakRow = number;
  }
  return size;
}

} // namespace

static void addSizes(func::FuncOp main, const Arena &arena, const ShapeProgram &shape) {
  OpBuilder builder(main.getContext());
  SymbolValues symbols;
  addFunction(main, ("size_" + stringifySide(arena.side)).str(), builder);
  addSymbols(shape, main.getLoc(), builder, symbols);
  SmallVector<int64_t> rows, sizes;
  llvm::MapVector<ExtentAttr, Value> known;
  for (auto [number, row] : arena.rows) {
    rows.push_back(number);
    ExtentAttr bytes = row.getBytes();
    if (!shape.isKnown(bytes)) {
      sizes.push_back(-1);
      continue;
    }
    auto [place, isNew] = known.try_emplace(bytes);
    if (isNew)
      place->second = symbols.evaluate(builder, main.getLoc(), bytes);
    sizes.push_back(place - known.begin());
  }
  auto values = llvm::map_to_vector(known, [](const auto &size) { return size.second; });
  host::SizeRowsOp::create(builder, main.getLoc(), arena.side, rows, sizes, values);
}

void cameo::outlineMemory(func::FuncOp main, const ShapeProgram &shape) {
  auto table = main->getAttrOfType<ArrayAttr>("prog.buffers");
  SmallVector<Arena> arenas{{Side::Device, {}}, {Side::Host, {}}};
  SetVector<StringRef> late;
  for (auto [number, attribute] :
       llvm::enumerate(table ? table.getValue() : ArrayRef<Attribute>())) {
    auto row = cast<BufferAttr>(attribute);
    row.getBytes().collectSymbols(late);
    if (!row.isOutput())
      arenas[row.getSide() == Side::Device ? 0 : 1].rows.emplace_back(number, row);
  }
  late.remove_if([&](StringRef symbol) { return shape.isKnown(symbol); });

  OpBuilder builder(main.getContext());
  SymbolValues symbols;
  addQuery(main, "memory", shape, builder, symbols);
  SmallVector<IntegerAttr, 2> lengths;
  for (const Arena &arena : arenas) {
    IntegerAttr &bytes = lengths.emplace_back(), peak;
    if (arena.isConstant()) {
      ArenaSize size = measure(arena);
      bytes = builder.getI64IntegerAttr(size.bytes);
      if (size.peakRow >= 0)
        peak = builder.getI64IntegerAttr(size.peakRow);
    } else {
      addSizes(main, arena, shape);
    }
    if (!arena.rows.empty())
      host::DescribeArenaOp::create(builder, main.getLoc(), arena.side, bytes, peak);
  }
  if (!late.empty())
    host::LateSymbolsOp::create(builder, main.getLoc(), static_cast<int64_t>(late.size()));
  builder.setInsertionPointToStart(&main.getBody().front());
  host::PlanOp::create(builder, main.getLoc(), /*host=*/lengths[1], /*device=*/lengths[0]);
}
