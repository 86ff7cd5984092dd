// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups are chosen first, in one walk from the last kernel to the first: when a kernel is visited,
// all that read it are in their groups, and it joins one of these (or several, when computing it
// again is cheap) or begins its own. Then each group is built, once. A group stands where its last
// member stood, its root; so nothing but the group may use a member in front of that, which is why
// a member with other users can only join the first of them.

#include "Fusion/KernelFusion.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Fusion/Functors.h"
#include "Fusion/Uses.h"
#include "Support/NodeLocation.h"
#include "llvm/ADT/SetVector.h"

#include <climits>
#include <deque>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

struct Member {
  KernelOp op;
  /// Where it is evaluated, in the index space of the group.
  SmallVector<Evaluation, 1> evaluations;
  /// Whether others need its result too.
  bool isStored;
};

/// Kernels that become one.
struct Group {
  /// Iterates over `extents`, which cut some axes of the root's iteration or are its own.
  Group(KernelOp root, ArrayRef<ExtentAttr> extents, const ExtentFacts &facts)
      : root(root),
        space(root.getContext(), extents.size(), facts), all{llvm::to_vector<6>(extents),
                                                             space.getDims()} {}

  KernelOp root;
  IndexSpace space;
  /// The iteration itself, and how many points it has.
  Point all;
  ExtentAttr size;
  /// The root, then the others from last to first.
  SmallVector<Member> members;
  /// Elements that are read from outside, each once.
  SmallVector<Access> reads;
  unsigned numOps = 0, numResults = 0;
  /// How much of what may be spent on recomputation is spent.
  unsigned recomputation = 0;
};

/// A group as it would be with one more member.
struct Joining {
  Member member;
  SmallVector<Access> reads;
  unsigned numOps, recomputation;
};

/// The extents that a kernel has to iterate over so that what it reads in order can join it: those
/// of `of`, whose own reads are in another order.
struct Cut {
  SmallVector<ExtentAttr, 6> extents;
  KernelOp of;
};

/// Who uses a kernel's result.
struct Users {
  llvm::SmallSetVector<Group *, 4> groups;
  /// The position of the first user; the group that stands there, if a group reads it there.
  unsigned first = UINT_MAX;
  Group *firstGroup = nullptr;
  /// Whether all users are groups that read it.
  bool areGroups = true;
};

/// A kernel that was built of a group.
struct FusedKernel {
  KernelOp op;
  /// The locations of what it replaces, with their positions, and the names of its results.
  SmallVector<std::pair<unsigned, Location>> locations;
  SmallVector<StringRef> names;
};

class KernelFusion {
public:
  KernelFusion(Block &block, const ExtentFacts &facts, const FusionLimits &limits)
      : order(block), facts(facts), limits(limits) {}

  void run() {
    for (auto kernel : order.getBlock().getOps<KernelOp>())
      findCut(kernel);
    for (Operation &op : llvm::reverse(order.getBlock()))
      if (auto kernel = dyn_cast<KernelOp>(op))
        insert(kernel);
    for (Group &group : groups)
      if (group.members.size() > 1)
        build(group);
    eraseMembers();
    for (FusedKernel &fused : fusedKernels)
      setLocation(fused);
  }

private:
  void insert(KernelOp kernel);
  bool joinAll(KernelOp kernel, const Users &users);
  bool joinFirst(KernelOp kernel, const Users &users);
  void begin(KernelOp root);
  void findCut(KernelOp kernel);
  bool isCutOf(ArrayRef<ExtentAttr> fine, KernelOp kernel);
  bool canEvaluate(KernelOp kernel, KernelOp iterating);
  SmallVector<ExtentAttr, 6> getIteration(KernelOp root);
  Users findUsers(KernelOp kernel);
  std::optional<Joining> tryJoin(Group &group, KernelOp kernel, bool isStored, bool isAgain);
  static bool computeReads(Group &group, KernelOp kernel, Joining &joining);
  bool followsCall(KernelOp kernel);
  bool isNarrowBorder(Group &group, KernelOp kernel);
  int64_t findLastCall(Value value, llvm::SmallPtrSetImpl<Operation *> &seen);
  static bool isInOrder(Group &group, KernelOp kernel, const Evaluation &evaluation);
  bool isWorthIt(Group &group, KernelOp kernel, Joining &joining, bool isAgain);
  void join(Group &group, Joining joining);
  void build(Group &group);
  KernelOp create(Group &group);
  void note(KernelOp member, FusedKernel &fused);
  void eraseMembers();
  void setLocation(FusedKernel &fused);

