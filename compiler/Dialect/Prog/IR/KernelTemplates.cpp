// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Prog/IR/KernelTemplates.h"

#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;
using llvm::StringLiteral;

namespace {
#include "Dialect/Prog/IR/KernelTemplates.cpp.inc"
} // namespace

const KernelTemplate *prog::findTemplate(StringRef name) {
  const auto *found =
      llvm::lower_bound(kTemplates, name, [](const KernelTemplate &kernel, StringRef name) {
        return kernel.name < name;
      });
  return found != std::end(kTemplates) && found->name == name ? found : nullptr;
}

/// The record's list has the type, or has none.
bool TemplateOperand::takes(Type type) const {
  if (Type only = parseElement(type.getContext(), this->type))
    return type == only;
  const ElementInfo *info = getElementInfo(type);
  return info && (types.empty() || llvm::is_contained(types, info->cppName));
}

const KernelTemplate *prog::findTemplate(TemplateRole role, StringRef set) {
  const auto *found = llvm::find_if(kTemplates, [&](const KernelTemplate &kernel) {
    return kernel.role == role && kernel.isIn(set);
  });
  return found == std::end(kTemplates) ? nullptr : found;
}

TemplateRole prog::getRole(Operation *op) {
  auto call = dyn_cast_or_null<CallOp>(op);
  const KernelTemplate *kernel = call ? findTemplate(call.getCallee()) : nullptr;
  return kernel ? kernel->role : TemplateRole::None;
}

const KernelTemplate *prog::findReplacement(CallOp call, StringRef set) {
  auto takes = [&](const KernelTemplate &kernel) {
    CallFacts facts(call, kernel);
    return llvm::all_of(llvm::zip(kernel.operands, call.getIns()), [&](auto pair) {
      auto [operand, value] = pair;
      Type type = cast<SymTensorType>(value.getType()).getElementType();
      return operand.takes(type) && facts.element(operand.type) == type;
    });
  };
  const auto *found = llvm::find_if(kTemplates, [&](const KernelTemplate &kernel) {
    return kernel.replaces == call.getCallee() && kernel.isIn(set) && takes(kernel);
  });
  return found == std::end(kTemplates) ? nullptr : found;
}

bool prog::takesCountsOf(const KernelTemplate &kernel, DictionaryAttr params,
                         const SymbolAnalysis &symbols) {
  SmallVector<ExtentAttr> counted;
  bool fits = llvm::all_of(params, [&](NamedAttribute param) {
    size_t before = counted.size();
    param.getValue().walk([&](ExtentAttr extent) {
      if (symbols.isOnDevice(extent))
        counted.push_back(extent);
    });
    return counted.size() == before || !kernel.findParam(param.getName())->isHostOnly;
  });
  bool isTooLarge = kernel.takesDeviceScratch && symbols.areBoundedTogether(counted);
  return fits && (counted.empty() || kernel.takesCounts) && !isTooLarge;
}

const TemplateParam *KernelTemplate::findParam(StringRef wanted) const {
  const auto *found =
      llvm::find_if(params, [&](const TemplateParam &param) { return param.name == wanted; });
  return found == params.end() ? nullptr : found;
}

const TemplateFunctor *KernelTemplate::findFunctor(StringRef wanted) const {
  const auto *found = llvm::find_if(
      functors, [&](const TemplateFunctor &functor) { return functor.name == wanted; });
  return found == functors.end() ? nullptr : found;
}

int64_t KernelTemplate::getBlockOf(StringRef wanted) const {
  const TemplateOperand &operand = *llvm::find_if(
      operands, [&](const TemplateOperand &operand) { return operand.name == wanted; });
  assert(operand.lengths.back().member.empty() && "the length is a number");
  return operand.lengths.back().number;
}

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

