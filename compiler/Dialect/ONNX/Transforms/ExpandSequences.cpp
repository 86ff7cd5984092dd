// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sequences as what they are made of: the tensors one by one, or the pieces of one tensor along an
// axis. Which of them is meant is a position on the host, so that nothing of a sequence has to be
// stored: an operator that reads one becomes slices of the tensor, or a choice among the tensors.
//
// What a sequence is made of is found in program order. Where that cannot be said, its operators
// stay, and Structure says that they are not supported.

#include "Dialect/ONNX/IR/UntypedBuilder.h"
#include "Dialect/ONNX/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;

namespace cameo {
#define GEN_PASS_DEF_EXPANDSEQUENCESPASS
#include "Dialect/ONNX/Transforms/Passes.h.inc"
} // namespace cameo

namespace {

/// The parts of a sequence.
struct Sequence {
  SmallVector<Value> tensors;
  /// If not null, the pieces of this instead: of extent `chunk` along `axis`, but perhaps the last.
  Value whole;
  /// One integer; null for pieces of extent 1, which do without that axis unless `keepsAxis`.
  Value chunk;
  int64_t axis = 0;
  bool keepsAxis = true;

  bool isStack() const { return whole && !chunk && !keepsAxis; }
};

/// How many tensors are chosen among, cut or mapped in all: a short file may ask for any number.
constexpr int64_t kMaxParts = 100000;

/// A position as it is written; nullopt where only a run knows it.
std::optional<int64_t> getConstant(Value position) {
  auto constant = position.getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseIntElementsAttr>(constant.getValueAttr()) : nullptr;
  if (!elements || elements.getNumElements() != 1)
    return std::nullopt;
  return (*elements.value_begin<APInt>()).getSExtValue();
}

std::optional<int64_t> getRank(Value tensor) {
  auto type = cast<SymTensorType>(tensor.getType());
  return type.hasRank() ? std::optional<int64_t>(type.getRank()) : std::nullopt;
}

/// An axis counted from the front, where that can be said and it is one.
std::optional<int64_t> normalize(int64_t axis, std::optional<int64_t> rank) {
  if (rank && (axis < -*rank || axis >= *rank))
    return std::nullopt;
  if (axis >= 0 || rank)
    return axis < 0 ? axis + *rank : axis;
  return std::nullopt;
}

/// Among the tensors, the one at `index`, which is in [first, first + their number).
Value chooseAt(UntypedBuilder &b, Value index, ArrayRef<Value> tensors, int64_t first = 0) {
  if (tensors.size() == 1)
    return tensors.front();
  size_t half = tensors.size() / 2;
  int64_t middle = first + static_cast<int64_t>(half);
  return b.choose(
      b.less(index, b.number(middle)),
      [&](UntypedBuilder &then) { return chooseAt(then, index, tensors.take_front(half), first); },
      [&](UntypedBuilder &otherwise) {
        return chooseAt(otherwise, index, tensors.drop_front(half), middle);
      });
}

/// `position`, which counts from the end if it is negative, as an index below `count`. The Gather
/// ends a run in which it is neither.
Value getIndex(UntypedBuilder &b, Value position, size_t count) {
  SmallVector<int64_t> indices(count);
  std::iota(indices.begin(), indices.end(), 0);
  return b.gather(b.integers(indices), b.toI64(b.scalar(position)), 0);
}

class SequenceExpander {
public:
  void expand(Block &block);

private:
  void expand(Operation *op);
  void construct(SequenceConstructOp op) {
    known[op.getResult()].tensors = llvm::to_vector(op.getInputs());
  }
  void split(SplitToSequenceOp op);
  void insert(SequenceInsertOp op);
  void erase(SequenceEraseOp op);
  void readLength(SequenceLengthOp op);
  void readAt(SequenceAtOp op);
  void concat(ConcatFromSequenceOp op);
  void map(SequenceMapOp op);
  void expandIf(IfOp op);
  void expandLoop(LoopOp op);
  void hasElement(OptionalHasElementOp op);

  std::optional<Sequence> find(Value sequence) const {
    auto found = known.find(sequence);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  }
  /// The tensors one by one; nullopt where their number is not known.
  std::optional<SmallVector<Value>> getTensors(Value sequence, UntypedBuilder &b);
  std::optional<SmallVector<Value>> getPieces(const Sequence &sequence, UntypedBuilder &b);
  Value unstack(const Sequence &stack, int64_t axis, bool isNewAxis, UntypedBuilder &b) const;
  /// An operator that makes the sequence, for whoever cannot do without.
  void replaceSequence(Value old, const Sequence &made, UntypedBuilder &b);
  void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    replaced.insert(op);
  }
  void eraseOp(Operation *op);
  /// Whether so many parts more may be built.
  bool take(int64_t parts) {
    bool may = parts <= partsLeft;
    partsLeft -= may ? parts : 0;
    return may;
  }

