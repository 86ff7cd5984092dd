// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Fusion/FusedBody.h"

#include "Dialect/Prog/IR/ScalarBuilder.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

Value cameo::viewAs(OpBuilder &builder, Location location, Value tensor,
                    ArrayRef<ExtentAttr> extents) {
  SymTensorType type = getTensor(tensor);
  if (type.getExtents() == extents)
    return tensor;
  return ViewOp::create(builder, location, type.withExtents(extents), tensor,
                        ExtentAttr::constant(builder.getContext(), 0));
}

Value FusedBody::get(const Access &read) {
  for (const Known &entry : known)
    if (entry.source == read.source && entry.at == read.at)
      return entry.scalar;
  SymTensorType tensor = getTensor(read.source);
  Value scalar = block->addArgument(tensor ? tensor.getElementType() : read.source.getType(),
                                    read.source.getLoc());
  operands.push_back(read);
  define(read.source, read.at, scalar);
  return scalar;
}

void FusedBody::define(Value source, const Point &at, Value scalar) {
  known.push_back({source, at, scalar});
}

/// A coordinate as a scalar. Affine division rounds down, that of scalars to zero.
Value FusedBody::getCoordinate(AffineExpr expr, Location location) {
  ScalarBuilder b(builder, location);
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return b.index(dim.getPosition());
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return b.extent(ExtentAttr::constant(builder.getContext(), constant.getValue()));
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return b.extent(cast<ExtentAttr>(space.getSymbols()[symbol.getPosition()]));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::CeilDiv)
    return getCoordinate(-(-binary.getLHS()).floorDiv(binary.getRHS()), location);
  Value lhs = getCoordinate(binary.getLHS(), location);
  Value rhs = getCoordinate(binary.getRHS(), location);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return b.add(lhs, rhs);
  case AffineExprKind::Mul:
    return b.mul(lhs, rhs);
  case AffineExprKind::Mod:
    return b.mod(lhs, rhs);
  default:
    return b.div(b.sub(lhs, b.mod(lhs, rhs)), rhs);
  }
}

SmallVector<Value> FusedBody::append(Block &body, ValueRange arguments,
                                     ArrayRef<AffineExpr> index) {
  IRMapping mapping;
  mapping.map(body.getArguments(), arguments);
  for (Operation &op : body.without_terminator()) {
    auto coordinate = dyn_cast<SIndexOp>(op);
    if (coordinate)
      mapping.map(coordinate, getCoordinate(index[coordinate.getDim()], op.getLoc()));
    else
      builder.clone(op, mapping);
  }
  SmallVector<Value> yielded;
  for (Value value : body.getTerminator()->getOperands())
    yielded.push_back(mapping.lookup(value));
  return yielded;
}

SmallVector<Value> FusedBody::append(KernelOp kernel, const Evaluation &evaluation) {
  SmallVector<Value> arguments;
  for (unsigned number = 0; number < kernel.getIns().size(); ++number)
    arguments.push_back(get(*space.read(kernel, number, evaluation)));
  return append(*kernel.getBodyBlock(), arguments, evaluation.own);
}

void FusedBody::finish(BodyOpInterface op, ValueRange yielded, ArrayRef<IndexExprs> stored,
                       Operation *before) {
  YieldOp::create(builder, op.getLoc(), yielded);
  OpBuilder views(before);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Access &read : operands) {
    SymTensorType seen = getTensor(read.view);
    bool isAtHand = !seen || ArrayRef(seen.getPhysicalExtents()) == ArrayRef(read.at.extents);
    inputs.push_back(isAtHand ? read.view
                              : viewAs(views, op.getLoc(), read.source, read.at.extents));
    maps.push_back(space.getMap(read.at.index));
  }
  for (const IndexExprs &index : stored)
    maps.push_back(space.getMap(index));
  // Extents that were looked at for nothing; of no map MLIR cannot tell.
  llvm::SmallBitVector unused = maps.empty() ? llvm::SmallBitVector(space.getSymbols().size(), true)
                                             : getUnusedSymbolsBitVector(maps);
  SmallVector<Attribute> symbols;
  for (auto [number, symbol] : llvm::enumerate(space.getSymbols()))
    if (number >= unused.size() || !unused.test(number))
      symbols.push_back(symbol);
  for (AffineMap &map : maps)
    map = compressSymbols(map, unused);
  op.setBodyInputs(inputs, ArrayRef(maps).take_front(inputs.size()), symbols);
  ArrayAttr outMaps = builder.getAffineMapArrayAttr(ArrayRef(maps).drop_front(inputs.size()));
  if (auto kernel = dyn_cast<KernelOp>(op.getOperation()))
    kernel.setOutMapsAttr(outMaps);
  else if (auto store = dyn_cast<StoreOp>(op.getOperation()))
    store.setOutMapsAttr(outMaps);
}