/// An integer, an extent or a flag; null for another attribute.
static ExtentAttr toExtent(Attribute value) {
  if (auto extent = dyn_cast_if_present<ExtentAttr>(value))
    return extent;
  if (auto flag = dyn_cast_if_present<BoolAttr>(value))
    return ExtentAttr::constant(flag.getContext(), flag.getValue());
  if (auto number = dyn_cast_if_present<IntegerAttr>(value))
    return ExtentAttr::constant(number.getContext(), number.getInt());
  return {};
}

Type prog::parseElement(MLIRContext *context, StringRef name) {
  for (const ElementInfo &info : getElementInfos())
    if (info.cppName == name)
      return getElementType(context, info.number);
  return {};
}

static Type elementOf(Type type) {
  auto tensor = dyn_cast<SymTensorType>(type);
  return tensor ? tensor.getElementType() : type;
}

ExtentAttr CallFacts::extent(StringRef member) const {
  return toExtent(call.getParams().get(member));
}

SmallVector<ExtentAttr> CallFacts::extents(StringRef member) const {
  // An array without elements is absent.
  auto array = call.getParams().getAs<ArrayAttr>(member);
  return array ? llvm::map_to_vector(array, toExtent) : SmallVector<ExtentAttr>();
}

ExtentAttr CallFacts::constant(int64_t value) const {
  return ExtentAttr::constant(getContext(), value);
}

ExtentAttr CallFacts::covers(ArrayRef<ExtentAttr> kernel, ArrayRef<ExtentAttr> stride,
                             ArrayRef<ExtentAttr> dilation) const {
  ExtentAttr covers = constant(1);
  for (auto [taps, step, distance] : llvm::zip_equal(kernel, stride, dilation)) {
    if (!taps.isConstant() || !step.isConstant() || !distance.isConstant())
      return ExtentAttr::unknown(getContext());
    covers = covers * (distance.isConstant(1) ? taps.ceilDiv(step) : taps);
  }
  return covers;
}

ExtentAttr CallFacts::volume(ArrayRef<ExtentAttr> extents) const {
  ExtentAttr points = constant(1);
  for (ExtentAttr extent : extents)
    points = points * extent; // checked: `unknown` when it does not fit
  return points;
}

ExtentAttr CallFacts::at(ArrayRef<ExtentAttr> extents, ExtentAttr axis) const {
  return extents[*axis.getConstant()];
}

Type CallFacts::element(StringRef variable) const {
  if (Type type = parseElement(getContext(), variable))
    return type;
  unsigned input = 0, output = 0;
  for (const TemplateOperand &operand : kernel.operands) {
    unsigned &number = operand.isInput() ? input : output;
    if (operand.isInput()) {
      if (operand.type == variable && number < call.getIns().size())
        return elementOf(call.getIns()[number].getType());
    } else {
      while (number < call.getNumResults() && call.isStored(number))
        ++number;
      if (operand.type == variable && number < call.getNumResults())
        return elementOf(call.getResult(number).getType());
    }
    ++number;
  }
  return {};
}

Type CallFacts::loaded(StringRef functor) const {
  for (auto [declared, load] : llvm::zip(kernel.functors, call.getLoads()))
    if (declared.name == functor)
      return load.getBodyBlock()->getTerminator()->getOperand(0).getType();
  return {};
}

StringRef CallFacts::argument(StringRef name) const {
  for (auto [declared, given] :
       llvm::zip(kernel.arguments, call.getTypes().getAsRange<StringAttr>()))
    if (declared.name == name)
      return given;
  return {};
}

Type CallFacts::accumulator(Type type) const { return getAccumulatorType(type); }

Type CallFacts::product(Type a, Type b) const {
  Type left = getAccumulatorType(a), right = getAccumulatorType(b);
  if (isa<FloatType>(left) || isa<FloatType>(right))
    return left.isF64() || right.isF64() ? Type(Float64Type::get(getContext()))
                                         : Type(Float32Type::get(getContext()));
  Type wider = left.getIntOrFloatBitWidth() >= right.getIntOrFloatBitWidth() ? left : right;
  return wider.getIntOrFloatBitWidth() <= 16 ? Type(IntegerType::get(getContext(), 32)) : wider;
}