  int64_t partsLeft = kMaxParts;
  DenseMap<Value, Sequence> known;
  /// The values that optionals hold; null for none.
  DenseMap<Value, Value> held;
  llvm::SmallPtrSet<Operation *, 8> replaced;
};

void SequenceExpander::expand(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    expand(&op);
  if (known.empty() && held.empty() && replaced.empty())
    return;
  // The maker of a sequence goes when nobody reads it any more.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op) &&
        (replaced.contains(&op) ||
         llvm::any_of(op.getResultTypes(), llvm::IsaPred<SequenceType, OptionalType>)))
      eraseOp(&op);
}

/// Another operator may lie where it did.
void SequenceExpander::eraseOp(Operation *op) {
  for (Value result : op->getResults()) {
    known.erase(result);
    held.erase(result);
  }
  replaced.erase(op);
  op->erase();
}

void SequenceExpander::replaceSequence(Value old, const Sequence &made, UntypedBuilder &b) {
  Value fresh;
  if (made.whole) {
    auto pieces = SequenceType::get(b.getContext(), SymTensorType::get(elementTypeOf(made.whole)));
    fresh = SplitToSequenceOp::create(b, b.getLocation(), pieces, made.whole, made.chunk,
                                      b.getI64IntegerAttr(made.axis),
                                      b.getI64IntegerAttr(made.keepsAxis));
  } else {
    fresh = SequenceConstructOp::create(b, b.getLocation(), old.getType(), made.tensors);
  }
  known[fresh] = made;
  old.replaceAllUsesWith(fresh);
}

void SequenceExpander::expand(Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](SequenceConstructOp made) { construct(made); })
      .Case([&](SequenceEmptyOp made) { known[made.getResult()]; })
      .Case([&](SplitToSequenceOp made) { split(made); })
      .Case([&](SequenceInsertOp made) { insert(made); })
      .Case([&](SequenceEraseOp made) { erase(made); })
      .Case([&](SequenceLengthOp reader) { readLength(reader); })
      .Case([&](SequenceAtOp reader) { readAt(reader); })
      .Case([&](ConcatFromSequenceOp reader) { concat(reader); })
      .Case([&](SequenceMapOp mapped) { map(mapped); })
      .Case([&](IfOp branch) { expandIf(branch); })
      .Case([&](LoopOp loop) { expandLoop(loop); })
      .Case([&](OptionalOp made) { held[made.getResult()] = made.getInput(); })
      .Case([&](OptionalHasElementOp reader) { hasElement(reader); })
      .Case([&](OptionalGetElementOp reader) {
        auto found = held.find(reader.getInput());
        if (found != held.end() && found->second)
          replace(reader, found->second);
        else if (!isa<OptionalType>(reader.getInput().getType()))
          replace(reader, reader.getInput());
      })
      .Case([&](IdentityOp same) {
        if (!isa<SymTensorType>(same.getInput().getType()))
          replace(same, same.getInput());
      });
}

void SequenceExpander::split(SplitToSequenceOp op) {
  UntypedBuilder b(op);
  Value lengths = op.getSplit();
  auto type = lengths ? cast<SymTensorType>(lengths.getType()) : SymTensorType();
  if (type && !type.hasRank())
    return;
  if (!type || type.getRank() == 0) {
    known[op.getResult()] = {{}, op.getInput(), lengths, op.getAxis(), op.getKeepdims() != 0};
    return;
  }
  std::optional<int64_t> count = type.getExtents().front().getConstant();
  if (!count || *count == 0 || !take(*count))
    return;
  SmallVector<Type> types(*count, SymTensorType::get(elementTypeOf(op.getInput())));
  auto pieces = SplitOp::create(b, op.getLoc(), types, op.getInput(), b.toI64(lengths),
                                op.getAxisAttr(), IntegerAttr());
  known[op.getResult()].tensors = llvm::to_vector_of<Value>(pieces->getResults());
}

std::optional<SmallVector<Value>> SequenceExpander::getTensors(Value sequence, UntypedBuilder &b) {
  std::optional<Sequence> made = find(sequence);
  if (!made)
    return std::nullopt;
  return made->whole ? getPieces(*made, b) : made->tensors;
}

