// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps of optimisers, as ONNX writes their formulas.

#include "Import/Expansion/Expansion.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;
using namespace cameo::onnx;

namespace {

/// One tensor of a step: itself, its gradient, its states.
using Group = SmallVector<Value>;

/// Numbers of a formula over one group, of its tensor's type.
class Formula {
public:
  Formula(Expansion &b, Value like) : b(b), like(like) {}

  Value number(llvm::APFloat value) { return b.number(value.convertToDouble(), like); }
  Value number(double value) { return b.number(value, like); }
  Value scaled(llvm::APFloat factor, Value x) {
    return factor.isZero() ? Value() : b.mul(number(factor), x);
  }
  /// The gradient with a share of the tensor itself.
  Value regularised(const Group &group, llvm::APFloat share) {
    return b.addIfThere(group[1], scaled(share, group[0]));
  }
  Value sub(Value x, Value y) { return b.make("Sub", {x, y}); }
  Value div(Value x, Value y) { return b.make("Div", {x, y}); }
  /// state * share + x * (1 - share)
  Value average(Value state, llvm::APFloat share, Value x) {
    return b.add(b.mul(number(share), state), b.mul(number(1 - share.convertToDouble()), x));
  }
  /// `x` by the root of `squares`, which is not 0.
  Value byRoot(Value x, Value squares, llvm::APFloat epsilon) {
    return div(x, b.add(b.make("Sqrt", {squares}), number(epsilon)));
  }
  /// Whether this is not the first step.
  Value isLater(Value step) { return b.make("Greater", {step, b.integer(0)}); }

private:
  Expansion &b;
  Value like;
};

/// The results of `makeGroup` for each group of `members` tensors, in the order of the outputs.
Values expandGroups(Expansion &b, OperandRange inputs, size_t members,
                    llvm::function_ref<Group(const Group &)> makeGroup) {
  size_t count = inputs.size() / members;
  if (count == 0 || count * members != inputs.size() ||
      b.getNode().outputs.size() > count * (members - 1))
    return b.malformed("needs " + Twine(members) +
                       " inputs for each tensor, and one output less (got " + Twine(inputs.size()) +
                       " and " + Twine(b.getNode().outputs.size()) + ")");
  Values results(count * (members - 1));
  for (size_t tensor = 0; tensor < count; ++tensor) {
    Group group;
    for (size_t member = 0; member < members; ++member)
      group.push_back(inputs[member * count + tensor]);
    Group made = makeGroup(group);
    if (b.hasFailed())
      return {};
    for (size_t member = 0; member + 1 < members; ++member)
      results[member * count + tensor] = made[member];
  }
  return results;
}

Values expandAdagrad(Expansion &b, AdagradOp op) {
  return expandGroups(b, op.getInputs(), 3, [&](const Group &group) -> Group {
    Formula f(b, group[0]);
    Type element = b.getElementType(group[0]);
    Value decay = b.mul(b.cast(op.getT(), element), f.number(op.getDecayFactor()));
    Value rate = f.div(b.cast(op.getR(), element), b.add(f.number(1), decay));
    Value gradient = f.regularised(group, op.getNormCoefficient());
    Value squares = b.add(group[2], b.mul(gradient, gradient));
    Value step = f.byRoot(b.mul(rate, gradient), squares, op.getEpsilon());
    return {f.sub(group[0], step), squares};
  });
}

Values expandMomentum(Expansion &b, MomentumOp op) {
  bool isNesterov = op.getMode() == "nesterov";
  if (!isNesterov && op.getMode() != "standard")
    return b.malformed("has a mode other than standard and nesterov");
  return expandGroups(b, op.getInputs(), 3, [&](const Group &group) -> Group {
    Formula f(b, group[0]);
    Value rate = b.cast(op.getR(), b.getElementType(group[0]));
    Value gradient = f.regularised(group, op.getNormCoefficient());
    Value share = b.make("Where", {f.isLater(op.getT()), f.number(op.getBeta()), f.number(1)});
    Value speed = b.add(b.mul(f.number(op.getAlpha()), group[2]), b.mul(share, gradient));
    Value ahead = isNesterov ? b.add(gradient, b.mul(f.number(op.getAlpha()), speed)) : speed;
    return {f.sub(group[0], b.mul(rate, ahead)), speed};
  });
}

/// The rate of a later step, for averages that began at 0.
Value correctRate(Expansion &b, Formula &f, AdamOp op, Value rate, Type element) {
  Value step = b.cast(op.getT(), element);
  auto remaining = [&](llvm::APFloat share) {
    return f.sub(f.number(1), b.make("Pow", {f.number(share), step}));
  };
  Value corrected =
      f.div(b.mul(rate, b.make("Sqrt", {remaining(op.getBeta())})), remaining(op.getAlpha()));
  return b.make("Where", {f.isLater(op.getT()), corrected, rate});
}

Values expandAdam(Expansion &b, AdamOp op) {
  return expandGroups(b, op.getInputs(), 4, [&](const Group &group) -> Group {
    Formula f(b, group[0]);
    Type element = b.getElementType(group[0]);
    Value gradient = f.regularised(group, op.getNormCoefficient());
    Value mean = f.average(group[2], op.getAlpha(), gradient);
    Value squares = f.average(group[3], op.getBeta(), b.mul(gradient, gradient));
    Value rate = correctRate(b, f, op, b.cast(op.getR(), element), element);
    Value next = f.sub(group[0], f.byRoot(b.mul(rate, mean), squares, op.getEpsilon()));
    double kept = 1 - op.getNormCoefficientPost().convertToDouble();
    return {kept == 1 ? next : b.mul(f.number(kept), next), mean, squares};
  });
}

constexpr ExpansionRow kRows[] = {
    expansion<AdagradOp, expandAdagrad>(),
    expansion<AdamOp, expandAdam>(),
    expansion<MomentumOp, expandMomentum>(),
};

} // namespace

ArrayRef<ExpansionRow> cameo::importer::getTrainingExpansions() { return kRows; }