Type CallFacts::position() const { return IntegerType::get(getContext(), 64); }
Type CallFacts::float_type() const { return Float32Type::get(getContext()); }

Type CallFacts::combined(StringRef combine) const {
  return parseElement(getContext(), combine.split('<').second.split('>').first);
}

Type CallFacts::pooled(StringRef kind, Type type) const {
  return kind == "pool_kind::max" ? type : getAccumulatorType(type);
}

Type CallFacts::sampled(StringRef mode, Type type) const {
  if (mode == "resize_mode::nearest")
    return type;
  return isa<IntegerType>(type) ? float_type() : getAccumulatorType(type);
}

Type prog::getAccumulatorType(Type type) {
  auto real = dyn_cast<FloatType>(type);
  return real && real.getWidth() < 32 ? Type(Float32Type::get(type.getContext())) : type;
}

//===----------------------------------------------------------------------===//
// The verifier
//===----------------------------------------------------------------------===//

namespace {

/// Holds a call against a record, part by part: what a part's expressions read was held before it.
class CallVerifier {
public:
  CallVerifier(CallOp call, const KernelTemplate &kernel)
      : call(call), kernel(kernel), facts(call, kernel) {}

  LogicalResult verify() {
    return success(succeeded(verifyArguments()) && succeeded(verifyNames()) &&
                   succeeded(verifyParams()) && succeeded(verifyInputs()) &&
                   succeeded(verifyOutputs()) && succeeded(verifyFunctors()));
  }

private:
  InFlightDiagnostic refuse() { return call.emitOpError("of '") << kernel.name << "': "; }
  LogicalResult verifyArguments();
  LogicalResult verifyNames();
  LogicalResult verifyParams();
  bool isWanted(const TemplateParam &param);
  LogicalResult verifyParam(const TemplateParam &param, Attribute value);
  LogicalResult verifyInteger(const TemplateParam &param, Attribute value);
  LogicalResult verifyArray(const TemplateParam &param, Attribute value);
  LogicalResult verifyReals(const TemplateParam &param, ArrayRef<Value> values, bool isGiven);
  LogicalResult verifyKeyword(const TemplateParam &param, Attribute value);
  LogicalResult verifyInputs();
  LogicalResult verifyOutputs();
  LogicalResult verifyElement(const TemplateOperand &operand, Type type);
  LogicalResult verifyLayout(const TemplateOperand &operand, SymTensorType tensor);
  LogicalResult verifyBlocks(const TemplateOperand &operand, BlockedLayoutAttr layout);
  LogicalResult verifyWindows(const TemplateWindows &windows, SymTensorType tensor);
  LogicalResult verifyFunctors();
  LogicalResult verifyFunctor(const TemplateFunctor &declared, BodyOpInterface functor);
  LogicalResult verifyYield(const TemplateFunctor &declared, BodyOpInterface load);

  CallOp call;
  const KernelTemplate &kernel;
  CallFacts facts;
};

} // namespace

/// Whether `text` is a form such as `arg_max<T, LAST>`: T is an element type, other words of
/// capitals are bools.
static bool isOfForm(MLIRContext *context, StringRef text, StringRef form) {
  auto [formName, formList] = form.split('<');
  auto [name, list] = text.split('<');
  if (name != formName || formList.empty() != list.empty())
    return false;
  if (formList.empty())
    return true;
  if (!list.consume_back(">"))
    return false;
  SmallVector<StringRef> wanted, given;
  formList.drop_back().split(wanted, ", ");
  list.split(given, ", ");
  return wanted.size() == given.size() &&
         llvm::all_of(llvm::zip_equal(wanted, given), [&](auto pair) {
           auto [want, got] = pair;
           return want == "T" ? bool(parseElement(context, got)) : got == "true" || got == "false";
         });
}

