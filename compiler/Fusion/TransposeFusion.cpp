// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands are turned in front of the fusion of attention, which takes keys by columns; transposes
// fuse behind it, since it reads what they read itself.

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
  if (!matrix.offset.isConstant(0))
    return std::nullopt;
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

/// Whether a kernel on a device may go over its points in another order.
static bool canTurn(KernelOp kernel) {
  SymTensorType type = getTensor(kernel.getResult(0));
  return kernel.getRank() >= 2 && isInlinable(kernel) && type.isDevice() && !type.getLayout() &&
         kernel.getBodyBlock()->getOps<SIndexOp>().empty();
}

/// Whether something that a kernel reads lies together along the last axis but one of its points,
/// and nothing does along the last one.
static bool readsAcross(KernelOp kernel) {
  unsigned last = kernel.getRank() - 1;
  bool reads = false;
  for (auto map : kernel.getInMaps().getAsValueRange<AffineMapAttr>()) {
    if (map.getNumResults() == 0)
      continue;
    AffineExpr along = map.getResults().back();
    if (along.isFunctionOfDim(last))
      return false;
    reads |= along.isFunctionOfDim(last - 1);
  }
  return reads;
}

/// Exchanges the last two axes of a kernel's points and of its result.
static void turn(KernelOp kernel) {
  unsigned rank = kernel.getRank();
  Builder b(kernel.getContext());
  SmallVector<Attribute> extents(kernel.getExtents().begin(), kernel.getExtents().end());
  std::swap(extents[rank - 1], extents[rank - 2]);
  SmallVector<AffineExpr> dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    dims.push_back(b.getAffineDimExpr(dim));
  std::swap(dims[rank - 1], dims[rank - 2]);
  SmallVector<AffineMap> maps;
  for (auto map : kernel.getInMaps().getAsValueRange<AffineMapAttr>())
    maps.push_back(map.replaceDimsAndSymbols(dims, {}, rank, map.getNumSymbols()));
  SymTensorType type = getTensor(kernel.getResult(0));
  SmallVector<ExtentAttr> shape(type.getExtents());
  std::swap(shape[rank - 1], shape[rank - 2]);
  kernel.setExtentsAttr(b.getArrayAttr(extents));
  kernel.setInMapsAttr(b.getAffineMapArrayAttr(maps));
  kernel.getResult(0).setType(type.withExtents(shape));
}

unsigned cameo::turnOperands(Block &block) {
  unsigned count = 0;
  for (CallOp product : block.getOps<CallOp>()) {
    if (getRole(product) != TemplateRole::Product || getFlag(product, "trans_b"))
      continue;
    auto kernel = product.getIns()[1].getDefiningOp<KernelOp>();
    if (!kernel || kernel->getBlock() != &block || !getOnlyUse(kernel.getResult(0), block) ||
        !canTurn(kernel) || !readsAcross(kernel))
      continue;
    ExtentAttr matrix[] = {getExtent(product, "k"), getExtent(product, "n")};
    if (getTensor(kernel.getResult(0)).getExtents().take_back(2) != ArrayRef(matrix))
      continue;
    turn(kernel);
    NamedAttrList params(product.getParams());
    params.set("trans_b", BoolAttr::get(product.getContext(), true));
    product.setParamsAttr(params.getDictionary(product.getContext()));
    ++count;
  }
  return count;
}

unsigned cameo::fuseTransposes(Block &block, const ExtentFacts &facts) {
  unsigned count = 0;
  for (CallOp product : llvm::to_vector(block.getOps<CallOp>())) {
    if (getRole(product) != TemplateRole::Product)
      continue;
    MatrixOperand matrix = readMatrix(product, 1, /*takesColumns=*/true, facts);
    if (matrix.transposes.empty() || !getOnlyUse(matrix.transposes.front().getResult(0), block))
      continue;
    std::optional<bool> isTransposed = findFlag(product, matrix);
    if (!isTransposed)
      continue;
    product.setParamsAttr(getParams(product, matrix, *isTransposed));
    product.getInsMutable()[1].assign(matrix.tensor);
    SmallVector<StringRef> names;
    collectNames(product, names);
    SmallVector<Location> locations;
    eraseTransposes({matrix}, locations);
    locations.insert(locations.begin(), product.getLoc());
    product->setLoc(fuseLocations(product.getContext(), locations, names));
    ++count;
  }
  return count;
}
