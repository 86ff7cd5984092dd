// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/OperationBuilder.h"

#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/ONNX/IR/LocalInference.h"
#include "Import/Domains.h"
#include "Support/CheckedSize.h"
#include "Support/NodeLocation.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::onnx;
using namespace cameo::importer;

std::string cameo::importer::getMnemonic(StringRef domain, StringRef opType) {
  const Domain *known = findDomain(domain);
  // A dot would be the end of another domain's prefix.
  return known && !opType.contains('.') ? (known->prefix + opType).str() : "";
}

namespace {

/// The bytes of an element in a program; a handle's for strings and the like.
int64_t getValueBytes(Type type) {
  return type.isIntOrFloat() || isa<ComplexType>(type) ? getElementBytes(type) : 8;
}

/// `text` of MLIR without what our diagnostics say elsewhere: `'onnx.Relu' op `.
StringRef stripOperation(StringRef text) {
  if (text.consume_front("'"))
    text = text.split("' op ").second;
  return text;
}

} // namespace

OperationBuilder::OperationBuilder(MLIRContext *context, int64_t maxTensorBytes, Reporter &reporter)
    : builder(context), maxTensorBytes(maxTensorBytes), reporter(reporter),
      printedOps(context->shouldPrintOpOnDiagnostic()),
      handler(context, [this](mlir::Diagnostic &diagnostic) {
        diagnosed = diagnostic.str();
        diagnosedNode = getNodeName(diagnostic.getLocation()).str();
        return success();
      }) {
  // Every node makes a diagnostic (see create); a note with the operation would number the whole
  // function.
  context->printOpOnDiagnostic(false);
}

OperationBuilder::~OperationBuilder() { getContext()->printOpOnDiagnostic(printedOps); }

LogicalResult OperationBuilder::reportDiagnostic(const Where *where, ExitClass exitClass) {
  return reporter.fail(exitClass, where, escapeText(stripOperation(diagnosed), 2000));
}

//===----------------------------------------------------------------------===//
// Operands, attributes, results
//===----------------------------------------------------------------------===//

LogicalResult OperationBuilder::addOperands(Node &node, OnnxOp::Concept &record, bool hasSegments,
                                            OperationState &state) {
  while (!node.operands.empty() && !node.operands.back())
    node.operands.pop_back();
  SmallVector<int32_t> segments;
  size_t next = 0;
  for (const OperandInfo &info : record.getOperandInfos()) {
    if (info.arity == OperandArity::Variadic) {
      auto rest = ArrayRef(node.operands).drop_front(std::min(next, node.operands.size()));
      if (llvm::is_contained(rest, Value()))
        return reporter.malformed(node.where, "leaves out one of the inputs " + info.name);
      // Only behind other operands may there be none (the carried values of a loop).
      if (rest.empty() && next == 0)
        return reporter.malformed(node.where, "has no inputs");
      state.addOperands(rest);
      segments.push_back(static_cast<int32_t>(rest.size()));
      next = node.operands.size();
      continue;
    }
    Value operand = node.getOperand(next++);
    if (!operand && info.arity == OperandArity::Required)
      return reporter.malformed(node.where, "has no input " + info.name);
    if (operand)
      state.addOperands(operand);
    segments.push_back(operand ? 1 : 0);
  }
  if (next < node.operands.size())
    return reporter.malformed(node.where, "has too many inputs (got " +
                                              Twine(node.operands.size()) + ", need at most " +
                                              Twine(next) + ")");
  if (hasSegments)
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
  return success();
}

LogicalResult OperationBuilder::addAttributes(Node &node, RegisteredOperationName name,
                                              OnnxOp::Concept &record, OperationState &state) {
  StringAttr segments = builder.getStringAttr("operandSegmentSizes");
  for (NamedAttribute attribute : node.attributes)
    if (attribute.getName() == segments ||
        !llvm::is_contained(name.getAttributeNames(), attribute.getName()) ||
        llvm::is_contained(record.getStageAttributes(), attribute.getName().getValue()))
      return reporter.malformed(node.where, "has an attribute " + quoteText(attribute.getName()) +
                                                ", which " + node.opType + " does not have");
  auto emit = [&]() { return emitError(node.location); };
  if (failed(name.verifyInherentAttrs(node.attributes, emit)))
    return reportDiagnostic(node.where);
  state.attributes.append(node.attributes);
  return success();
}

