// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stack of bodies.

#include "Import/GraphBuilder.h"

#include "Import/Expansion/Expansion.h"
#include "Import/Frame.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;

GraphBuilder::GraphBuilder(Model &model, const ImportOptions &options, TensorLoader &tensors,
                           SharedBuilds &builds, MLIRContext *context, Reporter &reporter)
    : model(model), options(options), tensors(tensors), builds(builds), reporter(reporter),
      types(context, reporter), operations(context, options.maxTensorBytes, reporter),
      builder(operations.getBuilder()) {}

GraphBuilder::~GraphBuilder() = default;

FailureOr<OwningOpRef<ModuleOp>> GraphBuilder::build() {
  if (failed(openMain()))
    return failure();
  while (!frames.empty()) {
    Frame &frame = *frames.back();
    builder.setInsertionPointToEnd(frame.block);
    if (frame.nextNode == frame.nodes.size()) {
      std::unique_ptr<Frame> done = std::move(frames.back());
      frames.pop_back();
      if (failed(close(*done)) && failed(leaveBranch(done->outer)))
        return failure();
      continue;
    }
    int number = frame.nextNode++;
    if (failed(buildNode(frame, *frame.nodes.Mutable(number), number)) &&
        failed(leaveBranch(&frame)))
      return failure();
  }
  if (failed(verify(*module))) {
    Where where{nullptr, operations.getDiagnosedNode()};
    return operations.reportDiagnostic(&where);
  }
  return std::move(module);
}

Value GraphBuilder::lookup(const Frame &frame, StringRef name) const {
  for (const Frame *place = &frame; place; place = place->outer) {
    auto found = place->values.find(name);
    if (found != place->values.end())
      return found->second;
    if (place->kind != Frame::Kind::Region)
      break;
  }
  return {};
}