std::optional<SmallVector<Value>> SequenceExpander::getPieces(const Sequence &sequence,
                                                              UntypedBuilder &b) {
  auto type = cast<SymTensorType>(sequence.whole.getType());
  std::optional<int64_t> chunk = sequence.chunk ? getConstant(sequence.chunk) : 1;
  if (!type.hasRank() || !chunk || *chunk <= 0)
    return std::nullopt;
  std::optional<int64_t> along = normalize(sequence.axis, type.getRank());
  if (!along)
    return std::nullopt;
  int64_t axis = *along;
  std::optional<int64_t> extent = type.getExtents()[axis].getConstant();
  if (!extent || !take(llvm::divideCeil(*extent, *chunk)))
    return std::nullopt;
  SmallVector<Value> pieces;
  for (int64_t start = 0; start < *extent; start += *chunk)
    pieces.push_back(sequence.isStack()
                         ? b.gather(sequence.whole, b.number(start), axis)
                         : b.slice(sequence.whole, b.integers({start}),
                                   b.integers({std::min(start + *chunk, *extent)}), axis));
  return pieces;
}

void SequenceExpander::insert(SequenceInsertOp op) {
  UntypedBuilder b(op);
  std::optional<SmallVector<Value>> tensors = getTensors(op.getInputSequence(), b);
  if (!tensors)
    return;
  auto count = static_cast<int64_t>(tensors->size());
  std::optional<int64_t> position = op.getPosition() ? getConstant(op.getPosition()) : count;
  if (position && *position < 0)
    *position += count;
  if (position && *position >= 0 && *position <= count) {
    tensors->insert(tensors->begin() + *position, op.getTensor());
    known[op.getResult()].tensors = *tensors;
    return;
  }
  if (!take(count + 1))
    return;
  Sequence &made = known[op.getResult()];
  // In front of the one at `at`, or behind all: an index below count + 1.
  Value given = b.toI64(b.scalar(op.getPosition()));
  Value fromFront = b.where(b.less(given, b.number(0)), b.add(given, b.number(count)), given);
  Value checked = b.where(b.less(fromFront, b.number(0)), b.number(count + 1), fromFront);
  Value at = getIndex(b, checked, tensors->size() + 1);
  auto getOld = [&](int64_t i) { return [&, i](UntypedBuilder &) { return (*tensors)[i]; }; };
  auto getNew = [&](UntypedBuilder &) { return Value(op.getTensor()); };
  for (int64_t i = 0; i <= count; ++i) {
    auto getAtOrBehind = [&](UntypedBuilder &inner) {
      return i == 0 ? Value(op.getTensor())
                    : inner.choose(inner.equal(at, inner.number(i)), getNew, getOld(i - 1));
    };
    Value isAtOrBehind = b.less(at, b.number(i + 1));
    made.tensors.push_back(i == count ? getAtOrBehind(b)
                                      : b.choose(isAtOrBehind, getAtOrBehind, getOld(i)));
  }
}

void SequenceExpander::erase(SequenceEraseOp op) {
  UntypedBuilder b(op);
  std::optional<SmallVector<Value>> tensors = getTensors(op.getInputSequence(), b);
  if (!tensors || tensors->empty())
    return;
  auto count = static_cast<int64_t>(tensors->size());
  std::optional<int64_t> position = op.getPosition() ? getConstant(op.getPosition()) : count - 1;
  if (position && *position < 0)
    *position += count;
  if (position && *position >= 0 && *position < count) {
    tensors->erase(tensors->begin() + *position);
    known[op.getResult()].tensors = *tensors;
    return;
  }
  if (!take(count))
    return;
  Sequence &made = known[op.getResult()];
  Value at = getIndex(b, op.getPosition(), tensors->size());
  for (int64_t i = 0; i + 1 < count; ++i)
    made.tensors.push_back(b.choose(
        b.less(b.number(i), at), [&](UntypedBuilder &) { return (*tensors)[i]; },
        [&](UntypedBuilder &) { return (*tensors)[i + 1]; }));
}

/// Where the pieces of a tensor begin, as a list: its length is their number.
Value getStarts(const Sequence &sequence, UntypedBuilder &b) {
  Value extent = b.extent(sequence.whole, sequence.axis);
  return RangeOp::create(b, b.getLocation(), SymTensorType::get(b.getI64Type()), b.number(0),
                         extent, b.toI64(sequence.chunk), b.getI64IntegerAttr(1));
}