LogicalResult CallVerifier::verifyArguments() {
  if (call.getTypes().size() != kernel.arguments.size())
    return refuse() << "got " << call.getTypes().size() << " template arguments, need "
                    << kernel.arguments.size();
  for (auto [declared, given] :
       llvm::zip_equal(kernel.arguments, call.getTypes().getAsRange<StringAttr>()))
    if (llvm::none_of(declared.forms, [&, given = given](StringRef form) {
          return isOfForm(call.getContext(), given, form);
        }))
      return refuse() << "template argument " << declared.name << " is " << given
                      << ", need one of " << llvm::join(declared.forms, " ");
  return success();
}

/// Whether every member that is given is declared, and given once.
LogicalResult CallVerifier::verifyNames() {
  StringRef before;
  for (NamedAttribute given : call.getParams()) {
    if (!kernel.findParam(given.getName()))
      return refuse() << "has no member '" << given.getName().strref() << "'";
    if (given.getName() == before)
      return refuse() << "member '" << before << "' is given twice";
    before = given.getName();
  }
  for (StringAttr given : call.getScalarNames().getAsRange<StringAttr>()) {
    StringRef name = given;
    bool isArray = name.consume_back("[]");
    const TemplateParam *param = kernel.findParam(name);
    if (!param || param->kind != ParamKind::Reals || !isArray)
      return refuse() << "has no member " << given << " of host scalars";
    if (call.getParams().contains(name))
      return refuse() << "member '" << name << "' is given twice";
  }
  return success();
}

bool CallVerifier::isWanted(const TemplateParam &param) {
  return param.argument.empty() || facts.argument(param.argument).rsplit("::").second == param.word;
}

LogicalResult CallVerifier::verifyParams() {
  // Arrays are as long as ranks say.
  for (bool areArrays : {false, true})
    for (const TemplateParam &param : kernel.params)
      if ((param.length != nullptr) == areArrays &&
          failed(verifyParam(param, call.getParams().get(param.name))))
        return failure();
  return success();
}

LogicalResult CallVerifier::verifyParam(const TemplateParam &param, Attribute value) {
  if (param.kind == ParamKind::Reals) {
    SmallVector<Value> values;
    for (auto [name, scalar] :
         llvm::zip_equal(call.getScalarNames().getAsRange<StringAttr>(), call.getScalars()))
      if (name.getValue().drop_back(2) == param.name)
        values.push_back(scalar);
    return verifyReals(param, values, value != nullptr);
  }
  if (value && !isWanted(param))
    return refuse() << "member '" << param.name << "' is there only where " << param.argument
                    << " is " << param.word;
  if (!value && (param.isOptional || !isWanted(param)))
    return success();
  if (param.kind == ParamKind::Array)
    return verifyArray(param, value);
  if (!value)
    return refuse() << "member '" << param.name << "' is missing";
  switch (param.kind) {
  case ParamKind::Flag:
    return isa<BoolAttr>(value)
               ? success()
               : LogicalResult(refuse() << "member '" << param.name << "' is no bool: " << value);
  case ParamKind::Real:
    return isa<FloatAttr>(value)
               ? success()
               : LogicalResult(refuse() << "member '" << param.name << "' is no real: " << value);
  case ParamKind::Keyword:
    return verifyKeyword(param, value);
  default:
    return verifyInteger(param, value);
  }
}

LogicalResult CallVerifier::verifyInteger(const TemplateParam &param, Attribute value) {
  ExtentAttr extent = isa<BoolAttr>(value) ? ExtentAttr() : toExtent(value);
  if (!extent || extent.isUnknown())
    return refuse() << "member '" << param.name << "' is no integer: " << value;
  std::optional<int64_t> constant = extent.getConstant();
  if (param.isStatic && !constant)
    return refuse() << "member '" << param.name << "' is not known to the compiler: " << value;
  if (constant && (*constant < param.least || *constant > param.most))
    return refuse() << "member '" << param.name << "' is " << *constant << ", need " << param.least
                    << " to " << param.most;
  return success();
}

