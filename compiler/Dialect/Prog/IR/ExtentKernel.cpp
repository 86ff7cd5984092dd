// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Prog/IR/ExtentKernel.h"

#include "Dialect/Prog/IR/ScalarBuilder.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

/// A thread per element takes the one of its position.
Value cameo::prog::storeExtents(OpBuilder &builder, Location location, ArrayRef<ExtentAttr> extents,
                                SymTensorType type) {
  SmallVector<Attribute> space(type.getExtents().begin(), type.getExtents().end());
  auto identity = builder.getMultiDimIdentityMap(type.getRank());
  auto kernel = KernelOp::create(builder, location, TypeRange{type}, ValueRange{}, ValueRange{},
                                 builder.getArrayAttr(space), builder.getAffineMapArrayAttr({}),
                                 builder.getAffineMapArrayAttr({identity}),
                                 builder.getArrayAttr({}), builder.getDenseI64ArrayAttr({-1}));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&kernel.getBody().emplaceBlock());
  ScalarBuilder b(builder, location);
  Value position;
  for (auto [axis, extent] : llvm::enumerate(type.getExtents()))
    position = position ? b.add(b.mul(position, b.extent(extent)), b.index(axis)) : b.index(axis);
  auto elements = llvm::map_to_vector(
      extents, [&](ExtentAttr extent) { return b.cast(b.extent(extent), type.getElementType()); });
  YieldOp::create(builder, location, ValueRange{b.choose(position, elements)});
  return kernel.getResult(0);
}
