// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/CopyKernel.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

Value cameo::createCopy(OpBuilder &builder, Value source, SymTensorType result,
                        ArrayRef<ExtentAttr> extents) {
  AffineMap identity = builder.getMultiDimIdentityMap(extents.size());
  ArrayAttr maps = builder.getAffineMapArrayAttr({identity});
  auto kernel =
      KernelOp::create(builder, source.getLoc(), TypeRange{result}, ValueRange{source},
                       ValueRange{}, builder.getArrayAttr(llvm::to_vector_of<Attribute>(extents)),
                       maps, maps, builder.getArrayAttr({}), builder.getDenseI64ArrayAttr({-1}));
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&kernel.getBody());
  Value element = body->addArgument(result.getElementType(), source.getLoc());
  YieldOp::create(builder, source.getLoc(), ValueRange{element});
  return kernel.getResult(0);
}