LogicalResult GraphBuilder::bind(Frame &frame, const pb::NodeProto &node, ValueRange values) {
  for (auto [name, value] : llvm::zip(node.output(), values)) {
    if (name.empty())
      continue;
    frame.values[name] = value;
    auto declared = frame.declared.find(name);
    if (!value || declared == frame.declared.end())
      continue;
    Where where{&frame.nodeWhere, name};
    if (auto maps = value.getDefiningOp<cameo::onnx::ZipMapOp>()) {
      if (failed(checkDeclaredMaps(maps, *declared->second, where)))
        return failure();
      continue;
    }
    FailureOr<Type> said = types.convertDeclared(*declared->second, where);
    if (failed(said))
      return failure();
    // A declaration inside a body may hold for one iteration: it tells kind and rank.
    if (frame.kind != Frame::Kind::Main && *said)
      said = types.relax(*said);
    FailureOr<Type> merged =
        types.merge(value.getType(), *said, TypeConverter::OnShape::Warn, where);
    if (failed(merged))
      return failure();
    value.setType(*merged);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

LogicalResult GraphBuilder::openMain() {
  pb::GraphProto &graph = *model.proto.mutable_graph();
  Location location = builder.getUnknownLoc();
  module = ModuleOp::create(location);
  describeModel();
  builder.setInsertionPointToStart(module->getBody());
  main = func::FuncOp::create(builder, location, "main", builder.getFunctionType({}, {}));

  auto frame = std::make_unique<Frame>(Frame::Kind::Main, *graph.mutable_node(), model.opsets);
  frame->where = Where{nullptr, graph.name(), "graph"};
  frame->block = &main.getBody().emplaceBlock();
  frame->graph = &graph;
  builder.setInsertionPointToStart(frame->block);
  types.collectSymbols(graph);
  declareTypes(*frame, graph);
  if (failed(addInputs(*frame, graph)) || failed(cutCounted(*frame)) ||
      failed(addInitializers(*frame, graph)))
    return failure();
  frames.push_back(std::move(frame));
  return success();
}

LogicalResult GraphBuilder::openRegion(Frame &outer, const pb::NodeProto &node, Operation *op,
                                       unsigned region, pb::GraphProto &graph) {
  auto frame = std::make_unique<Frame>(Frame::Kind::Region, *graph.mutable_node(), outer.opsets);
  StringRef name = cast<cameo::onnx::OnnxOp>(op).getRegionNames()[region];
  frame->where = Where{&outer.nodeWhere, name};
  frame->path = outer.path;
  frame->outer = &outer;
  frame->bindings = outer.bindings;
  frame->block = &op->getRegion(region).emplaceBlock();
  frame->node = &node;
  frame->graph = &graph;
  frame->op = op;
  declareTypes(*frame, graph);
  builder.setInsertionPointToEnd(frame->block);
  if (failed(addBodyArguments(*frame, graph)) || failed(addInitializers(*frame, graph)))
    return failure();
  frames.push_back(std::move(frame));
  return success();
}

LogicalResult GraphBuilder::openCall(Frame &outer, pb::NodeProto &node, const Function &function) {
  pb::FunctionProto &proto = *function.proto;
  auto frame = std::make_unique<Frame>(Frame::Kind::Call, *proto.mutable_node(), function.opsets);
  frame->where = Where{&outer.nodeWhere, proto.name()};
  frame->outer = &outer;
  frame->block = outer.block;
  frame->node = &node;
  frame->function = &function;
  frame->bindings = &frame->ownBindings;
  // A deep chain of calls shows its outermost and its innermost.
  constexpr size_t kMaxPath = 200;
  frame->path = outer.path.size() > kMaxPath ? outer.path : outer.path + node.name() + "/";

  for (int number = 0; number < proto.input_size(); ++number)
    frame->values[proto.input(number)] =
        number < node.input_size() ? lookup(outer, node.input(number)) : Value();

  for (pb::AttributeProto &attribute : *proto.mutable_attribute_proto())
    frame->ownBindings[attribute.name()] = &attribute;
  for (pb::AttributeProto &attribute : *node.mutable_attribute()) {
    Where where{&outer.nodeWhere, attribute.name()};
    if (!llvm::is_contained(proto.attribute(), attribute.name()) &&
        !frame->ownBindings.count(attribute.name()))
      return reporter.malformed(&where, "is an attribute that the function does not have");
    pb::AttributeProto *bound = &attribute;
    if (!attribute.ref_attr_name().empty())
      bound = outer.bindings->lookup(attribute.ref_attr_name());
    // Its graphs would see the names of the caller, where no body of the function is.
    if (bound && (bound->has_g() || bound->graphs_size() != 0))
      return reporter.unsupported(&where,
                                  "is a graph passed to a function, which Cameo does not inline");
    if (bound)
      frame->ownBindings[attribute.name()] = bound;
  }
  frames.push_back(std::move(frame));
  return success();
}

//===----------------------------------------------------------------------===//
// Closing
//===----------------------------------------------------------------------===//

LogicalResult GraphBuilder::close(Frame &frame) {
  switch (frame.kind) {
  case Frame::Kind::Main:
    return closeMain(frame);
  case Frame::Kind::Region:
    return closeRegion(frame);
  case Frame::Kind::Call:
    return closeCall(frame);
  }
  return failure();
}

LogicalResult GraphBuilder::closeMain(Frame &frame) {
  SmallVector<Value> results;
  for (const pb::ValueInfoProto &output : frame.graph->output()) {
    Where where{&frame.where, output.name()};
    Value result = lookup(frame, output.name());
    if (!result)
      return reporter.malformed(&where, "is an output of a function that does not compute it here");
    if (failed(announceMaps(result, where)))
      return failure();
    results.push_back(result);
  }
  func::ReturnOp::create(builder, builder.getUnknownLoc(), results);
  return setFunctionType(*frame.graph, results);
}

LogicalResult GraphBuilder::closeRegion(Frame &frame) {
  SmallVector<Value> outputs;
  for (const pb::ValueInfoProto &output : frame.graph->output()) {
    Where where{&frame.where, output.name()};
    Value value = lookup(frame, output.name());
    if (!value)
      return reporter.malformed(&where, "is an output of a function that does not compute it here");
    outputs.push_back(value);
  }
  cameo::onnx::YieldOp::create(builder, frame.op->getLoc(), outputs);
  if (!frame.isLastRegion)
    return success();
  Frame &outer = *frame.outer;
  if (auto left = leftBranches.find(frame.op); left != leftBranches.end())
    return takeOther(frame, LeftBranch(left->second));
  if (isExpandedOnImport(frame.op->getName().getStringRef()))
    return expandRegions(frame);
  if (failed(settleBodies(frame.op, outer.nodeWhere)) ||
      failed(operations.finish(frame.op, outer.nodeWhere)))
    return failure();
  return bind(outer, *frame.node, frame.op->getResults());
}

LogicalResult GraphBuilder::expandRegions(Frame &frame) {
  Frame &outer = *frame.outer;
  Node node(frame.op->getLoc(), outer.nodeWhere);
  node.outputs.assign(frame.node->output().begin(), frame.node->output().end());
  builder.setInsertionPoint(frame.op);
  if (failed(expandOperation(operations, node, frame.op)))
    return failure();
  builder.setInsertionPointToEnd(outer.block);
  return bind(outer, *frame.node, node.results);
}

//===----------------------------------------------------------------------===//
// Branches that cannot be taken
//===----------------------------------------------------------------------===//

/// Whether `frame` is a branch of an If on whose condition the run can insist.
static bool isBranch(const Frame &frame) {
  auto op = dyn_cast_or_null<cameo::onnx::IfOp>(frame.op);
  auto cond = op ? dyn_cast<core::SymTensorType>(op.getCond().getType()) : core::SymTensorType();
  return frame.kind == Frame::Kind::Region && cond && cond.hasRank() &&
         cond.getNumElements().isConstant(1);
}

LogicalResult GraphBuilder::leaveBranch(Frame *place) {
  const std::optional<Diagnostic> &said = reporter.getDiagnostic();
  if (!operations.getContradicted() || !said || said->exitClass != ExitClass::Malformed)
    return failure();
  while (place && !isBranch(*place))
    place = place->outer;
  if (!place)
    return failure();
  LeftBranch left{*reporter.takeDiagnostic(), *operations.getContradicted()};
  place->block->getParent()->dropAllReferences();
  place->block->getParent()->getBlocks().clear();
  while (frames.back().get() != place)
    frames.pop_back();
  std::unique_ptr<Frame> branch = std::move(frames.back());
  frames.pop_back();
  if (branch->isLastRegion)
    return takeOther(*branch, left);
  leftBranches.try_emplace(branch->op, std::move(left));
  return success();
}

LogicalResult GraphBuilder::takeOther(Frame &frame, const LeftBranch &left) {
  leftBranches.erase(frame.op);
  auto op = cast<cameo::onnx::IfOp>(frame.op);
  Frame &outer = *frame.outer;
  bool takesThen = op.getElseBranch().empty();
  Region &taken = takesThen ? op.getThenBranch() : op.getElseBranch();
  std::optional<SmallVector<int64_t>> known = operations.getConstants(op.getCond());
  if (taken.empty() || (known && (known->front() != 0) != takesThen)) {
    (void)reporter.fail(left.said);
    return leaveBranch(&outer);
  }

  builder.setInsertionPoint(op);
  prog::AssertOp::demand(builder, left.location, op.getCond(), takesThen);
  reporter.warn(&outer.nodeWhere, "has a branch that cannot be taken, since " + left.said.where +
                                      " " + left.said.problem);
  Operation *yield = taken.front().getTerminator();
  SmallVector<Value> results(yield->getOperands());
  yield->erase();
  op->getBlock()->getOperations().splice(op->getIterator(), taken.front().getOperations());
  op->erase();
  builder.setInsertionPointToEnd(outer.block);
  return bind(outer, *frame.node, results);
}

LogicalResult GraphBuilder::closeCall(Frame &frame) {
  SmallVector<Value> outputs;
  for (const std::string &output : frame.function->proto->output())
    outputs.push_back(lookup(frame, output));
  return bind(*frame.outer, *frame.node, outputs);
}
