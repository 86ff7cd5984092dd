// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LSTM, GRU and RNN: the template does the recurrence, the activations are functors. So does
// another one for LinearAttention.

#include "Conversion/OnnxToProg/Lowering.h"
#include "Conversion/OnnxToProg/Patterns.h"
#include "Conversion/OnnxToProg/TemplateCalls.h"
#include "Dialect/ONNX/IR/ScalarFunctions.h"

#include <cmath>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using prog::ScalarBuilder;

namespace {

/// An activation with the parameters that ONNX lets it have, and what these are when they are not
/// given; nullopt for one that it does not have, which no entry of the lists is for.
struct Activation {
  StringRef name;
  std::optional<double> alpha, beta;
  Value (*build)(ScalarBuilder &b, Value x, double alpha, double beta);
};

const Activation kActivations[] = {
    {"Affine", 1, 0,
     [](ScalarBuilder &b, Value x, double alpha, double beta) {
       return b.add(b.mul(x, b.constant(x, alpha)), b.constant(x, beta));
     }},
    {"Elu", 1, std::nullopt,
     [](ScalarBuilder &b, Value x, double alpha, double) {
       Value below = b.mul(b.sub(b.exp(x), b.constant(x, 1)), b.constant(x, alpha));
       return b.select(b.less(x, b.constant(x, 0)), below, x);
     }},
    {"HardSigmoid", 0.2, 0.5,
     [](ScalarBuilder &b, Value x, double alpha, double beta) {
       return hardSigmoid(b, x, alpha, beta);
     }},
    {"LeakyRelu", 0.01, std::nullopt,
     [](ScalarBuilder &b, Value x, double alpha, double) {
       return b.select(b.less(x, b.constant(x, 0)), b.mul(x, b.constant(x, alpha)), x);
     }},
    {"Relu", std::nullopt, std::nullopt,
     [](ScalarBuilder &b, Value x, double, double) { return b.max(x, b.constant(x, 0)); }},
    {"ScaledTanh", 1, 1,
     [](ScalarBuilder &b, Value x, double alpha, double beta) {
       return b.mul(b.tanh(b.mul(x, b.constant(x, beta))), b.constant(x, alpha));
     }},
    {"Sigmoid", std::nullopt, std::nullopt,
     [](ScalarBuilder &b, Value x, double, double) { return b.sigmoid(x); }},
    {"Softplus", std::nullopt, std::nullopt,
     [](ScalarBuilder &b, Value x, double, double) { return softplus(b, x); }},
    {"Softsign", std::nullopt, std::nullopt,
     [](ScalarBuilder &b, Value x, double, double) {
       return b.div(x, b.add(b.constant(x, 1), b.abs(x)));
     }},
    {"Tanh", std::nullopt, std::nullopt,
     [](ScalarBuilder &b, Value x, double, double) { return b.tanh(x); }},
    {"ThresholdedRelu", 1, std::nullopt,
     [](ScalarBuilder &b, Value x, double alpha, double) {
       return b.select(b.less(b.constant(x, alpha), x), x, b.constant(x, 0));
     }},
};

/// An activation as the model gives it.
struct ChosenActivation {
  const Activation *activation;
  double alpha, beta;
  Value build(ScalarBuilder &b, Value x) const { return activation->build(b, x, alpha, beta); }
};

/// All activations, direction by direction; those that the model does not name are `defaults`.
template <class Op>
SmallVector<ChosenActivation> readActivations(Op op, ArrayRef<StringRef> defaults) {
  SmallVector<StringRef> names;
  auto given = op->template getAttrOfType<ArrayAttr>("activations");
  for (int64_t number = 0; number < op.kFunctions * op.getNumDirections(); ++number)
    names.push_back(given ? cast<StringAttr>(given[number]).getValue()
                          : defaults[number % defaults.size()]);
  // Parameters are listed for the activations that have them, in order.
  ArrayRef<float> alphas = op.getActivationAlpha().value_or(ArrayRef<float>());
  ArrayRef<float> betas = op.getActivationBeta().value_or(ArrayRef<float>());
  auto take = [](ArrayRef<float> &list, std::optional<double> value) -> double {
    if (!value || list.empty())
      return value.value_or(0);
    value = list.front();
    list = list.drop_front();
    return *value;
  };
  SmallVector<ChosenActivation> chosen;
  for (StringRef name : names) {
    const Activation *activation = llvm::find_if(
        kActivations, [&](const Activation &known) { return name.equals_insensitive(known.name); });
    double alpha = take(alphas, activation->alpha);
    double beta = take(betas, activation->beta);
    chosen.push_back({activation, alpha, beta});
  }
  return chosen;
}

/// Builds the part that LSTM, GRU and RNN share.
template <class Op, class Call> class RecurrentBuilder {
public:
  RecurrentBuilder(Op op, PatternRewriter &rewriter) : op(op), lower(rewriter, op), call(lower) {}

  Call &getCall() { return call; }

  void addParams() {
    SymTensorType x = tensorOf(op.getX());
    bool batchFirst = op.getLayout() != 0;
    call.seq(x.getExtents()[batchFirst ? 1 : 0])
        .batch(x.getExtents()[batchFirst ? 0 : 1])
        .input(x.getExtents()[2])
        .hidden(tensorOf(op.getR()).getExtents()[2])
        .directions(op.getNumDirections())
        .layout(op.getLayout())
        .reverse(op.getDirection() == "reverse")
        .clip(op.getClip() ? op.getClip()->convertToFloat() : 0.0);
  }

  /// The operands that all three have.
  void addOperands() {
    call.x(op.getX())
        .w(op.getW())
        .r(op.getR())
        .b(op.getB())
        .sequenceLens(op.getSequenceLens())
        .h0(op.getInitialH())
        .y(tensorOf(op.getY()))
        .yH(tensorOf(op.getYH()));
  }

  /// A function per activation of a cell.
  SmallVector<BodyFunction> getActivations(ArrayRef<StringRef> defaults) {
    SmallVector<ChosenActivation> all = readActivations(op, defaults);
    SmallVector<BodyFunction> functions;
    for (int64_t number = 0; number < op.kFunctions; ++number) {
      ChosenActivation first = all[number];
      ChosenActivation second = all[op.getNumDirections() > 1 ? op.kFunctions + number : number];
      bool same = first.activation == second.activation && first.alpha == second.alpha &&
                  first.beta == second.beta;
      functions.push_back([=](ScalarBuilder &b, ValueRange x) {
        Value value = first.build(b, x[0]);
        if (!same) {
          Type i64 = IntegerType::get(x[0].getContext(), 64);
          value = b.select(b.equal(b.index(0), b.constant(i64, 0)), value, second.build(b, x[0]));
        }
        return SmallVector<Value>{value};
      });
    }
    return functions;
  }

  void replace(PatternRewriter &rewriter) { rewriter.replaceOp(op, call.build().getResults()); }

private:
  Op op;
  Lowering lower;
  Call call;
};

struct LSTMLowering : OpRewritePattern<LSTMOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LSTMOp op, PatternRewriter &rewriter) const override {
    RecurrentBuilder<LSTMOp, LstmCall> builder(op, rewriter);
    builder.addParams();
    builder.addOperands();
    SmallVector<BodyFunction> functions = builder.getActivations({"Sigmoid", "Tanh", "Tanh"});
    builder.getCall()
        .inputForget(op.getInputForget() != 0)
        .c0(op.getInitialC())
        .peephole(op.getP())
        .yC(tensorOf(op.getYC()))
        .f(functions[0])
        .g(functions[1])
        .h(functions[2]);
    builder.replace(rewriter);
    return success();
  }
};