  ProgramOrder order;
  const ExtentFacts &facts;
  const FusionLimits &limits;
  std::deque<Group> groups;
  DenseMap<Operation *, SmallVector<Group *, 1>> groupsOf;
  std::deque<FusedKernel> fusedKernels;
  DenseMap<Operation *, Cut> cuts;
  /// By a view, what reads through it.
  DenseMap<Operation *, llvm::SmallSetVector<FusedKernel *, 2>> readers;
};

} // namespace

//===----------------------------------------------------------------------===//
// Choosing groups
//===----------------------------------------------------------------------===//

Users KernelFusion::findUsers(KernelOp kernel) {
  Users users;
  auto add = [&](unsigned position, Group *group) {
    if (position < users.first) {
      users.first = position;
      users.firstGroup = group;
    } else if (position == users.first && users.firstGroup != group) {
      users.firstGroup = nullptr;
    }
    if (group)
      users.groups.insert(group);
    else
      users.areGroups = false;
  };
  forEachUse(kernel.getResult(0), order.getBlock(), [&](OpOperand &use) {
    auto reader = dyn_cast<KernelOp>(use.getOwner());
    if (!reader || reader->getBlock() != &order.getBlock())
      return add(order.lookup(use.getOwner()), nullptr);
    bool isRead = use.getOperandNumber() < reader.getIns().size();
    for (Group *group : groupsOf.lookup(reader))
      add(order.lookup(group->root), isRead ? group : nullptr);
  });
  return users;
}

void KernelFusion::insert(KernelOp kernel) {
  if (isInlinable(kernel) && !kernel.use_empty()) {
    Users users = findUsers(kernel);
    if ((users.areGroups && joinAll(kernel, users)) || joinFirst(kernel, users))
      return;
  }
  begin(kernel);
}

void KernelFusion::begin(KernelOp root) {
  Group &group = groups.emplace_back(root, getIteration(root), facts);
  group.size = ExtentAttr::constant(root.getContext(), 1);
  for (ExtentAttr extent : group.all.extents)
    group.size = group.size * extent;
  Joining joining{{root, {}, /*isStored=*/true}, {}, countOps(root), 0};
  joining.member.evaluations.push_back(*group.space.evaluate(root, group.all));
  computeReads(group, root, joining);
  join(group, std::move(joining));
}

/// Whether extents are those of a kernel's iteration, with some axes cut into several and none
/// joined. Runs of the last axis stay long enough to be worth an iteration of their own.
bool KernelFusion::isCutOf(ArrayRef<ExtentAttr> fine, KernelOp kernel) {
  constexpr int64_t kLeastRun = 8;
  if (fine.empty() || fine.back().getConstant().value_or(kLeastRun) < kLeastRun)
    return false;
  SmallVector<ExtentAttr> coarse(kernel.getExtents().getAsRange<ExtentAttr>());
  IndexSpace space(kernel.getContext(), fine.size(), facts);
  std::optional<IndexExprs> index =
      space.reindex({llvm::to_vector<6>(fine), space.getDims()}, coarse);
  return index && llvm::all_of(*index, [](AffineExpr expr) { return bool(expr); });
}

/// Whether a kernel can be evaluated in the order of another one's iteration.
bool KernelFusion::canEvaluate(KernelOp kernel, KernelOp iterating) {
  IndexSpace space(kernel.getContext(), iterating.getRank(), facts);
  auto extents = llvm::to_vector<6>(iterating.getExtents().getAsRange<ExtentAttr>());
  std::optional<Evaluation> evaluation = space.evaluate(kernel, {extents, space.getDims()});
  return evaluation && llvm::all_of(llvm::seq<unsigned>(kernel.getIns().size()), [&](unsigned n) {
           return space.read(kernel, n, *evaluation).has_value();
         });
}

/// Notes the extents by which what `kernel` reads in order could join it, or else its own, if
/// readers under other extents could not compute its index.
void KernelFusion::findCut(KernelOp kernel) {
  IndexSpace space(kernel.getContext(), kernel.getRank(), facts);
  bool hasOwn = !kernel.getBodyBlock()->getOps<SIndexOp>().empty();
  const Cut *found = nullptr;
  for (auto [number, input] : llvm::enumerate(kernel.getIns())) {
    if (!getTensor(input))
      continue;
    if (!space.isInOrder(kernel, number)) {
      hasOwn = true;
      continue;
    }
    auto source = getViewed(input).getDefiningOp<KernelOp>();
    auto cut = source && isInlinable(source) ? cuts.find(source) : cuts.end();
    if (cut != cuts.end() && isCutOf(cut->second.extents, kernel))
      found = &cut->second;
  }
  if (found)
    cuts[kernel] = Cut(*found);
  else if (hasOwn && isInlinable(kernel))
    cuts[kernel] = Cut{{llvm::to_vector<6>(kernel.getExtents().getAsRange<ExtentAttr>())}, kernel};
}