void SequenceExpander::readLength(SequenceLengthOp op) {
  std::optional<Sequence> sequence = find(op.getInputSequence());
  if (!sequence)
    return;
  UntypedBuilder b(op);
  if (!sequence->whole)
    replace(op, b.number(static_cast<int64_t>(sequence->tensors.size())));
  else if (!sequence->chunk)
    replace(op, b.extent(sequence->whole, sequence->axis));
  else
    replace(op, b.extent(getStarts(*sequence, b), 0));
}

void SequenceExpander::readAt(SequenceAtOp op) {
  std::optional<Sequence> sequence = find(op.getInputSequence());
  if (!sequence || (!sequence->whole && sequence->tensors.empty()))
    return;
  UntypedBuilder b(op);
  Value position = op.getPosition();
  if (sequence->chunk) {
    Value start = b.gather(getStarts(*sequence, b), b.toI64(b.list(position)), 0);
    Value end = b.add(start, b.toI64(sequence->chunk));
    return replace(op, b.slice(sequence->whole, start, end, sequence->axis));
  }
  if (sequence->whole) {
    Value index = sequence->keepsAxis ? b.list(position) : b.scalar(position);
    return replace(op, b.gather(sequence->whole, index, sequence->axis));
  }
  ArrayRef<Value> tensors = sequence->tensors;
  auto count = static_cast<int64_t>(tensors.size());
  std::optional<int64_t> constant = getConstant(position);
  if (constant && *constant < 0)
    *constant += count;
  if (constant && *constant >= 0 && *constant < count)
    return replace(op, tensors[*constant]);
  if (count == 1) // there is no choice, but a position that may be wrong
    return replace(op, b.gather(b.unsqueeze(tensors.front(), 0), b.scalar(position), 0));
  if (take(count))
    replace(op, chooseAt(b, getIndex(b, position, tensors.size()), tensors));
}

void SequenceExpander::concat(ConcatFromSequenceOp op) {
  std::optional<Sequence> sequence = find(op.getInputSequence());
  if (!sequence)
    return;
  UntypedBuilder b(op);
  bool isNewAxis = op.getNewAxis() != 0;
  int64_t axis = op.getAxis();
  if (sequence->whole) {
    std::optional<int64_t> rank = getRank(sequence->whole), along = normalize(axis, rank);
    bool isSame = axis == sequence->axis || (along && along == normalize(sequence->axis, rank));
    if (isSame && isNewAxis == sequence->isStack())
      return replace(op, sequence->whole);
    if (sequence->isStack())
      if (Value merged = unstack(*sequence, axis, isNewAxis, b))
        return replace(op, merged);
  }
  std::optional<SmallVector<Value>> tensors = getTensors(op.getInputSequence(), b);
  if (!tensors || tensors->empty())
    return;
  if (isNewAxis)
    for (Value &tensor : *tensors)
      tensor = b.unsqueeze(tensor, axis);
  replace(op, tensors->size() == 1 ? tensors->front() : b.concat(*tensors, axis));
}

/// The tensors of a stack along another axis: moved there, where it is new, or in front of that
/// axis and merged with it. Null where the rank is not known.
Value SequenceExpander::unstack(const Sequence &stack, int64_t axis, bool isNewAxis,
                                UntypedBuilder &b) const {
  std::optional<int64_t> rank = getRank(stack.whole);
  if (!rank)
    return {};
  std::optional<int64_t> from = normalize(stack.axis, rank);
  std::optional<int64_t> to = normalize(axis, isNewAxis ? *rank : *rank - 1);
  // An axis that is none is told of where the operator is typed.
  if (!from || !to)
    return {};
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < *rank; ++dim)
    if (dim != from)
      order.push_back(dim);
  order.insert(order.begin() + *to, *from);
  Value moved = stack.whole;
  if (!llvm::is_sorted(order))
    moved = TransposeOp::create(b, b.getLocation(), SymTensorType::get(elementTypeOf(moved)), moved,
                                b.getDenseI64ArrayAttr(order));
  if (isNewAxis)
    return moved;
  Value shape = b.shape(moved), behind = b.integers({*to + 2}), end = b.integers({*rank});
  Value merged[] = {b.slice(shape, b.integers({0}), b.integers({*to}), 0), b.integers({-1}),
                    b.slice(shape, behind, end, 0)};
  return b.reshape(moved, b.concat(merged, 0));
}

