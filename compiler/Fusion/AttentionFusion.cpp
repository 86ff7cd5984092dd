// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs behind the other fusions: what scales and masks the scores is by then in the functor that
// stores the first product, or in the one that the softmax loads with. Operands that a kernel has
// only transposed are read where they lay before.

#include "Fusion/AttentionFusion.h"

#include "Dialect/Core/IR/ExtentFacts.h"
#include "Dialect/Prog/IR/KernelTemplates.h"
#include "Dialect/Prog/IR/Views.h"
#include "Fusion/Functors.h"
#include "Fusion/MatrixOperand.h"
#include "Fusion/Uses.h"
#include "Kernels/Explained.h"
#include "Kernels/Variants.h"
#include "Support/NodeLocation.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// The heads of a chain: an index is one of each of `batch`, a query, and a key or a column.
struct Heads {
  SmallVector<ExtentAttr> batch;
  ExtentAttr queries;
  /// An axis of the products that is two, where several heads share keys.
  AxisSplit split;
  /// The index of what the products store, and of the softmax, over `symbols`.
  AffineMap product, softmax;
  SmallVector<Attribute, 2> symbols;

  unsigned getRank() const { return static_cast<unsigned>(batch.size()) + 2; }
  IndexExprs getProductIndex(IndexSpace &space) const {
    return *space.apply(product, symbols, space.getDims());
  }
  IndexExprs getSoftmaxIndex(IndexSpace &space) const {
    return *space.apply(softmax, symbols, space.getDims());
  }
};

/// softmax(q k) v: the calls, what is made of a product and of a weight before they are stored, and
/// the matrices, k of `depth` rows.
struct Chain {
  CallOp scores, softmax, result;
  /// The kernel between the scores and the softmax, which the product could not take in: it has
  /// rows of other heads. Null where nothing does.
  KernelOp between;
  StoreOp scoreStore, weightStore;
  MatrixOperand q, k, v;
  Heads heads;
  const KernelTemplate *attention = nullptr;
  DictionaryAttr params;
};

class AttentionFusion {
public:
  AttentionFusion(Block &block, const SymbolAnalysis &symbols)
      : block(block), symbols(symbols), facts(symbols.getFacts()) {}

  unsigned run() {
    unsigned count = 0;
    auto isSoftmax = [](CallOp call) { return getRole(call) == TemplateRole::Softmax; };
    // Building a chain erases calls, of which its own softmax is the only one.
    SmallVector<CallOp> calls(llvm::make_filter_range(block.getOps<CallOp>(), isSoftmax));
    for (CallOp call : calls)
      if (std::optional<Chain> chain = match(call)) {
        build(*chain);
        ++count;
      }
    return count;
  }

private:
  bool isReadOnlyBy(Value value, Operation *reader);
  CallOp findProduct(Value value, Operation *reader);
  std::optional<Chain> match(CallOp softmax);
  static TargetSideAttr getSide(Chain &chain);
  bool choose(Chain &chain, TargetSideAttr side);
  bool isRowwise(Chain &chain);
  bool findHeads(Chain &chain);
  std::optional<AxisSplit> findShared(Chain &chain);
  bool readsScoresOnce(Chain &chain);
  bool fitsTypes(Chain &chain);
  void build(Chain &chain);
  DictionaryAttr getParams(Chain &chain);
  LoadOp createApply(Chain &chain, StoreOp like, CallOp fused);
  void buildScore(Chain &chain, CallOp fused);
  void buildWeight(Chain &chain, CallOp fused);
  void buildStore(Chain &chain, StoreOp store, CallOp fused);
  static void setLocation(Chain &chain, CallOp fused);

  Block &block;
  const SymbolAnalysis &symbols;
  const ExtentFacts &facts;
};

/// The only result, written in order by a functor that writes nothing else; null where there are
/// others.
StoreOp getOnlyStore(CallOp call) {
  if (call->getNumResults() != 1 || call.getTies().front() >= 0)
    return {};
  StoreOp store = findStore(call, 0);
  bool isInOrder =
      store && store.getTargets().size() == 1 && store.getOutputMaps().front().isIdentity();
  return isInOrder ? store : StoreOp();
}

