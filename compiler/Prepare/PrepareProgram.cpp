// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: what a planned @main computes before the first step goes into functions of its own,
// the rest becomes run(), statement by statement. Behind it nothing is decided any more.

#include "Dialect/Prog/IR/OutsideKernels.h"
#include "Prepare/Lowering.h"
#include "Prepare/Outline.h"
#include "Prepare/Passes.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace cameo {
#define GEN_PASS_DEF_PREPAREPASS
#include "Prepare/Passes.h.inc"
} // namespace cameo

/// Whether a port's type is one that the model's table can tell.
static LogicalResult checkPorts(func::FuncOp main, TypeRange types, StringRef kind) {
  for (auto [number, type] : llvm::enumerate(types)) {
    auto tensor = dyn_cast<SymTensorType>(type);
    if (!tensor || !tensor.hasRank())
      return main.emitError(kind) << " " << number << " has the type " << type
                                  << ", which cannot be printed";
    for (ExtentAttr extent : tensor.getExtents())
      if (extent.isUnknown())
        return main.emitError(kind) << " " << number << " has an extent that nothing determines";
  }
  return success();
}

/// Holds @main against what Plan promises of `prog.buffers` and `buffers`.
static LogicalResult checkBuffers(func::FuncOp main) {
  auto table = main->getAttrOfType<ArrayAttr>("prog.buffers");
  int64_t count = table ? static_cast<int64_t>(table.size()) : 0;
  for (Attribute row : table ? table.getValue() : ArrayRef<Attribute>())
    if (!isa<prog::BufferAttr>(row) || cast<prog::BufferAttr>(row).getBytes().isUnknown())
      return main.emitError("has a row in 'prog.buffers' that is no buffer of a known size: ")
             << row;
  WalkResult walked = prog::walkOutsideKernels(main, [&](Operation *op) {
    auto numbers = op->getAttrOfType<DenseI64ArrayAttr>("buffers");
    if (!numbers)
      return WalkResult::advance();
    int64_t perResult = isa<prog::LoopOp>(op) ? 2 : 1;
    if (numbers.size() != static_cast<int64_t>(op->getNumResults()) * perResult) {
      op->emitError("needs ") << perResult << " entries in 'buffers' per result";
      return WalkResult::interrupt();
    }
    for (int64_t number : numbers.asArrayRef())
      if (number < -1 || number >= count) {
        op->emitError("names buffer ") << number << " of " << count;
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// When an extent of an input or output is known.
static host::DimAttr describeDim(const ShapeProgram &shape, ExtentAttr extent) {
  MLIRContext *context = extent.getContext();
  std::string text = extent.str();
  if (std::optional<int64_t> value = extent.getConstant())
    return host::DimAttr::get(context, host::DimKind::Value, -1, *value, *value, text);
  ExtentAttr capacity = shape.getCapacity(extent);
  ExtentRange bounds = range(capacity.isUnknown() ? extent : capacity, shape.getFacts());
  auto getBound = [](std::optional<int64_t> bound, int64_t none) {
    return bound && *bound < kMaxSymbolExtent ? *bound : none;
  };
  constexpr int64_t open = -1;
  int64_t least = getBound(bounds.lo(), 0), most = getBound(bounds.hi(), open), symbol = -1;
  auto kind = host::DimKind::Symbol;
  if (extent.isSymbol() && shape.isKnown(extent.getSymbolName())) {
    symbol = llvm::find(shape.getSymbols(), extent.getSymbolName()) - shape.getSymbols().begin();
    if (most != open || least != 0)
      kind = host::DimKind::Range;
  } else if (capacity.isUnknown()) {
    kind = host::DimKind::Open;
    most = open;
  } else if (capacity != extent) {
    kind = host::DimKind::Bounded;
    least = 0;
  }
  return host::DimAttr::get(context, kind, symbol, least, most, text);
}

static ArrayAttr describeDims(const ShapeProgram &shape, Type type) {
  SmallVector<Attribute> dims;
  for (ExtentAttr extent : cast<SymTensorType>(type).getExtents())
    dims.push_back(describeDim(shape, extent));
  return ArrayAttr::get(type.getContext(), dims);
}

/// `attributes` of ports, with their dims; without those of which a run decides how many there are.
static SmallVector<DictionaryAttr> withDims(const ShapeProgram &shape, TypeRange types,
                                            ArrayAttr attributes,
                                            const llvm::SmallDenseSet<uint64_t> &ranked = {}) {
  SmallVector<DictionaryAttr> ports;
  for (auto [number, type] : llvm::enumerate(types)) {
    NamedAttrList port(attributes ? cast<DictionaryAttr>(attributes[number]) : DictionaryAttr());
    if (!ranked.contains(number))
      port.set("host.dims", describeDims(shape, type));
    ports.push_back(port.getDictionary(type.getContext()));
  }
  return ports;
}

/// Writes the facts of symbols, inputs and outputs for the model's table.
static void describePorts(func::FuncOp main, const ShapeProgram &shape) {
  main->setAttr("host.symbols", Builder(main.getContext()).getStrArrayAttr(shape.getSymbols()));
  llvm::SmallDenseSet<uint64_t> ranked;
  for (auto rank : main.getBody().getOps<prog::RankOp>())
    ranked.insert(rank.getOutput());
  // All at once: the list of thousands is one attribute.
  main.setAllArgAttrs(withDims(shape, main.getArgumentTypes(), main.getAllArgAttrs()));
  main.setAllResultAttrs(withDims(shape, main.getResultTypes(), main.getAllResultAttrs(), ranked));
}

/// Names each row of the table of buffers by the ONNX value that lies in it first.
static void nameBuffers(func::FuncOp main) {
  auto table = main->getAttrOfType<ArrayAttr>("prog.buffers");
  SmallVector<std::string> names(table ? table.size() : 0);
  prog::walkOutsideKernels(main, [&](Operation *op) {
    auto rows = op->getAttrOfType<DenseI64ArrayAttr>("buffers");
    int64_t perResult = isa<prog::LoopOp>(op) ? 2 : 1;
    for (OpResult result : op->getResults()) {
      int64_t row = rows ? rows[result.getResultNumber() * perResult] : -1;
      if (row >= 0 && names[row].empty())
        names[row] = host::getName(result).str();
    }
  });
  SmallVector<StringRef> refs(names.begin(), names.end());
  main->setAttr("host.buffer_names", Builder(main.getContext()).getStrArrayAttr(refs));
}

/// The definitions of all symbols, which the function has as its own when values take their places.
static SmallVector<SymbolAttr> collectSymbolDefinitions(func::FuncOp main) {
  auto symbols = llvm::map_to_vector(getInputSymbols(main), llvm::CastTo<SymbolAttr>);
  prog::walkOutsideKernels(main, [&](SymbolDefiningOp definer) {
    definer.visitSymbols(
        [&](const SymbolDefinition &definition) { symbols.push_back(definition.symbol); });
  });
  return symbols;
}

namespace {

struct PreparePass : cameo::impl::PreparePassBase<PreparePass> {
  using PreparePassBase::PreparePassBase;

  void runOnOperation() override {
    if (failed(prepare()))
      signalPassFailure();
  }

  LogicalResult prepare() {
    auto main = getOperation().lookupSymbol<func::FuncOp>("main");
    if (!main || main.isExternal())
      return getOperation().emitError("has no function @main to print");
    if (failed(checkPorts(main, main.getArgumentTypes(), "input")) ||
        failed(checkPorts(main, main.getResultTypes(), "output")) || failed(checkBuffers(main)))
      return failure();
    SmallVector<SymbolAttr> symbols = collectSymbolDefinitions(main);
    ShapeProgram shape(main);
    if (failed(outlineShapeProgram(main, shape)))
      return failure();
    outlineInferShapes(main, shape);
    outlineMemory(main, shape);
    describePorts(main, shape);
    nameBuffers(main);
    OpBuilder builder(main.getContext());
    if (failed(RunLowering(main, shape, builder, stridedOutputs).run()))
      return failure();
    setInputSymbols(main, symbols);
    return success();
  }
};

} // namespace