struct GRULowering : OpRewritePattern<GRUOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GRUOp op, PatternRewriter &rewriter) const override {
    RecurrentBuilder<GRUOp, GruCall> builder(op, rewriter);
    builder.addParams();
    builder.addOperands();
    SmallVector<BodyFunction> functions = builder.getActivations({"Sigmoid", "Tanh"});
    builder.getCall()
        .linearBeforeReset(op.getLinearBeforeReset() != 0)
        .f(functions[0])
        .g(functions[1]);
    builder.replace(rewriter);
    return success();
  }
};

struct RNNLowering : OpRewritePattern<RNNOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(RNNOp op, PatternRewriter &rewriter) const override {
    RecurrentBuilder<RNNOp, RnnCall> builder(op, rewriter);
    builder.addParams();
    builder.addOperands();
    builder.getCall().f(builder.getActivations({"Tanh"}).front());
    builder.replace(rewriter);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// LinearAttention
//===----------------------------------------------------------------------===//

struct LinearAttentionLowering : OpRewritePattern<LinearAttentionOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(LinearAttentionOp op, PatternRewriter &rewriter) const override {
    Lowering lower(rewriter, op);
    SymTensorType output = tensorOf(op.getOutput()), state = tensorOf(op.getPresentState());
    ExtentAttr batch = state.getExtents()[0], heads = state.getExtents()[1],
               keySize = state.getExtents()[2], valueSize = state.getExtents()[3];
    checkHeads(lower, op.getQuery(), keySize * op.getQNumHeads());
    checkHeads(lower, op.getKey(), keySize * heads);
    checkHeads(lower, op.getValue(), valueSize * heads);
    ExtentAttr one = lower.inference().constant(1), decays = one, rates = one;
    if (op.getDecay()) {
      ExtentAttr all = tensorOf(op.getDecay()).getExtents().back();
      decays = simplify(all.floorDiv(heads), lower.getFacts());
      checkHeads(lower, op.getDecay(), decays * heads);
      checkOneOf(lower, decays, keySize);
    }
    if (op.getBeta()) {
      rates = tensorOf(op.getBeta()).getExtents().back();
      checkOneOf(lower, rates, heads);
    }
    Index stored{lower.dim(0), lower.dim(1), lower.dim(2) * lower.extent(valueSize) + lower.dim(3)};
    auto call = LinearAttentionCall(lower)
                    .batch(batch)
                    .tokens(output.getExtents()[1])
                    .heads(heads)
                    .shared(op.getQNumHeads() / op.getKvNumHeads())
                    .keySize(keySize)
                    .valueSize(valueSize)
                    .decays(decays)
                    .rates(rates)
                    .query(op.getQuery())
                    .key(op.getKey())
                    .value(op.getValue())
                    .past(op.getPastState())
                    .decay(buildFactors(op, lower))
                    .rate(op.getBeta())
                    .store({}, output, stored, scale(op, keySize))
                    .storeState(state, lower.dims(4))
                    .build();
    rewriter.replaceOp(op, call.getResults());
    return success();
  }

private:
  static void checkHeads(Lowering &lower, Value packed, ExtentAttr need) {
    lower.check("eq", tensorOf(packed).getExtents().back(), need, "invalid_argument",
                "the number of heads does not divide the last extent");
  }
  /// That an extent is 1 or `other`.
  static void checkOneOf(Lowering &lower, ExtentAttr extent, ExtentAttr other) {
    lower.check("eq", (extent - 1) * (other - extent), lower.inference().constant(0),
                "invalid_argument", "the last extent of decay or beta is another");
  }