/// Whether a functor stores its value in `element` or wider, unchanged but for that.
bool rounds(StoreOp store, Type element) {
  Block *body = store.getBodyBlock();
  Value stored = body->getTerminator()->getOperand(0);
  while (auto cast = stored.getDefiningOp<SCastOp>()) {
    if (cast.getType() != element && cast.getType() != getAccumulatorType(element))
      return false;
    stored = cast.getOperand();
  }
  return body->getNumArguments() == 1 && stored == body->getArgument(0);
}

bool isProduct(Operation *op) { return getRole(op) == TemplateRole::Product; }

} // namespace

//===----------------------------------------------------------------------===//
// What is fused
//===----------------------------------------------------------------------===//

bool AttentionFusion::isReadOnlyBy(Value value, Operation *reader) {
  OpOperand *read = getOnlyUse(value, block);
  return read && read->getOwner() == reader;
}

/// The product whose result `value` is, if nothing but `reader` reads it; null for other values.
CallOp AttentionFusion::findProduct(Value value, Operation *reader) {
  auto product = getViewed(value).getDefiningOp<CallOp>();
  bool isOne =
      isProduct(product) && getOnlyStore(product) && isReadOnlyBy(product->getResult(0), reader);
  return isOne ? product : CallOp();
}

std::optional<Chain> AttentionFusion::match(CallOp softmax) {
  Chain chain;
  chain.softmax = softmax;
  chain.weightStore = getOnlyStore(softmax);
  if (!chain.weightStore || softmax.getLoads().size() != 1)
    return std::nullopt;
  OpOperand *use = getOnlyUse(softmax->getResult(0), block);
  if (!use || !isProduct(use->getOwner()) || use->getOperandNumber() != 0 ||
      use->getOwner()->getBlock() != &block)
    return std::nullopt;
  chain.result = cast<CallOp>(use->getOwner());
  LoadOp load = softmax.getLoads().front();
  for (Value input : load.getIns())
    if (CallOp product = findProduct(input, load))
      chain.scores = product;
  for (Value input : load.getIns()) {
    auto kernel = getViewed(input).getDefiningOp<KernelOp>();
    if (chain.scores || !kernel || kernel->getBlock() != &block || !isInlinable(kernel) ||
        !isReadOnlyBy(kernel.getResult(0), load))
      continue;
    for (Value source : kernel.getIns())
      if (CallOp product = findProduct(source, kernel)) {
        chain.between = kernel;
        chain.scores = product;
      }
  }
  if (!chain.scores || chain.scores->getBlock() != &block || getFlag(chain.scores, "trans_a") ||
      getFlag(chain.result, "trans_a") || getFlag(chain.result, "trans_b"))
    return std::nullopt;
  TargetSideAttr side = getSide(chain);
  chain.attention = findTemplate(TemplateRole::Attention, side.getKernels());
  chain.scoreStore = getOnlyStore(chain.scores);
  if (!chain.attention || !isRowwise(chain) || !fitsTypes(chain))
    return std::nullopt;
  const AxisSplit &split = chain.heads.split;
  chain.q = readMatrix(chain.scores, 0, /*takesColumns=*/false, facts, split);
  chain.k = readMatrix(chain.scores, 1, /*takesColumns=*/true, facts, split);
  chain.v = readMatrix(chain.result, 1, /*takesColumns=*/false, facts, split);
  chain.params = getParams(chain);
  if (!takesCountsOf(*chain.attention, chain.params, symbols) || !choose(chain, side))
    return std::nullopt;
  return chain;
}

/// The side that computes the chain.
TargetSideAttr AttentionFusion::getSide(Chain &chain) {
  TargetAttr target = TargetAttr::lookup(chain.result);
  return getTensor(chain.result->getResult(0)).isHost() ? target.getHost() : target.getDevice();
}

