// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass of the Structure stage: checks of what operators require of extents, one walk over the
// program with every family's patterns, then a report of what no pattern took.

#include "Conversion/OnnxToProg/Passes.h"
#include "Conversion/OnnxToProg/Patterns.h"

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/Prog/IR/KernelTemplates.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;
using namespace cameo;

namespace cameo {
#define GEN_PASS_DEF_ONNXTOPROGPASS
#include "Conversion/OnnxToProg/Passes.h.inc"
} // namespace cameo

namespace {

/// Why the patterns that match an operator left it: the last reason that each place got.
class MatchFailures : public RewriterBase::Listener {
public:
  void notifyMatchFailure(Location location, function_ref<void(Diagnostic &)> explain) override {
    Diagnostic reason(location, DiagnosticSeverity::Remark);
    explain(reason);
    reasons[location] = reason.str();
  }
  StringRef lookup(Location location) const {
    auto found = reasons.find(location);
    return found == reasons.end() ? StringRef() : StringRef(found->second);
  }

private:
  DenseMap<Location, std::string> reasons;
};

/// Equalities that an operator's inferExtents requires and facts do not show: checks in front of
/// the operator.
class CheckedRequirements final : public LocalInference {
public:
  CheckedRequirements(OpBuilder &builder, Operation *op, const core::ExtentFacts &facts)
      : LocalInference(op, facts), builder(builder) {}

  void setType(unsigned, Type) override {}
  /// The Shape stage gave a symbol to what was long, so here that is nothing known.
  core::ExtentAttr named(StringRef, core::ExtentAttr extent) override {
    return extent.isLong() ? unknown() : extent;
  }
  LogicalResult requireEqual(core::ExtentAttr got, core::ExtentAttr need, StringRef what) override {
    if (failed(ExtentInference::requireEqual(got, need, what)))
      return failure();
    if (!got.isUnknown() && !need.isUnknown() && !provablyEqual(got, need, facts()))
      prog::CheckOp::create(builder, op->getLoc(), "eq", got, need, "invalid_argument",
                            ("does not fit in " + what).str());
    return success();
  }

private:
  OpBuilder &builder;
};

/// Says of what computes with text, and no other pattern took, how to do without.
struct RefuseText : OpInterfaceRewritePattern<onnx::OnnxOp> {
  explicit RefuseText(MLIRContext *context) : OpInterfaceRewritePattern(context, /*benefit=*/0) {}

  LogicalResult matchAndRewrite(onnx::OnnxOp op, PatternRewriter &rewriter) const override {
    auto isText = [](Type type) {
      auto tensor = dyn_cast<core::SymTensorType>(type);
      return tensor && isa<core::StringType>(tensor.getElementType());
    };
    if (llvm::any_of(op->getOperandTypes(), isText))
      return rewriter.notifyMatchFailure(
          op, "text is not computed with: make words and their numbers in the caller, and export "
              "what is behind them");
    return failure();
  }
};

struct OnnxToProgPass : cameo::impl::OnnxToProgPassBase<OnnxToProgPass> {
  using OnnxToProgPassBase::OnnxToProgPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateOnnxToProgPatterns(set);
    patterns = std::move(set);
    return success();
  }

  void runOnOperation() override {
    MatchFailures failures;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      core::SymbolFactsScope facts(function);
      if (failed(checkRequirements(function)))
        return signalPassFailure();
      fixInputs(function);
      walkAndApplyPatterns(function, patterns, &failures);
    }
    eraseUnused();
    bool complete = checkPorts();
    complete = checkLimits() && complete;
    getOperation().walk([&](prog::WeightOp weight) {
      if (!isa<core::StringType>(weight.getOutput().getType().getElementType()))
        return;
      weight.emitError("is a constant of strings, which is not supported yet");
      complete = false;
    });
    getOperation().walk([&](Operation *op) {
      // Constants and yields stay behind only because of the operator that has them.
      if (!isa_and_nonnull<onnx::ONNXDialect>(op->getDialect()) ||
          isa<onnx::ConstantOp, onnx::YieldOp>(op))
        return;
      InFlightDiagnostic error = op->emitError();
      error << op->getName().stripDialect() << " is not supported yet";
      if (StringRef reason = failures.lookup(op->getLoc()); !reason.empty())
        error << ": " << reason;
      complete = false;
    });
    if (!complete)
      signalPassFailure();
  }

