// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of the normal form, in one place: every extent is made here. The same rules serve plain
// construction (an analysis without facts: what holds for every assignment) and `simplify` (with
// facts). Rules fire on what was built before, so an extent that no rule applies to stays as it is
// when it is built again: printing and parsing give the same pointer.

#ifndef CAMEO_DIALECT_CORE_IR_EXTENTBUILDER_H
#define CAMEO_DIALECT_CORE_IR_EXTENTBUILDER_H

#include "Dialect/Core/IR/ExtentAnalysis.h"
#include "Dialect/Core/IR/ExtentStorage.h"

namespace cameo::core {

class ExtentBuilder {
public:
  ExtentBuilder(mlir::MLIRContext *context, ExtentAnalysis &analysis)
      : context(context), analysis(analysis) {}

  ExtentAttr getUnknown();
  ExtentAttr getConstant(int64_t value);
  ExtentAttr getSymbol(llvm::StringRef name);

  ExtentAttr add(ExtentAttr lhs, ExtentAttr rhs, int64_t rhsScale = 1);
  ExtentAttr multiply(ExtentAttr lhs, ExtentAttr rhs);
  /// The product with sums left as they are, as the text form `product(...)` asks for.
  ExtentAttr multiplyUnexpanded(llvm::ArrayRef<ExtentAttr> factors);
  ExtentAttr floorDiv(ExtentAttr dividend, ExtentAttr divisor);
  ExtentAttr mod(ExtentAttr dividend, ExtentAttr divisor);
  /// `kind` is Min or Max; at least one operand.
  ExtentAttr minMax(ExtentKind kind, llvm::ArrayRef<ExtentAttr> operands);

  /// Builds `extent` again with parts of it replaced: symbols, other factors and operands, or all
  /// (null keeps one and looks into it).
  ExtentAttr rebuild(ExtentAttr extent, llvm::function_ref<ExtentAttr(ExtentAttr)> replacement);

private:
  ExtentAttr intern(Polynomial polynomial);
  ExtentAttr makeAtom(ExtentKind kind, llvm::ArrayRef<ExtentAttr> operands);
  ExtentAttr makeUnique(const detail::ExtentKey &key);

  Polynomial multiply(const Polynomial &lhs, const Polynomial &rhs);
  /// The same value as one term: what all terms have in common, times the remaining sum as a
  /// factor.
  Polynomial extractContent(Polynomial polynomial);
  Polynomial multiplyContents(llvm::ArrayRef<Polynomial> factors);

  ExtentAttr floorDivConstant(Polynomial dividend, int64_t divisor);
  ExtentAttr modConstant(Polynomial dividend, int64_t divisor);
  /// The quotient, where the range of `dividend` leaves only one.
  std::optional<int64_t> getOnlyQuotient(const Polynomial &dividend, const Polynomial &divisor);
  bool mergeNestedFloorDiv(Polynomial &dividend, int64_t &divisor);
  void cancelCommonFactors(Polynomial &dividend, Polynomial &divisor, Monomial &common);
  bool normalizeDivision(Polynomial &dividend, Polynomial &divisor, Monomial &common);

  ExtentAttr rebuildOnce(ExtentAttr extent, llvm::function_ref<ExtentAttr(ExtentAttr)> replacement);

  mlir::MLIRContext *context;
  ExtentAnalysis &analysis;
  llvm::DenseMap<ExtentAttr, ExtentAttr> rebuilt;
};

} // namespace cameo::core

#endif // CAMEO_DIALECT_CORE_IR_EXTENTBUILDER_H