/// Whether the template may be taken for all of the chain.
bool AttentionFusion::choose(Chain &chain, TargetSideAttr side) {
  Problem problem(chain.result, side, facts);
  // Absent arrays have no element.
  for (StringRef strides : {"q_batch_stride", "k_batch_stride", "v_batch_stride"})
    problem.set(strides, ArrayRef<ExtentAttr>());
  auto isConstant = [](CallOp product) {
    return stripViews(product.getIns()[1]).getDefiningOp<WeightOp>() != nullptr;
  };
  problem.set(chain.params)
      .setConstant("k", isConstant(chain.scores))
      .setConstant("v", isConstant(chain.result));
  Candidate chosen = chooseVariant(chain.attention->name, problem);
  if (ArrayAttr weighed = weighVariants(chain.attention->name, problem, chosen))
    chain.softmax->setAttr(kWeighed, weighed);
  return bool(chosen);
}

/// Whether the softmax is over the rows of the product, and its rows are those of the next one.
bool AttentionFusion::isRowwise(Chain &chain) {
  SmallVector<ExtentAttr> extents = getExtents(chain.scores, "batch");
  if (extents != getExtents(chain.result, "batch") ||
      getExtent(chain.scores, "m") != getExtent(chain.result, "m") ||
      getExtent(chain.scores, "n") != getExtent(chain.result, "k"))
    return false;
  ExtentAttr row = getExtent(chain.scores, "n");
  extents.append({getExtent(chain.scores, "m"), row});
  SmallVector<ExtentAttr> strides = getExtents(chain.result, "a_batch_stride");
  strides.append({row, ExtentAttr::constant(row.getContext(), 1)});
  return getExtents(chain.softmax, "reduced") == ArrayRef(row) &&
         getTensor(chain.scores->getResult(0)).getExtents() == ArrayRef(extents) &&
         isDense(strides, extents) && findHeads(chain) && readsScoresOnce(chain);
}

/// The extents that the rows of the softmax have.
static SmallVector<ExtentAttr> getSoftmaxExtents(CallOp softmax) {
  SmallVector<ExtentAttr> extents = getExtents(softmax, "outer");
  llvm::append_range(extents, getExtents(softmax, "reduced"));
  return extents;
}

/// Finds the heads that both the rows of the product and those of the softmax are.
bool AttentionFusion::findHeads(Chain &chain) {
  SmallVector<ExtentAttr> extents = getSoftmaxExtents(chain.softmax);
  if (getTensor(chain.softmax->getResult(0)).getExtents() != ArrayRef(extents))
    return false;
  std::optional<AxisSplit> split = findShared(chain);
  if (!split)
    return false;
  MLIRContext *context = chain.scores.getContext();
  Heads &heads = chain.heads;
  heads.batch = getExtents(chain.scores, "batch");
  heads.queries = extents.end()[-2];
  heads.split = *split;
  if (!split->outer) {
    heads.product = heads.softmax = AffineMap::getMultiDimIdentityMap(heads.getRank(), context);
    return true;
  }
  // (..., head of keys, head among those that share it, query, key)
  size_t last = heads.batch.size() - 1;
  ExtentAttr shared = split->ofRows ? split->outer : split->inner;
  if (!split->ofRows)
    heads.batch[last] = split->outer;
  heads.batch.push_back(shared);
  unsigned rank = heads.getRank();
  SmallVector<AffineExpr> dims;
  for (unsigned dim = 0; dim < rank; ++dim)
    dims.push_back(getAffineDimExpr(dim, context));
  heads.symbols = {heads.queries, shared};
  auto join = [&](size_t axis, AffineExpr inner) {
    SmallVector<AffineExpr> joined(dims);
    joined[axis] = joined[axis] * inner + joined[axis + 1];
    joined.erase(joined.begin() + axis + 1);
    return AffineMap::get(rank, heads.symbols.size(), joined, context);
  };
  heads.softmax = join(last, getAffineSymbolExpr(1, context));
  heads.product = split->ofRows ? join(last + 1, getAffineSymbolExpr(0, context)) : heads.softmax;
  return true;
}