LogicalResult CallVerifier::verifyArray(const TemplateParam &param, Attribute value) {
  int64_t length = *param.length(facts).getConstant();
  auto array = dyn_cast_if_present<ArrayAttr>(value);
  if (value && !array)
    return refuse() << "member '" << param.name << "' is no array: " << value;
  if (static_cast<int64_t>(array ? array.size() : 0) != length)
    return refuse() << "member '" << param.name << "' has " << (array ? array.size() : 0)
                    << " elements, need " << length;
  for (Attribute element : array ? array.getValue() : ArrayRef<Attribute>())
    if (auto extent = dyn_cast<ExtentAttr>(element); !extent || extent.isUnknown())
      return refuse() << "member '" << param.name
                      << "' has an element that is no extent: " << element;
  return success();
}

LogicalResult CallVerifier::verifyReals(const TemplateParam &param, ArrayRef<Value> values,
                                        bool isGiven) {
  if (isGiven)
    return refuse() << "member '" << param.name << "' is of host scalars";
  if (values.empty() && param.isOptional)
    return success();
  int64_t length = *param.length(facts).getConstant();
  if (static_cast<int64_t>(values.size()) != length)
    return refuse() << "member '" << param.name << "' has " << values.size() << " elements, need "
                    << length;
  for (Value value : values)
    if (!value.getType().isF32() && !value.getType().isF64())
      return refuse() << "member '" << param.name << "' has an element of type " << value.getType()
                      << ", need f32 or f64";
  return success();
}

LogicalResult CallVerifier::verifyKeyword(const TemplateParam &param, Attribute value) {
  auto word = dyn_cast<StringAttr>(value);
  StringRef name = word ? word.getValue() : "";
  if (!name.consume_front(param.cppType) || !name.consume_front("::") ||
      !llvm::is_contained(param.words, name))
    return refuse() << "member '" << param.name << "' is " << value << ", need " << param.cppType
                    << ":: and one of " << llvm::join(param.words, " ");
  return success();
}

LogicalResult CallVerifier::verifyInputs() {
  auto isInput = [](const TemplateOperand &operand) { return operand.isInput(); };
  size_t wanted = llvm::count_if(kernel.operands, isInput);
  if (call.getIns().size() != wanted)
    return refuse() << "got " << call.getIns().size() << " inputs, need " << wanted;
  auto given = call.getIns().begin();
  for (const TemplateOperand &operand : kernel.operands) {
    if (!operand.isInput())
      continue;
    Value value = *given++;
    auto tensor = dyn_cast<SymTensorType>(value.getType());
    if (!tensor)
      return refuse() << "input '" << operand.name << "' is of type " << value.getType()
                      << ", need a tensor";
    if (value.getDefiningOp<NullOp>() && !operand.mayBeNull)
      return refuse() << "input '" << operand.name << "' may not be null";
    if (failed(verifyElement(operand, tensor.getElementType())) ||
        failed(verifyLayout(operand, tensor)))
      return failure();
    for (const TemplateWindows &windows : kernel.windows)
      if (windows.input == operand.name && failed(verifyWindows(windows, tensor)))
        return failure();
  }
  return success();
}

LogicalResult CallVerifier::verifyOutputs() {
  SmallVector<OpResult> given;
  for (OpResult result : call->getResults())
    if (!call.isStored(result.getResultNumber()))
      given.push_back(result);
  SmallVector<const TemplateOperand *> wanted;
  for (const TemplateOperand &operand : kernel.operands)
    if (!operand.isInput())
      wanted.push_back(&operand);
  if (given.size() != wanted.size())
    return refuse() << "got " << given.size() << " results that no functor stores, need "
                    << wanted.size();
  for (auto [operand, result] : llvm::zip_equal(wanted, given)) {
    auto tensor = cast<SymTensorType>(result.getType());
    if (operand->kind == OperandKind::InPlace && call.getTies()[result.getResultNumber()] < 0)
      return refuse() << "result '" << operand->name << "' is updated and has no destination";
    if (failed(verifyLayout(*operand, tensor)) ||
        // Packed elements are written as bytes.
        (!tensor.isPacked() && failed(verifyElement(*operand, tensor.getElementType()))))
      return failure();
  }
  return success();
}