void SequenceExpander::map(SequenceMapOp op) {
  UntypedBuilder b(op);
  // By operand: its tensors, or itself for all.
  SmallVector<SmallVector<Value>> operands;
  for (Value operand : op->getOperands()) {
    if (isa<SymTensorType>(operand.getType())) {
      operands.push_back({operand});
      continue;
    }
    std::optional<SmallVector<Value>> tensors = getTensors(operand, b);
    if (!tensors || (!operands.empty() && tensors->size() != operands.front().size()))
      return;
    operands.push_back(*tensors);
  }
  Block &body = op.getBody().front();
  int64_t numOperators = 0;
  body.walk([&](Operation *) { ++numOperators; });
  if (!take(numOperators * static_cast<int64_t>(operands.front().size())))
    return;
  for (Value result : op->getResults())
    known[result];
  for (size_t number = 0; number < operands.front().size(); ++number) {
    IRMapping mapping;
    for (auto [argument, tensors, operand] :
         llvm::zip_equal(body.getArguments(), operands, op->getOperands()))
      mapping.map(argument, isa<SymTensorType>(operand.getType()) ? operand : tensors[number]);
    for (Operation &inner : body.without_terminator())
      b.clone(inner, mapping);
    for (auto [result, yielded] :
         llvm::zip_equal(op->getResults(), body.getTerminator()->getOperands()))
      known[result].tensors.push_back(mapping.lookupOrDefault(yielded));
  }
  replaced.insert(op);
}