/// The last batch as two, of which a kernel that only copies repeats keys or values for the second.
static AxisSplit findRepeated(Chain &chain) {
  SmallVector<ExtentAttr> batch = getExtents(chain.scores, "batch");
  size_t last = batch.size() - 1;
  for (Value operand : {chain.scores.getIns()[1], chain.result.getIns()[1]})
    for (KernelOp kernel : collectTransposes(operand, chain.scores->getBlock())) {
      auto extents = llvm::to_vector(kernel.getExtents().getAsRange<ExtentAttr>());
      if (extents.size() == batch.size() + 3 && extents[last + 1].getConstant() &&
          extents[last] * extents[last + 1] == batch[last] &&
          !kernel.getInputMaps().front().isFunctionOfDim(static_cast<unsigned>(last) + 1))
        return {false, extents[last], extents[last + 1]};
    }
  return {};
}

/// How the products' axes are split for heads that share keys: their rows, which the softmax sees
/// as rows of more heads, or their last batch, which a kernel repeats keys for. Null extents where
/// each head has its own; nullopt where the rows of the softmax are others.
std::optional<AxisSplit> AttentionFusion::findShared(Chain &chain) {
  SmallVector<ExtentAttr> batch = getExtents(chain.scores, "batch");
  SmallVector<ExtentAttr> outer = getExtents(chain.softmax, "outer");
  ExtentAttr rows = getExtent(chain.scores, "m");
  if (outer.size() != batch.size() + 1)
    return std::nullopt;
  if (batch.empty())
    return outer.front() == rows ? std::optional(AxisSplit()) : std::nullopt;
  size_t last = batch.size() - 1;
  if (ArrayRef(outer).take_front(last) != ArrayRef(batch).take_front(last))
    return std::nullopt;
  if (outer[last] == batch[last]) {
    if (outer.back() != rows)
      return std::nullopt;
    return findRepeated(chain);
  }
  std::optional<int64_t> all = outer[last].getConstant(), own = batch[last].getConstant();
  if (!all || !own || *own <= 0 || *all % *own != 0)
    return std::nullopt;
  ExtentAttr shared = ExtentAttr::constant(rows.getContext(), *all / *own);
  if (!provablyEqual(shared * outer.back(), rows, facts))
    return std::nullopt;
  return AxisSplit{true, shared, outer.back()};
}

/// Whether the softmax reads the scores at the index itself, once.
bool AttentionFusion::readsScoresOnce(Chain &chain) {
  SmallVector<ExtentAttr> extents = getSoftmaxExtents(chain.softmax);
  LoadOp load = chain.softmax.getLoads().front();
  IndexSpace space(load.getContext(), load.getRank(), facts);
  Point own{llvm::to_vector<6>(ArrayRef(extents)), space.getDims()};
  std::optional<IndexExprs> inScores =
      space.reindex(own, getTensor(chain.scores->getResult(0)).getExtents());
  Value scores = chain.scores->getResult(0);
  unsigned reads = 0;
  bool areInOrder = true;
  auto check = [&](const Access &read, Value source) {
    if (read.source != source)
      return;
    ++reads;
    areInOrder &= read.at == own || (source == scores && inScores && read.at.index == *inScores);
  };
  Value loaded = chain.between ? chain.between.getResult(0) : scores;
  for (unsigned number = 0; number < load.getIns().size(); ++number)
    check(space.read(cast<BodyOpInterface>(load.getOperation()), number), loaded);
  if (!chain.between || reads != 1)
    return reads == 1 && areInOrder;
  std::optional<Evaluation> evaluation = space.evaluate(chain.between, own);
  for (unsigned number = 0; evaluation && number < chain.between.getIns().size(); ++number) {
    std::optional<Access> read = space.read(chain.between, number, *evaluation);
    if (!read)
      return false;
    check(*read, scores);
  }
  return reads == 2 && areInOrder;
}