/// The extents of a group's iteration. A kernel that can follow a call keeps its own, unless what
/// would join it reads that call's result, too.
SmallVector<ExtentAttr, 6> KernelFusion::getIteration(KernelOp root) {
  auto own = llvm::to_vector<6>(root.getExtents().getAsRange<ExtentAttr>());
  auto cut = cuts.find(root);
  if (cut == cuts.end() || canEvaluate(cut->second.of, root))
    return own;
  llvm::SmallPtrSet<Operation *, 16> seen;
  int64_t call = findLastCall(root.getResult(0), seen);
  bool isFree =
      call < 0 || llvm::any_of(cut->second.of.getIns(), [&](Value input) {
        Operation *source = getViewed(input).getDefiningOp();
        return source && source->getBlock() == &order.getBlock() && order.lookup(source) == call;
      });
  bool isDense = root.getNumResults() == 1 && !getTensor(root.getResult(0)).getLayout();
  return isFree && isDense ? cut->second.extents : own;
}

/// Into every group that reads it, so that the kernel itself is gone.
bool KernelFusion::joinAll(KernelOp kernel, const Users &users) {
  if (users.groups.size() > kMostRecomputations)
    return false;
  SmallVector<Joining, 1> joinings;
  for (Group *group : users.groups) {
    bool isAgain = !joinings.empty();
    std::optional<Joining> joining = tryJoin(*group, kernel, /*isStored=*/false, isAgain);
    if (!joining)
      return false;
    joinings.push_back(std::move(*joining));
  }
  for (auto [group, joining] : llvm::zip_equal(users.groups, joinings))
    join(*group, std::move(joining));
  return true;
}

/// Into the first of its users, which hands the others its result.
bool KernelFusion::joinFirst(KernelOp kernel, const Users &users) {
  if (!users.firstGroup)
    return false;
  std::optional<Joining> joining =
      tryJoin(*users.firstGroup, kernel, /*isStored=*/true, /*isAgain=*/false);
  if (!joining)
    return false;
  join(*users.firstGroup, std::move(*joining));
  return true;
}

std::optional<Joining> KernelFusion::tryJoin(Group &group, KernelOp kernel, bool isStored,
                                             bool isAgain) {
  Value result = kernel.getResult(0);
  if (getTensor(result).getSide() != getTensor(group.root.getResult(0)).getSide())
    return std::nullopt;
  if (isNarrowBorder(group, kernel))
    return std::nullopt;
  // The group's operands that stay may be too many already.
  auto isOther = [&](const Access &read) { return read.source != result; };
  if (llvm::count_if(group.reads, isOther) + group.numResults + isStored > limits.maxOperands)
    return std::nullopt;
  Joining joining{{kernel, {}, isStored}, {}, group.numOps, group.recomputation};
  for (const Access &read : group.reads) {
    if (isOther(read)) {
      joining.reads.push_back(read);
      continue;
    }
    std::optional<Evaluation> evaluation = group.space.evaluate(kernel, read.at);
    if (!evaluation)
      return std::nullopt;
    joining.member.evaluations.push_back(std::move(*evaluation));
  }
  // A kernel that can follow a call costs nothing there, and its reader may find other ways than a
  // copy to read in another order (AttentionFusion).
  if (!isStored && followsCall(kernel) &&
      !llvm::all_of(joining.member.evaluations, [&](const Evaluation &evaluation) {
        return isInOrder(group, kernel, evaluation);
      }))
    return std::nullopt;
  if (isStored) {
    // A result is stored at the points of the iteration, so that is where it must be computed.
    bool isInOrder =
        joining.member.evaluations.size() == 1 &&
        joining.member.evaluations.front().at == group.all &&
        ArrayRef(getTensor(result).getPhysicalExtents()) == ArrayRef(group.all.extents);
    if (!isInOrder)
      return std::nullopt;
  }
  joining.numOps += countOps(kernel) * joining.member.evaluations.size();
  if (joining.numOps > limits.maxKernelOps || !computeReads(group, kernel, joining) ||
      joining.reads.size() + group.numResults + isStored > limits.maxOperands ||
      !isWorthIt(group, kernel, joining, isAgain))
    return std::nullopt;
  return joining;
}