  /// The factors of the state at each token; null where nothing decays.
  static Value buildFactors(LinearAttentionOp op, Lowering &lower) {
    if (!op.getDecay())
      return {};
    SymTensorType decay = tensorOf(op.getDecay());
    Type real = Float32Type::get(op.getContext());
    auto type = SymTensorType::get(decay.getExtents(), real, tensorOf(op.getOutput()).getSide());
    return lower.kernel(decay.getExtents(), {{op.getDecay(), lower.dims(3)}}, type, lower.dims(3),
                        [&](ScalarBuilder &b, ValueRange x) {
                          return SmallVector<Value>{b.exp(b.cast(x[0], real))};
                        });
  }

  static BodyFunction scale(LinearAttentionOp op, ExtentAttr keySize) {
    Type element = elementTypeOf(op.getOutput());
    double given = op.getScale().convertToFloat();
    std::optional<int64_t> size = keySize.getConstant();
    if (given == 0 && size && *size > 0)
      given = 1 / std::sqrt(static_cast<double>(*size));
    return [=](ScalarBuilder &b, ValueRange x) -> SmallVector<Value> {
      if (given != 0)
        return {b.cast(b.mul(x[0], b.constant(x[0], given)), element)};
      Value root = b.sqrt(b.cast(b.extent(keySize), x[0].getType()));
      return {b.cast(b.div(x[0], root), element)};
    };
  }
};

} // namespace

void cameo::populateRecurrentPatterns(RewritePatternSet &patterns) {
  patterns.add<GRULowering, LinearAttentionLowering, LSTMLowering, RNNLowering>(
      patterns.getContext());
}
