// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which operators of a function work on channels in blocks: the decision of the Layout stage,
// without its consequences. Costs are compared at one size of every symbol; they all grow alike.

#ifndef CAMEO_LAYOUT_TRUNKS_H
#define CAMEO_LAYOUT_TRUNKS_H

#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace cameo {

class Trunks {
public:
  /// The module has a target whose convolutions know blocks.
  explicit Trunks(mlir::func::FuncOp function);

  /// The uses of an operator that works on channels in blocks; null for one that does not.
  const onnx::ChannelUses *lookup(mlir::Operation *op) const;

private:
  struct Candidate {
    onnx::ChannelUses uses;
    /// The price of being blocked, without repacks; negative where it saves.
    double cost;
    bool isBlocked = true;
    unsigned flips = 0;
  };
  /// Where a value is made and read, by the present decision.
  struct Border {
    struct Reads {
      unsigned all = 0, elementwise = 0;
    };
    /// The prices of one repack, and of a kernel of its own for an elementwise operator: a repack
    /// stands between it and the kernel that it would have been fused into.
    double repack = 0, pass = 0;
    bool isBlocked = false;
    Reads blocked, dense;

    double getCost() const {
      const Reads &across = isBlocked ? dense : blocked;
      return across.all > 0 ? repack + across.elementwise * pass : 0;
    }
  };

  void collect(mlir::func::FuncOp function);
  /// Elements at the nominal sizes, those axes filled up to whole blocks.
  double getElements(mlir::Value value, llvm::ArrayRef<int64_t> padded = {}) const;
  double getOperatorCost(mlir::Operation *op, const onnx::ChannelUses &uses) const;
  Border &getBorder(mlir::Value value);
  /// Counts the reads and results of an operator for its present side, or takes them back.
  void count(mlir::Operation *op, const Candidate &candidate, int by);
  double getBorderCosts(mlir::Operation *op);
  bool improve(mlir::Operation *op, Candidate &candidate);
  void improveAll();
  void dropTrunksThatDoNotPay();

  /// In the time of a multiply-add of a blocked convolution, as the machine has them.
  double getPrice(llvm::StringRef resource) const;

  const onnx::ChannelBlocks target;
  const core::MachineAttr machine;
  core::ExtentFacts facts;
  llvm::MapVector<mlir::Operation *, Candidate> candidates;
  llvm::DenseMap<mlir::Value, Border> borders;
};

} // namespace cameo

#endif // CAMEO_LAYOUT_TRUNKS_H