/// Whether a kernel reads, in order, what a call stores for nobody else.
bool KernelFusion::followsCall(KernelOp kernel) {
  for (unsigned number = 0; number < kernel.getIns().size(); ++number) {
    auto result = dyn_cast<OpResult>(getViewed(kernel.getIns()[number]));
    auto call = result ? dyn_cast<CallOp>(result.getOwner()) : CallOp();
    if (!call || call->getBlock() != &order.getBlock() ||
        !findStore(call, result.getResultNumber()) ||
        !IndexSpace(kernel.getContext(), 0, facts).isInOrder(kernel, number))
      continue;
    unsigned uses = 0;
    forEachUse(result, order.getBlock(), [&](OpOperand &) { ++uses; });
    if (uses == 1)
      return true;
  }
  return false;
}

/// The position of the last call whose results `value` is computed from, element by element; -1 if
/// there is none. `seen` are the kernels that were asked.
int64_t KernelFusion::findLastCall(Value value, llvm::SmallPtrSetImpl<Operation *> &seen) {
  Operation *source = getViewed(value).getDefiningOp();
  if (!source || source->getBlock() != &order.getBlock())
    return -1;
  if (isa<CallOp>(source))
    return order.lookup(source);
  auto kernel = dyn_cast<KernelOp>(source);
  if (!kernel || seen.size() == limits.maxOps || !seen.insert(source).second)
    return -1;
  int64_t last = -1;
  for (auto [number, input] : llvm::enumerate(kernel.getIns()))
    if (getTensor(input) && IndexSpace(kernel.getContext(), 0, facts).isInOrder(kernel, number))
      last = std::max(last, findLastCall(input, seen));
  return last;
}

/// Whether a kernel makes elements of a call's results smaller, and its reader will follow a later
/// call: each stays with its own, and what lies between is the smaller.
bool KernelFusion::isNarrowBorder(Group &group, KernelOp kernel) {
  auto getBytes = [](Value value) {
    SymTensorType type = getTensor(value);
    return type ? getElementBytes(type.getElementType()) : 0;
  };
  Value result = kernel.getResult(0);
  if (llvm::none_of(kernel.getIns(),
                    [&](Value input) { return getBytes(input) > getBytes(result); }))
    return false;
  llvm::SmallPtrSet<Operation *, 16> seen, others;
  int64_t own = findLastCall(result, seen);
  return own >= 0 && llvm::any_of(group.reads, [&](const Access &read) {
           return read.source != result && findLastCall(read.source, others) > own;
         });
}

/// Whether a kernel is evaluated, point by point, in the order of the group's iteration.
bool KernelFusion::isInOrder(Group &group, KernelOp kernel, const Evaluation &evaluation) {
  SmallVector<ExtentAttr> extents(kernel.getExtents().getAsRange<ExtentAttr>());
  std::optional<IndexExprs> inOrder = group.space.reindex(group.all, extents);
  return inOrder && *inOrder == evaluation.own;
}

/// Adds what the member reads at all its evaluations.
bool KernelFusion::computeReads(Group &group, KernelOp kernel, Joining &joining) {
  for (const Evaluation &evaluation : joining.member.evaluations)
    for (unsigned number = 0; number < kernel.getIns().size(); ++number) {
      std::optional<Access> read = group.space.read(kernel, number, evaluation);
      if (!read)
        return false;
      if (!llvm::is_contained(joining.reads, *read))
        joining.reads.push_back(*read);
    }
  return true;
}

/// Whether what is computed more often than before is cheap.
bool KernelFusion::isWorthIt(Group &group, KernelOp kernel, Joining &joining, bool isAgain) {
  ArrayRef<Evaluation> evaluations = joining.member.evaluations;
  ExtentAttr size = getTensor(kernel.getResult(0)).getNumElements();
  llvm::SmallBitVector ones(group.all.extents.size());
  for (auto [dim, extent] : llvm::enumerate(group.all.extents))
    ones[dim] = extent.isConstant(1);
  bool isSpread = group.size != size && !isInjective(evaluations.front().at.index, ones) &&
                  !provablyLessEqual(group.size, size, facts);
  joining.recomputation +=
      getEvaluationCost(kernel, limits) * (evaluations.size() - 1 + isAgain + isSpread);
  if (joining.recomputation > limits.recompute)
    return false;
  // Transposing one tensor beats transposing everything that it is made of.
  return countFullReads(kernel) <= 1 ||
         llvm::none_of(evaluations, [&](const Evaluation &evaluation) {
           return isStrided(evaluation.at.index, group.all.extents.size());
         });
}