void SequenceExpander::hasElement(OptionalHasElementOp op) {
  UntypedBuilder b(op);
  bool has = static_cast<bool>(op.getInput());
  if (has && isa<OptionalType>(op.getInput().getType())) {
    auto found = held.find(op.getInput());
    if (found == held.end())
      return;
    has = static_cast<bool>(found->second);
  }
  auto value = DenseElementsAttr::get(RankedTensorType::get({}, b.getI1Type()), has);
  replace(op, ConstantOp::create(b, op.getLoc(), SymTensorType::get({}, b.getI1Type()), value));
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

/// An If yields the tensors of a sequence, where both branches have as many.
void SequenceExpander::expandIf(IfOp op) {
  for (Region &region : op->getRegions())
    expand(region.front());
  Operation *yields[] = {op.getThenBranch().front().getTerminator(),
                         op.getElseBranch().front().getTerminator()};
  /// By result: its tensors in each branch; itself for a tensor.
  SmallVector<std::pair<SmallVector<Value>, SmallVector<Value>>> parts;
  bool any = false;
  for (OpResult result : op->getResults()) {
    Value ends[] = {yields[0]->getOperand(result.getResultNumber()),
                    yields[1]->getOperand(result.getResultNumber())};
    if (isa<SymTensorType>(result.getType())) {
      parts.push_back({{ends[0]}, {ends[1]}});
      continue;
    }
    UntypedBuilder then(yields[0]), otherwise(yields[1]);
    std::optional<SmallVector<Value>> first = getTensors(ends[0], then);
    std::optional<SmallVector<Value>> second = getTensors(ends[1], otherwise);
    if (!first || !second || first->empty() || first->size() != second->size())
      return;
    any = true;
    parts.emplace_back(*first, *second);
  }
  if (!any)
    return;
  UntypedBuilder b(op);
  SmallVector<Value> first, second;
  SmallVector<Type> types;
  for (auto &[inThen, inElse] : parts) {
    first.append(inThen);
    second.append(inElse);
  }
  for (Value value : first)
    types.push_back(SymTensorType::get(elementTypeOf(value)));
  auto expanded = IfOp::create(b, op.getLoc(), types, op.getCond(), ArrayAttr(), UnitAttr());
  yields[0]->setOperands(first);
  yields[1]->setOperands(second);
  expanded.getThenBranch().takeBody(op.getThenBranch());
  expanded.getElseBranch().takeBody(op.getElseBranch());
  size_t next = 0;
  for (auto [result, part] : llvm::zip_equal(op->getResults(), parts)) {
    ResultRange fresh = expanded->getResults().slice(next, part.first.size());
    next += part.first.size();
    if (isa<SymTensorType>(result.getType()))
      result.replaceAllUsesWith(fresh.front());
    else
      replaceSequence(result, {llvm::to_vector_of<Value>(fresh)}, b);
  }
  eraseOp(op);
}

/// A sequence that a Loop carries.
struct CarriedSequence {
  unsigned number;
  Sequence start;
  /// The element that each iteration adds; null where the sequence stays as it is.
  SequenceInsertOp insert;
};

/// A stack of such tensors: its rank is known where theirs is.
Type getStackType(Value element) {
  auto type = cast<SymTensorType>(element.getType());
  if (!type.hasRank())
    return SymTensorType::get(type.getElementType());
  SmallVector<ExtentAttr> extents(type.getRank() + 1, ExtentAttr::unknown(type.getContext()));
  return SymTensorType::get(extents, type.getElementType());
}

/// The tensor that each iteration adds to an empty sequence is stacked; a sequence that stays as it
/// is need not be carried.
void SequenceExpander::expandLoop(LoopOp op) {
  Block &body = op.getBody().front();
  Operation *yield = body.getTerminator();
  SmallVector<CarriedSequence> sequences;
  for (auto same : llvm::make_early_inc_range(body.getOps<IdentityOp>()))
    if (isa<SequenceType>(same.getInput().getType()))
      replace(same, same.getInput());
  for (auto [number, init] : llvm::enumerate(op.getVInitial())) {
    std::optional<Sequence> start = find(init);
    if (!start)
      continue;
    BlockArgument carried = body.getArgument(2 + number);
    Value next = yield->getOperand(1 + number);
    auto insert = next.getDefiningOp<SequenceInsertOp>();
    if (next == carried)
      known[carried] = *start;
    else if (!insert || insert->getBlock() != &body || insert.getInputSequence() != carried ||
             insert.getPosition() || !next.hasOneUse() || start->whole || !start->tensors.empty())
      continue;
    sequences.push_back(
        {static_cast<unsigned>(number), *start, next == carried ? nullptr : insert});
  }
  expand(body);
  llvm::erase_if(sequences, [&](const CarriedSequence &sequence) {
    return !body.getArgument(2 + sequence.number).hasOneUse();
  });
  if (sequences.empty())
    return;

  UntypedBuilder b(op);
  llvm::BitVector gone(op->getNumResults());
  for (const CarriedSequence &sequence : sequences)
    gone.set(sequence.number);
  SmallVector<Value> inits, yielded{yield->getOperand(0)}, kept;
  SmallVector<Type> types;
  for (OpResult result : op->getResults()) {
    unsigned number = result.getResultNumber();
    if (gone.test(number))
      continue;
    if (number < op.getNumCarried())
      inits.push_back(op.getVInitial()[number]);
    yielded.push_back(yield->getOperand(1 + number));
    types.push_back(result.getType());
    kept.push_back(result);
  }
  for (CarriedSequence &sequence : sequences)
    if (sequence.insert) {
      yielded.push_back(sequence.insert.getTensor());
      types.push_back(getStackType(sequence.insert.getTensor()));
    }
  auto loop = LoopOp::create(b, op.getLoc(), types, op.getM(), op.getCond(), inits, SymbolAttr(),
                             ExtentAttr(), SymbolAttr(), ArrayAttr(), ArrayAttr());
  yield->setOperands(yielded);
  loop.getBody().takeBody(op.getBody());
  for (auto [old, fresh] : llvm::zip(kept, loop->getResults()))
    old.replaceAllUsesWith(fresh);
  size_t next = kept.size();
  for (CarriedSequence &sequence : llvm::reverse(sequences)) {
    if (sequence.insert)
      eraseOp(sequence.insert);
    known.erase(body.getArgument(2 + sequence.number));
    body.eraseArgument(2 + sequence.number);
  }
  for (CarriedSequence &sequence : sequences) {
    if (sequence.insert) {
      sequence.start.whole = loop->getResult(next++);
      sequence.start.keepsAxis = false;
    }
    b.setInsertionPoint(op);
    replaceSequence(op->getResult(sequence.number), sequence.start, b);
  }
  eraseOp(op);
}

struct ExpandSequencesPass : cameo::impl::ExpandSequencesPassBase<ExpandSequencesPass> {
  using ExpandSequencesPassBase::ExpandSequencesPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      // Sequences from outside or for it are not supported, and what follows from them need not be
      // said.
      FunctionType type = function.getFunctionType();
      if (!llvm::all_of(type.getInputs(), llvm::IsaPred<SymTensorType>) ||
          !llvm::all_of(type.getResults(), llvm::IsaPred<SymTensorType>))
        continue;
      Block &body = function.getBody().front();
      SequenceExpander().expand(body);
      // A result is what it was before it went through a sequence.
      function.setFunctionType(FunctionType::get(&getContext(), function.getArgumentTypes(),
                                                 body.getTerminator()->getOperandTypes()));
    }
  }
};

} // namespace