/// Whether all are of one type, which the template takes, and the softmax is computed in what the
/// products are summed in.
bool AttentionFusion::fitsTypes(Chain &chain) {
  Type element = getTensor(chain.scores.getIns().front()).getElementType();
  Type sum = getAccumulatorType(element);
  Block *load = chain.softmax.getLoads().front().getBodyBlock();
  Type loaded = load->getTerminator()->getOperand(0).getType();
  auto softmax = cast<StringAttr>(chain.softmax.getTypes()[0]);
  bool keepsWeights = chain.attention->findFunctor("weight") || rounds(chain.weightStore, element);
  return isa<FloatType>(element) && chain.attention->operands.front().takes(element) &&
         keepsWeights && softmax == "false" && getAccumulatorType(loaded) == sum &&
         llvm::all_of(
             ArrayRef<Value>{chain.scores.getIns()[1], chain.result.getIns()[0],
                             chain.result.getIns()[1]},
             [&](Value operand) { return getTensor(operand).getElementType() == element; });
}

//===----------------------------------------------------------------------===//
// What becomes of it
//===----------------------------------------------------------------------===//

void AttentionFusion::build(Chain &chain) {
  CallOp result = chain.result;
  OpBuilder builder(result);
  ArrayAttr none = builder.getArrayAttr({});
  SmallVector<Value> operands;
  for (const MatrixOperand &matrix : {chain.q, chain.k, chain.v})
    operands.push_back(createView(builder, result.getLoc(), matrix));
  auto fused = CallOp::create(builder, result.getLoc(), result->getResultTypes(),
                              chain.attention->name, chain.params, none, operands,
                              result.getDests(), ValueRange(), Value(), none, result.getTies());
  Block *functors = builder.createBlock(&fused.getFunctors());
  buildScore(chain, fused);
  if (chain.attention->findFunctor("weight"))
    buildWeight(chain, fused);
  for (StoreOp store : llvm::to_vector(result.getStores()))
    if (chain.heads.split.outer)
      buildStore(chain, store, fused);
    else
      store->moveBefore(functors, functors->end());
  result->replaceAllUsesWith(fused);
  if (Attribute weighed = chain.softmax->getAttr(kWeighed))
    fused->setAttr(kWeighed, weighed);
  setLocation(chain, fused);
}

DictionaryAttr AttentionFusion::getParams(Chain &chain) {
  Builder b(chain.result.getContext());
  SmallVector<NamedAttribute> params;
  auto set = [&](StringRef name, Attribute value) {
    params.emplace_back(b.getStringAttr(name), value);
  };
  size_t rank = chain.q.strides.size() - 2;
  auto setBatchStrides = [&](StringRef name, ArrayRef<ExtentAttr> strides) {
    if (rank > 0) // Arrays of no element are absent by contract.
      set(name, b.getArrayAttr(llvm::to_vector_of<Attribute>(strides.take_front(rank))));
  };
  bool isTransposed = chain.k.strides[rank].isConstant(1);
  set("batch_rank", b.getI64IntegerAttr(static_cast<int64_t>(rank)));
  if (rank > 0)
    set("batch", b.getArrayAttr(llvm::to_vector_of<Attribute>(chain.heads.batch)));
  set("queries", chain.heads.queries);
  set("keys", getExtent(chain.scores, "n"));
  set("depth", getExtent(chain.scores, "k"));
  set("size", getExtent(chain.result, "n"));
  set("trans_k", b.getBoolAttr(isTransposed));
  setBatchStrides("q_batch_stride", chain.q.strides);
  setBatchStrides("k_batch_stride", chain.k.strides);
  setBatchStrides("v_batch_stride", chain.v.strides);
  set("q_stride", chain.q.strides[rank]);
  set("k_stride", chain.k.strides[rank + isTransposed]);
  set("v_stride", chain.v.strides[rank]);
  return b.getDictionaryAttr(params);
}

/// A functor of the fused call with the values of `like`.
LoadOp AttentionFusion::createApply(Chain &chain, StoreOp like, CallOp fused) {
  auto builder = OpBuilder::atBlockEnd(&fused.getFunctors().front());
  ArrayAttr none = builder.getArrayAttr({});
  return LoadOp::create(builder, like.getLoc(), ValueRange(), chain.heads.getRank(),
                        like.getNumValues(), none, none);
}