LogicalResult CallVerifier::verifyElement(const TemplateOperand &operand, Type type) {
  if (Type expected = facts.element(operand.type); type != expected)
    return refuse() << "operand '" << operand.name << "' has elements of type " << type << ", need "
                    << expected;
  if (!operand.takes(type))
    return refuse() << "operand '" << operand.name << "' has elements of type " << type
                    << ", need one of " << llvm::join(operand.types, " ");
  return success();
}

LogicalResult CallVerifier::verifyLayout(const TemplateOperand &operand, SymTensorType tensor) {
  BlockedLayoutAttr blocked = tensor.getBlockedLayout();
  auto isLaid = [&] {
    switch (operand.layout) {
    case OperandLayout::Dense:
      return !tensor.getLayout();
    case OperandLayout::Blocks:
      return blocked && !blocked.getAxes().empty();
    case OperandLayout::Planes:
      return !tensor.getLayout() || (blocked && blocked.getAxes().empty());
    case OperandLayout::Packed:
      return tensor.isPacked();
    case OperandLayout::Any:
      return true;
    }
    return false;
  };
  if (!isLaid())
    return refuse() << "operand '" << operand.name << "' lies in memory as it may not: " << tensor;
  return blocked && !blocked.getAxes().empty() ? verifyBlocks(operand, blocked) : success();
}

LogicalResult CallVerifier::verifyBlocks(const TemplateOperand &operand, BlockedLayoutAttr layout) {
  auto lengths = llvm::map_to_vector(operand.lengths, [&](const BlockLength &length) {
    ExtentAttr given = facts.extent(length.member);
    return given ? given : facts.constant(length.number);
  });
  ArrayRef<int64_t> blocks = layout.getBlocks();
  auto isLength = [](ExtentAttr want, int64_t got) { return want.isConstant(got); };
  if (blocks.size() >= lengths.size() &&
      llvm::equal(lengths, blocks.take_back(lengths.size()), isLength))
    return success();
  InFlightDiagnostic error = refuse() << "operand '" << operand.name << "' is in blocks of ";
  llvm::interleave(blocks, error, " by ");
  error << ", need ";
  llvm::interleave(
      lengths, error, [&](ExtentAttr length) { error << length.str(); }, " by ");
  return error;
}

/// Whether one extent is more than the other in every run; not where that depends on symbols.
static bool isMore(ExtentAttr a, ExtentAttr b) {
  std::optional<int64_t> difference = (a - b).getConstant();
  return difference && *difference > 0;
}

LogicalResult CallVerifier::verifyWindows(const TemplateWindows &windows, SymTensorType tensor) {
  auto refuseThis = [&] {
    return refuse() << "operand '" << windows.input << "' along axis " << windows.axis << ": ";
  };
  if (windows.axis >= tensor.getRank())
    return refuseThis() << "has rank " << tensor.getRank();
  ExtentAttr all = tensor.getPhysicalExtents()[windows.axis], said = windows.length(facts);
  if (isMore(all, said) || isMore(said, all))
    return refuseThis() << "has " << all.str() << " elements with its halo, not " << said.str();
  ExtentAttr first = windows.first(facts), none = facts.constant(0);
  if (isMore(none, first))
    return refuseThis() << "windows begin at " << first.str() << ", in front of its halo";
  ExtentAttr count = windows.count ? windows.count(facts) : none;
  if (count.isConstant(0))
    return success();
  ExtentAttr end = first + (count - 1) * windows.step(facts) + windows.reach(facts);
  if (isMore(end, all))
    return refuseThis() << "windows end at " << end.str() << ", and it has " << all.str()
                        << " elements with its halo";
  return success();
}

