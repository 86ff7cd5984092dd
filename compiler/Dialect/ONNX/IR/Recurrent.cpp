// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of recurrent layers; the three differ in their number of gates and states only.

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Support/Diagnostic.h"

using namespace mlir;
using namespace cameo::core;
using namespace cameo::onnx;

namespace {

LogicalResult verifyActivations(ExtentInference &infer, ArrayAttr activations, int64_t need) {
  if (!activations)
    return success();
  if (static_cast<int64_t>(activations.size()) != need)
    return infer.emitError() << "has a wrong number of activations (C5, got " << activations.size()
                             << ", need " << need << ")";
  for (StringAttr name : activations.getAsRange<StringAttr>())
    if (!llvm::is_contained({"relu", "tanh", "sigmoid", "affine", "leakyrelu", "thresholdedrelu",
                             "scaledtanh", "hardsigmoid", "elu", "softsign", "softplus"},
                            name.getValue().lower()))
      return infer.emitError() << "has an activation that ONNX does not have (C5) (got "
                               << cameo::quoteText(name.getValue()) << ")";
  return success();
}

/// The common part of both kinds of states; result 0 is the sequence, the others are last states.
template <class OpTy> LogicalResult inferRecurrent(OpTy op, ExtentInference &infer) {
  if (!llvm::is_contained({"forward", "reverse", "bidirectional"}, op.getDirection()))
    return infer.emitError() << "has an unknown direction (C1) (got "
                             << cameo::quoteText(op.getDirection()) << ")";
  if (op.getLayout() != 0 && op.getLayout() != 1)
    return infer.emitError() << "has a layout other than 0 and 1 (C1, got " << op.getLayout()
                             << ")";
  if (op.getClip() && !(op.getClip()->convertToFloat() >= 0))
    return infer.emitError() << "has a negative clip (C6)";
  if (failed(infer.requireRank(op.getX(), "X (C2)", 3, 3)) ||
      failed(infer.requireRank(op.getW(), "W (C3)", 3, 3)) ||
      failed(infer.requireRank(op.getR(), "R (C3)", 3, 3)))
    return failure();

  bool batchFirst = op.getLayout() == 1;
  std::optional<ArrayRef<ExtentAttr>> x = infer.extents(op.getX()), r = infer.extents(op.getR());
  ExtentAttr length = x ? (*x)[batchFirst ? 1 : 0] : infer.unknown();
  ExtentAttr batch = x ? (*x)[batchFirst ? 0 : 1] : infer.unknown();
  ExtentAttr width = x ? (*x)[2] : infer.unknown();
  ExtentAttr directions = infer.constant(op.getNumDirections());
  ExtentAttr hidden = r ? (*r)[2] : infer.unknown();
  if (op.getHiddenSize()) {
    int64_t size = *op.getHiddenSize();
    if (size < 1)
      return infer.emitError() << "has a hidden_size that is not positive (C3, got " << size << ")";
    hidden = infer.constant(size);
  }
  ExtentAttr rows = hidden * OpTy::kGates;
  SmallVector<ExtentAttr> state = {directions, batch, hidden};
  SmallVector<ExtentAttr> sequence = {length, directions, batch, hidden};
  if (batchFirst) {
    state = {batch, directions, hidden};
    sequence = {batch, length, directions, hidden};
  }
  if (failed(infer.requireShape(op.getW(), {directions, rows, width}, "W (C3)")) ||
      failed(infer.requireShape(op.getR(), {directions, rows, hidden}, "R (C3)")) ||
      failed(infer.requireShape(op.getB(), {directions, rows * 2}, "B (C4)")) ||
      failed(infer.requireShape(op.getSequenceLens(), {batch}, "sequence_lens (C4)")) ||
      failed(infer.requireShape(op.getInitialH(), state, "initial_h (C4)")))
    return failure();
  infer.setResult(0, infer.elementType(0), sequence);
  for (unsigned number = 1; number < op->getNumResults(); ++number)
    infer.setResult(number, infer.elementType(0), state);
  return success();
}

} // namespace

LogicalResult LSTMOp::inferExtents(ExtentInference &infer) {
  if (failed(verifyActivations(infer, getActivationsAttr(), kFunctions * getNumDirections())) ||
      failed(inferRecurrent(*this, infer)))
    return failure();
  std::optional<ArrayRef<ExtentAttr>> r = infer.extents(getR());
  ExtentAttr hidden = r ? (*r)[2] : infer.unknown();
  std::optional<ArrayRef<ExtentAttr>> h =
      getInitialH() ? infer.extents(getInitialH()) : std::nullopt;
  if (failed(
          infer.requireShape(getP(), {infer.constant(getNumDirections()), hidden * 3}, "P (C4)")))
    return failure();
  return h ? infer.requireShape(getInitialC(), *h, "initial_c (C4)")
           : infer.requireRank(getInitialC(), "initial_c (C4)", 3, 3);
}

LogicalResult GRUOp::inferExtents(ExtentInference &infer) {
  if (failed(verifyActivations(infer, getActivationsAttr(), kFunctions * getNumDirections())))
    return failure();
  return inferRecurrent(*this, infer);
}

LogicalResult RNNOp::inferExtents(ExtentInference &infer) {
  // The default has two names, whatever the direction.
  ArrayAttr activations = getActivationsAttr();
  int64_t need = activations.size() == 2 ? 2 : kFunctions * getNumDirections();
  if (failed(verifyActivations(infer, activations, need)))
    return failure();
  return inferRecurrent(*this, infer);
}
