// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which ops of a function work on images whose channels lie in blocks: the decision, without its
// consequences. Costs are compared at one size of every symbol; they all grow alike.

#ifndef CAMEO_SELECT_TRUNKS_H
#define CAMEO_SELECT_TRUNKS_H

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Select/ImageForms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cameo {

/// The value whose memory a value is, where ops write it in part, one behind the other.
mlir::Value getWritten(mlir::Value value);

class Trunks {
public:
  /// The function's module has a target whose convolutions know blocks.
  explicit Trunks(mlir::func::FuncOp function);

  /// The form of an op that works on channels in blocks; null for one that does not.
  const ImageForm *lookup(mlir::Operation *op) const;

private:
  /// Ops that write parts of one value are on one side.
  struct Candidate {
    llvm::SmallVector<std::pair<mlir::Operation *, ImageForm>, 1> members;
    /// The price of being blocked, without repacks; negative where it saves.
    double cost = 0;
    bool isBlocked = true;
    unsigned flips = 0;
  };
  /// Where a value is made and read, by the present decision.
  struct Border {
    /// The price of one repack.
    double repack = 0;
    bool isBlocked = false;
    unsigned blocked = 0, dense = 0;

    double getCost() const { return (isBlocked ? dense : blocked) > 0 ? repack : 0; }
  };

  void collect(mlir::func::FuncOp function);
  /// The candidate that an op or a functor of it belongs to; null where there is none.
  Candidate *find(mlir::Operation *op);
  double getElements(llvm::ArrayRef<core::ExtentAttr> extents) const;
  double getCost(mlir::Operation *op, const ImageForm &form) const;
  Border &getBorder(mlir::Value value);
  /// Counts the reads and results of a candidate for its present side, or takes them back.
  void count(const Candidate &candidate, int by);
  double getBorderCosts(const Candidate &candidate);
  bool improve(Candidate &candidate);
  void improveAll();
  void dropTrunksThatDoNotPay();

  /// In the time of a multiply-add of a blocked convolution, as the machine has them.
  double getPrice(llvm::StringRef resource) const;

  const ChannelBlocks blocks;
  const core::MachineAttr machine;
  core::ExtentFacts facts;
  std::vector<Candidate> candidates;
  llvm::DenseMap<mlir::Operation *, unsigned> numbers;
  llvm::DenseMap<mlir::Value, Border> borders;
};

} // namespace cameo

#endif // CAMEO_SELECT_TRUNKS_H