void KernelFusion::join(Group &group, Joining joining) {
  groupsOf[joining.member.op].push_back(&group);
  if (joining.member.isStored)
    group.numResults += joining.member.op.getNumResults();
  group.members.push_back(std::move(joining.member));
  group.reads = std::move(joining.reads);
  group.numOps = joining.numOps;
  group.recomputation = joining.recomputation;
}

//===----------------------------------------------------------------------===//
// Building them
//===----------------------------------------------------------------------===//

/// Whether the root's result is a new tensor under the extents of an iteration that cuts its axes.
bool isStoredCut(const Group &group, KernelOp member) {
  return member == group.root && isInlinable(member) &&
         ArrayRef(getTensor(member.getResult(0)).getPhysicalExtents()) !=
             ArrayRef(group.all.extents);
}

/// The fused kernel, still without body and operands.
KernelOp KernelFusion::create(Group &group) {
  KernelOp root = group.root;
  SmallVector<Type> types;
  SmallVector<int64_t> ties;
  for (Member &member : llvm::reverse(group.members))
    if (member.isStored) {
      if (isStoredCut(group, member.op))
        types.push_back(getTensor(root.getResult(0)).withExtents(group.all.extents));
      else
        llvm::append_range(types, member.op->getResultTypes());
      llvm::append_range(ties, member.op.getTies());
    }
  OpBuilder builder(root);
  ArrayAttr none = builder.getArrayAttr({});
  auto fused = KernelOp::create(builder, root.getLoc(), types, ValueRange(), root.getDests(),
                                builder.getArrayAttr(SmallVector<Attribute>(
                                    group.all.extents.begin(), group.all.extents.end())),
                                none, none, none, builder.getDenseI64ArrayAttr(ties));
  builder.createBlock(&fused.getBody());
  return fused;
}

void KernelFusion::build(Group &group) {
  FusedKernel &fused = fusedKernels.emplace_back(FusedKernel{create(group), {}, {}});
  SmallVector<Value> yielded, replaced;
  SmallVector<IndexExprs> stored;
  FusedBody body(fused.op.getBodyBlock(), group.space);
  for (Member &member : llvm::reverse(group.members)) {
    SmallVector<Value> values;
    for (const Evaluation &evaluation : member.evaluations) {
      values = body.append(member.op, evaluation);
      body.define(member.op.getResult(0), evaluation.at, values.front());
    }
    note(member.op, fused);
    if (!member.isStored)
      continue;
    llvm::append_range(yielded, values);
    for (OpResult result : member.op->getResults()) {
      unsigned number = result.getResultNumber();
      replaced.push_back(result);
      fused.names.push_back(getValueName(member.op.getLoc(), number, values.size()));
      stored.push_back(isStoredCut(group, member.op)
                           ? group.all.index
                           : *group.space.apply(member.op.getOutputMaps()[number],
                                                member.op.getMapSymbolExtents(),
                                                member.evaluations.front().own));
    }
  }
  body.finish(fused.op, yielded, stored, fused.op);
  OpBuilder builder(group.root);
  for (auto [value, result] : llvm::zip_equal(replaced, fused.op.getResults())) {
    ArrayRef<ExtentAttr> extents = getTensor(value).getExtents();
    value.replaceAllUsesWith(viewAs(builder, fused.op.getLoc(), result, extents));
    sinkViews(result, fused.op);
  }
}

/// Keeps what the location of a fused kernel needs of a member.
void KernelFusion::note(KernelOp member, FusedKernel &fused) {
  fused.locations.emplace_back(order.lookup(member), member.getLoc());
  for (Value input : member.getIns())
    for (Value seen = input; seen != getViewed(input);
         seen = seen.getDefiningOp<ViewOp>().getSource())
      readers[seen.getDefiningOp()].insert(&fused);
}

/// Members and the views through which they alone were read are gone; that of a view is left in the
/// locations of its readers.
void KernelFusion::eraseMembers() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(order.getBlock()))) {
    bool isMember = groupsOf.contains(&op), isView = isa<ViewOp>(op);
    if (!(isMember || isView) || !op.use_empty())
      continue;
    for (FusedKernel *fused : readers.lookup(&op))
      fused->locations.emplace_back(order.lookup(&op), op.getLoc());
    op.erase();
  }
}

void KernelFusion::setLocation(FusedKernel &fused) {
  llvm::sort(fused.locations, llvm::less_first());
  SmallVector<Location> locations(llvm::make_second_range(fused.locations));
  fused.op->setLoc(fuseLocations(fused.op.getContext(), locations, fused.names));
}

void cameo::fuseKernels(Block &block, const ExtentFacts &facts, const FusionLimits &limits) {
  KernelFusion(block, facts, limits).run();
}