private:
  static LogicalResult checkRequirements(func::FuncOp function) {
    OpBuilder builder(function.getContext());
    WalkResult result = function.walk([&](onnx::OnnxOp op) {
      if (op->getNumRegions() > 0)
        return WalkResult::advance();
      builder.setInsertionPoint(op);
      core::ExtentFacts facts = core::getSymbolFacts(op);
      CheckedRequirements requirements(builder, op, facts);
      return WalkResult(op.inferExtents(requirements));
    });
    return failure(result.wasInterrupted());
  }

  /// Inputs keep the names of dims that the user has fixed; what reads them gets the numbers, as
  /// the types of all other values have them.
  static void fixInputs(func::FuncOp function) {
    core::ExtentFacts facts = core::getSymbolFacts(function);
    auto builder = OpBuilder::atBlockBegin(&function.front());
    for (BlockArgument input : function.getArguments()) {
      auto type = dyn_cast<core::SymTensorType>(input.getType());
      if (!type || !type.hasRank() || type.getLayout())
        continue;
      auto extents = llvm::map_to_vector(type.getExtents(), [&](core::ExtentAttr extent) {
        return core::simplify(extent, facts);
      });
      if (extents == type.getExtents())
        continue;
      auto fixed = prog::ViewOp::create(
          builder, input.getLoc(),
          core::SymTensorType::get(extents, type.getElementType(), type.getSide()), input,
          core::ExtentAttr::constant(function.getContext(), 0));
      input.replaceAllUsesExcept(fixed, fixed);
    }
  }

  /// Later stages know tensors only.
  bool checkPorts() {
    bool areTensors = true;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      auto check = [&](TypeRange types, StringRef kind) {
        for (auto [number, type] : llvm::enumerate(types)) {
          if (isa<core::SymTensorType>(type))
            continue;
          function.emitError() << kind << " " << number << " is "
                               << (isa<core::SequenceType>(type) ? "a sequence" : "an optional")
                               << ", which is not supported yet";
          areTensors = false;
        }
      };
      check(function.getArgumentTypes(), "input");
      check(function.getResultTypes(), "output");
    }
    return areTensors;
  }

  /// Holds the numbers of each call, most of them axes, against the limits in its template's
  /// record.
  bool checkLimits() {
    bool areKept = true;
    getOperation().walk([&](prog::CallOp call) {
      for (const prog::TemplateParam &param : prog::findTemplate(call.getCallee())->params) {
        auto value = call.getParams().getAs<IntegerAttr>(param.name);
        if (!value || isa<BoolAttr>(value) ||
            (value.getInt() >= param.least && value.getInt() <= param.most))
          continue;
        call.emitError() << "is not supported yet: '" << param.name << "' of the kernel '"
                         << call.getCallee() << "' is " << value.getInt() << ", need "
                         << param.least << " to " << param.most;
        areKept = false;
      }
    });
    return areKept;
  }

  /// Constants and extents that kernels took as scalars stay behind without uses.
  void eraseUnused() {
    getOperation().walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (isOpTriviallyDead(op))
        op->erase();
    });
  }

  FrozenRewritePatternSet patterns;
};

} // namespace

void cameo::populateOnnxToProgPatterns(RewritePatternSet &patterns) {
  patterns.add<RefuseText>(patterns.getContext());
  populateControlPatterns(patterns);
  populateConvPatterns(patterns);
  populateCountedPatterns(patterns);
  populateElementwisePatterns(patterns);
  populateExternalPatterns(patterns);
  populateIndexingPatterns(patterns);
  populatePackedElementPatterns(patterns);
  populateLinearPatterns(patterns);
  populateMovementPatterns(patterns);
  populateNnPatterns(patterns);
  populateQuantPatterns(patterns);
  populateRandomPatterns(patterns);
  populateRecurrentPatterns(patterns);
  populateReducePatterns(patterns);
  populateShapePatterns(patterns);
  populateSignalPatterns(patterns);
  populateTreePatterns(patterns);
  populateVisionPatterns(patterns);
}
