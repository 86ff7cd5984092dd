// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs behind the fusion of attention, which reads such operands itself.

#include "Fusion/TransposeFusion.h"

#include "Dialect/Prog/IR/KernelTemplates.h"
#include "Fusion/Functors.h"
#include "Fusion/MatrixOperand.h"
#include "Fusion/Uses.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

/// Whether the product reads its right operand by columns, when it does so where that lies; nullopt
/// where a matrix of it is not dense there.
static std::optional<bool> findFlag(CallOp product, const MatrixOperand &matrix) {
  ArrayRef<ExtentAttr> strides = ArrayRef(matrix.strides).take_back(2);
  if (strides[1].isConstant(1) && strides[0] == getExtent(product, "n"))
    return false;
  if (strides[0].isConstant(1) && strides[1] == getExtent(product, "k"))
    return true;
  return std::nullopt;
}

static DictionaryAttr getParams(CallOp product, const MatrixOperand &matrix, bool isTransposed) {
  Builder b(product.getContext());
  NamedAttrList params(product.getParams());
  params.set("trans_b", b.getBoolAttr(isTransposed));
  if (params.get("b_batch_stride"))
    params.set("b_batch_stride", b.getArrayAttr(llvm::to_vector_of<Attribute>(
                                     ArrayRef(matrix.strides).drop_back(2))));
  return params.getDictionary(product.getContext());
}

unsigned cameo::fuseTransposes(Block &block, const ExtentFacts &facts) {
  unsigned count = 0;
  for (CallOp product : llvm::to_vector(block.getOps<CallOp>())) {
    if (getRole(product) != TemplateRole::Product)
      continue;
    MatrixOperand matrix = readMatrix(product, 1, /*takesColumns=*/true, facts);
    if (!matrix.transpose || !getOnlyUse(matrix.transpose.getResult(0), block))
      continue;
    std::optional<bool> isTransposed = findFlag(product, matrix);
    if (!isTransposed)
      continue;
    product.setParamsAttr(getParams(product, matrix, *isTransposed));
    product.getInsMutable()[1].assign(matrix.tensor);
    SmallVector<StringRef> names;
    collectNames(product, names);
    SmallVector<Location> locations;
    eraseWithViews(matrix.transpose, locations);
    locations.insert(locations.begin(), product.getLoc());
    product->setLoc(fuseLocations(product.getContext(), locations, names));
    ++count;
  }
  return count;
}