/// Applies the product's store functor, the kernel between, and the load functor of the softmax.
void AttentionFusion::buildScore(Chain &chain, CallOp fused) {
  LoadOp score = createApply(chain, chain.scoreStore, fused);
  auto load = cast<BodyOpInterface>(chain.softmax.getLoads().front().getOperation());
  Block *body = createBody(score, chain.scoreStore);
  IndexSpace space(score.getContext(), score.getRank(), facts);
  IndexExprs inSoftmax = chain.heads.getSoftmaxIndex(space);
  FusedBody fusedBody(body, space);
  Value stored =
      appendFunctor(fusedBody, body, space, chain.scoreStore, chain.heads.getProductIndex(space))
          .front();
  Value source = chain.scores->getResult(0);
  if (KernelOp between = chain.between) {
    SmallVector<ExtentAttr> extents = getSoftmaxExtents(chain.softmax);
    Evaluation evaluation =
        *space.evaluate(between, {llvm::to_vector<6>(ArrayRef(extents)), inSoftmax});
    for (unsigned number = 0; number < between.getIns().size(); ++number)
      if (Access read = *space.read(between, number, evaluation); read.source == source)
        fusedBody.define(read.source, read.at, stored);
    stored = fusedBody.append(between, evaluation).front();
    source = between.getResult(0);
  }
  for (unsigned number = 0; number < load.getBodyInputs().size(); ++number)
    if (Access read = space.read(load, number, inSoftmax); read.source == source)
      fusedBody.define(read.source, read.at, stored);
  SmallVector<Value> loaded = appendFunctor(fusedBody, body, space, load, inSoftmax);
  fusedBody.finish(score, loaded, {}, fused);
}

void AttentionFusion::buildWeight(Chain &chain, CallOp fused) {
  LoadOp weight = createApply(chain, chain.weightStore, fused);
  Block *body = createBody(weight, chain.weightStore);
  IndexSpace space(weight.getContext(), weight.getRank(), facts);
  FusedBody fusedBody(body, space);
  SmallVector<Value> stored =
      appendFunctor(fusedBody, body, space, chain.weightStore, chain.heads.getSoftmaxIndex(space));
  fusedBody.finish(weight, stored, {}, fused);
}

/// A store of the last product, by the index of the heads.
void AttentionFusion::buildStore(Chain &chain, StoreOp store, CallOp fused) {
  auto builder = OpBuilder::atBlockEnd(&fused.getFunctors().front());
  ArrayAttr none = builder.getArrayAttr({});
  auto own = StoreOp::create(builder, store.getLoc(), ValueRange(), chain.heads.getRank(),
                             store.getNumValues(), none, none, none, store.getTargets());
  Block *body = createBody(own, store);
  IndexSpace space(own.getContext(), chain.heads.getRank(), facts);
  IndexExprs index = chain.heads.getProductIndex(space);
  FusedBody fusedBody(body, space);
  SmallVector<Value> values = appendFunctor(fusedBody, body, space, store, index);
  SmallVector<IndexExprs> stored;
  for (unsigned number = 0; number < values.size(); ++number)
    stored.push_back(getStoredIndex(store, number, space, index));
  fusedBody.finish(own, values, stored, fused);
  store->erase();
}

/// Erases what the fused call replaces, whose nodes it names: those of the calls first.
void AttentionFusion::setLocation(Chain &chain, CallOp fused) {
  SmallVector<StringRef> names;
  collectNames(chain.result, names);
  SmallVector<Location> locations;
  // From readers to what they read.
  for (Operation *op : {chain.result.getOperation(), chain.softmax.getOperation(),
                        chain.between.getOperation(), chain.scores.getOperation()}) {
    if (!op)
      continue;
    SmallVector<Location> own;
    eraseWithViews(op, own);
    locations.insert(locations.begin(), own.rbegin(), own.rend());
  }
  eraseTransposes({chain.q, chain.k, chain.v}, locations);
  fused->setLoc(fuseLocations(fused.getContext(), locations, names));
}

unsigned cameo::fuseAttention(Block &block, const SymbolAnalysis &symbols) {
  return AttentionFusion(block, symbols).run();
}