LogicalResult OperationBuilder::addResults(Node &node, OnnxOp::Concept &record,
                                           OperationState &state) {
  size_t inRecord = record.getResultVariables().size();
  size_t count = inRecord;
  if (record.hasVariadicResults())
    // One that is left out counts, the last one too: into how many parts a Split cuts.
    count = std::max(inRecord - 1, node.outputs.size());
  else
    while (!node.outputs.empty() && node.outputs.back().empty())
      node.outputs.pop_back();
  if (node.outputs.size() > count)
    return reporter.malformed(node.where, "has too many outputs (got " +
                                              Twine(node.outputs.size()) + ", need at most " +
                                              Twine(count) + ")");
  // Inference sets the types; this one is refused by every record, so that none is forgotten.
  state.types.assign(count, builder.getNoneType());
  return success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

FailureOr<Operation *> OperationBuilder::create(Node &node) {
  contradicted.reset();
  std::optional<RegisteredOperationName> name =
      RegisteredOperationName::lookup("onnx." + node.opType, getContext());
  OnnxOp::Concept *record = name ? name->getInterface<OnnxOp>() : nullptr;
  if (!record)
    return reporter.unsupported(node.where, "needs operator " + escapeText(node.opType) +
                                                ", which Cameo does not have");
  OperationState state(node.location, *name);
  bool hasSegments = name->hasTrait<OpTrait::AttrSizedOperandSegments>();
  if (failed(addOperands(node, *record, hasSegments, state)) ||
      failed(addAttributes(node, *name, *record, state)) ||
      failed(addResults(node, *record, state)))
    return failure();
  ArrayRef<StringRef> regionNames = record->getRegionNames();
  for (auto [graphName, graph] : node.graphs)
    if (!llvm::is_contained(regionNames, graphName))
      return reporter.malformed(node.where, "has an attribute " + quoteText(graphName) +
                                                ", which " + node.opType + " does not have");
  bool mayLackGraphs = name->hasTrait<OptionalGraphs>();
  if (node.graphs.size() != regionNames.size() && !mayLackGraphs)
    return reporter.malformed(
        node.where, "has no attribute " + *llvm::find_if(regionNames, [&](StringRef region) {
                      return llvm::none_of(node.graphs,
                                           [&](auto &graph) { return graph.first == region; });
                    }));
  for (size_t region = 0; region < regionNames.size(); ++region)
    state.addRegion();

  Operation *op = builder.create(state);
  // A record verifies attributes, operands, results and regions, in this order. Results have no
  // types and regions no blocks yet, so a complaint about those says that all before is right.
  if (failed(name->verifyInvariants(op))) {
    StringRef problem = stripOperation(diagnosed);
    if (!problem.starts_with("result #") && !problem.starts_with("region #"))
      return reportDiagnostic(node.where);
  }
  return op;
}

SmallVector<Type> OperationBuilder::getBodyArgumentTypes(Operation *op) {
  LocalInference inference(op);
  return cast<OnnxOp>(op).getBodyArgumentTypes(inference);
}

LogicalResult OperationBuilder::checkSizes(Operation *op, const Where &where) {
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<SymTensorType>(type);
    if (!tensor || !tensor.hasRank())
      continue;
    SmallVector<int64_t> dims;
    for (ExtentAttr extent : tensor.getExtents())
      if (std::optional<int64_t> constant = extent.getConstant())
        dims.push_back(*constant);
    // Extents that are not known yet are checked when they are.
    if (dims.size() != tensor.getExtents().size())
      continue;
    CheckedSize bytes = CheckedSize::product(dims) * getValueBytes(tensor.getElementType());
    if (!bytes.isValid())
      return reporter.malformed(
          &where,
          "makes a value that no memory can hold (got [" +
              llvm::join(llvm::map_range(dims, [](int64_t d) { return std::to_string(d); }), ", ") +
              "])");
    if (!bytes.isAtMost(maxTensorBytes))
      return reporter.limit(&where,
                            "makes a value that is too large (got " + Twine(*bytes.get()) +
                                " bytes, limit " + Twine(maxTensorBytes) + ")",
                            "--max-tensor-bytes");
  }
  return success();
}

LogicalResult OperationBuilder::finish(Operation *op, const Where &where) {
  LocalInference inference(op);
  contradicted.reset();
  if (failed(cast<OnnxOp>(op).inferExtents(inference))) {
    contradicted = op->getLoc();
    return reportDiagnostic(&where);
  }
  if (failed(op->getName().getRegisteredInfo()->verifyInvariants(op)))
    return reportDiagnostic(&where);
  return checkSizes(op, where);
}

FailureOr<Operation *> OperationBuilder::build(Node &node) {
  FailureOr<Operation *> op = create(node);
  if (failed(op) || failed(finish(*op, *node.where)))
    return failure();
  return op;
}

Value OperationBuilder::createConstant(Location location, ElementsAttr value) {
  auto type = cast<ShapedType>(value.getType());
  SmallVector<ExtentAttr> extents;
  for (int64_t dim : type.getShape())
    extents.push_back(ExtentAttr::constant(getContext(), dim));
  return ConstantOp::create(builder, location, SymTensorType::get(extents, type.getElementType()),
                            value);
}

std::optional<SmallVector<int64_t>> OperationBuilder::getConstants(Value value) const {
  std::optional<ExtentValues> known = KnownValues().lookup(value);
  if (!known)
    return std::nullopt;
  SmallVector<int64_t> constants;
  for (ExtentAttr element : *known) {
    if (!element.isConstant())
      return std::nullopt;
    constants.push_back(*element.getConstant());
  }
  return constants;
}