LogicalResult CallVerifier::verifyFunctors() {
  SmallVector<BodyOpInterface> given;
  for (Operation &functor : call.getFunctors().front())
    given.push_back(cast<BodyOpInterface>(functor));
  if (given.size() > kernel.functors.size())
    return refuse() << "got " << given.size() << " functors, need " << kernel.functors.size();
  for (auto [number, declared] : llvm::enumerate(kernel.functors)) {
    if (number >= given.size()) {
      if (!declared.isOptional)
        return refuse() << "functor '" << declared.name << "' is missing";
      continue;
    }
    if (failed(verifyFunctor(declared, given[number])))
      return failure();
  }
  return success();
}

LogicalResult CallVerifier::verifyFunctor(const TemplateFunctor &declared,
                                          BodyOpInterface functor) {
  auto refuseThis = [&] { return refuse() << "functor '" << declared.name << "' "; };
  if ((declared.kind == FunctorKind::Store) != isa<StoreOp>(functor))
    return refuseThis() << "is no " << (declared.kind == FunctorKind::Store ? "store" : "load");
  if (int64_t rank = *declared.indexRank(facts).getConstant(); functor.getIndexRank() != rank)
    return refuseThis() << "has an index of rank " << functor.getIndexRank() << ", need " << rank;
  unsigned values = declared.kind == FunctorKind::Load ? 0 : 1;
  if (functor.getNumTemplateValues() != values)
    return refuseThis() << "gets " << functor.getNumTemplateValues() << " values, need " << values;
  if (values == 0)
    return verifyYield(declared, functor);
  Type expected = declared.value(facts), got = functor.getBodyBlock()->getArgument(0).getType();
  if (got != expected)
    return refuseThis() << "gets a value of type " << got << ", need " << expected;
  return success();
}

LogicalResult CallVerifier::verifyYield(const TemplateFunctor &declared, BodyOpInterface load) {
  Type type = load.getBodyBlock()->getTerminator()->getOperand(0).getType();
  const ElementInfo *info = getElementInfo(type);
  if (info && (declared.types.empty() || llvm::is_contained(declared.types, info->cppName)))
    return success();
  return refuse() << "functor '" << declared.name << "' yields a value of type " << type
                  << ", need one of " << llvm::join(declared.types, " ");
}

bool prog::needsMemory(OpResult result) {
  auto call = dyn_cast<CallOp>(result.getOwner());
  if (!call || call.isStored(result.getResultNumber()))
    return false;
  // Results that no functor stores are the declared outputs, in their order.
  size_t number = llvm::count_if(call->getResults().take_front(result.getResultNumber()),
                                 [&](OpResult r) { return !call.isStored(r.getResultNumber()); });
  for (const TemplateOperand &operand : findTemplate(call.getCallee())->operands)
    if (!operand.isInput() && number-- == 0)
      return !operand.mayBeNull;
  return false;
}

LogicalResult prog::verifyAgainstTemplate(CallOp call) {
  const KernelTemplate *kernel = findTemplate(call.getCallee());
  if (!kernel)
    return call.emitOpError("calls '") << call.getCallee() << "', which is no kernel template";
  if (Value mask = call.getMask()) {
    auto type = cast<SymTensorType>(mask.getType());
    if (!type.getElementType().isInteger(1) || !type.getNumElements().isConstant(1))
      return call.emitOpError("has a mask of type ") << type << ", need one bool";
    if (!kernel->mayRaise)
      return call.emitOpError("has a mask, and '") << kernel->name << "' raises no error";
  }
  return CallVerifier(call, *kernel).verify();
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

std::optional<int64_t> LoadOp::getTimes() {
  auto call = cast<CallOp>((*this)->getParentOp());
  const KernelTemplate *kernel = findTemplate(call.getCallee());
  size_t number = std::distance((*this)->getBlock()->begin(), (*this)->getIterator());
  return kernel->functors[number].times(CallFacts(call, *kernel)).getConstant();
}
