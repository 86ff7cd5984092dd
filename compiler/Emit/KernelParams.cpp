// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/KernelParams.h"

#include "Emit/CppWriter.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

namespace {

/// A member, or an element of one: its type, and its value if that is known.
struct Param {
  Code type;
  Code value;
  bool isStatic;
};

struct Member {
  Code type;
  Code declarator;
  bool isStatic;
  bool isArray;
};

class ParamsPrinter {
public:
  ParamsPrinter(CallOp call, ArrayAttr ranks, KernelNames &names)
      : call(call), ranks(ranks), names(names) {}

  FailureOr<KernelParams> print();

private:
  FailureOr<Param> getParam(StringRef key, Attribute value);
  LogicalResult addArray(StringRef key, ArrayRef<Attribute> elements);
  LogicalResult add(NamedAttribute param);
  void addScalars();
  void printMembers();
  void printLoads(CppWriter &writer);
  InFlightDiagnostic refuse(StringRef key, Attribute value) {
    return call.emitError("parameter '") << key << "' has no C++: " << value;
  }

  CallOp call;
  ArrayAttr ranks;
  KernelNames &names;
  SmallVector<Member> members;
  KernelParams params;
};

bool isWord(StringRef text) {
  return llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_' || c == ':'; });
}

} // namespace

FailureOr<Param> ParamsPrinter::getParam(StringRef key, Attribute value) {
  bool isRank = llvm::is_contained(ranks.getAsValueRange<StringAttr>(), key);
  Code integer = isRank ? Code("int") : Code("int64_t");
  if (auto flag = dyn_cast<BoolAttr>(value))
    return Param{"bool", flag.getValue() ? Code("true") : Code("false"), true};
  if (auto number = dyn_cast<IntegerAttr>(value))
    return Param{integer, Code(number.getInt()), true};
  if (auto real = dyn_cast<FloatAttr>(value); real && real.getType().isF64())
    return Param{"double", getDoubleLiteral(real.getValueAsDouble()), true};
  if (auto real = dyn_cast<FloatAttr>(value))
    return Param{"float", getFloatLiteral(static_cast<float>(real.getValueAsDouble())), true};
  if (auto word = dyn_cast<StringAttr>(value);
      word && isWord(word) && word.getValue().contains("::"))
    return Param{TrustedCode::make(word.getValue().rsplit("::").first.str()),
                 TrustedCode::make(word.str()), true};
  if (auto extent = dyn_cast<ExtentAttr>(value); extent && !extent.isUnknown())
    return Param{names.isCounted(extent) ? Code("counted_extent") : integer, names.get(extent),
                 extent.isConstant()};
  return refuse(key, value), failure();
}

LogicalResult ParamsPrinter::addArray(StringRef key, ArrayRef<Attribute> elements) {
  // Arrays of no element are absent by contract.
  if (elements.empty())
    return success();
  Code name = TrustedCode::make(key.str());
  Member member{"int64_t", name + "[" + Code(static_cast<int64_t>(elements.size())) + "]", true,
                true};
  SmallVector<Code> values;
  for (Attribute element : elements) {
    FailureOr<Param> param = getParam(key, element);
    if (failed(param))
      return failure();
    // One that is counted makes all of them so, which numbers can be too.
    if (param->type.ref() != "int" && member.type.ref() != "counted_extent")
      member.type = param->type;
    member.isStatic &= param->isStatic;
    values.push_back(param->value);
  }
  if (member.isStatic)
    member.declarator += " = {" + joinCode(values) + "}";
  else
    for (auto [number, value] : llvm::enumerate(values))
      params.extents.push_back("p." + name + "[" + Code(static_cast<int64_t>(number)) +
                               "] = " + value + ";");
  members.push_back(member);
  return success();
}

LogicalResult ParamsPrinter::add(NamedAttribute attribute) {
  StringRef key = attribute.getName();
  if (auto array = dyn_cast<ArrayAttr>(attribute.getValue()))
    return addArray(key, array.getValue());
  FailureOr<Param> param = getParam(key, attribute.getValue());
  if (failed(param))
    return failure();
  Code name = TrustedCode::make(key.str());
  if (!param->isStatic)
    params.extents.push_back("p." + name + " = " + param->value + ";");
  members.push_back(
      {param->type, param->isStatic ? name + " = " + param->value : name, param->isStatic, false});
  return success();
}

void ParamsPrinter::addScalars() {
  llvm::MapVector<StringRef, SmallVector<Value>> scalars;
  for (auto [key, scalar] :
       llvm::zip_equal(call.getScalarNames().getAsRange<StringAttr>(), call.getScalars()))
    scalars[key].push_back(scalar);
  for (auto &[key, values] : scalars) {
    StringRef base = key;
    bool isArray = base.consume_back("[]");
    Code name = TrustedCode::make(base.str()), type = getCppType(values.front().getType())->name;
    Code length = "[" + Code(static_cast<int64_t>(values.size())) + "]";
    members.push_back({type, isArray ? name + length : name, false, isArray});
    for (auto [number, value] : llvm::enumerate(values)) {
      Code element = isArray ? "[" + Code(static_cast<int64_t>(number)) + "]" : Code();
      params.scalars.push_back("p." + name + element + " = " + names.get(value) + ";");
    }
  }
}

/// Prints the calls with which a kernel begins.
void ParamsPrinter::printLoads(CppWriter &writer) {
  CppWriter loads(4);
  for (const Member &member : members) {
    if (member.type.ref() != "counted_extent")
      continue;
    Code name = TrustedCode::make(member.declarator.ref().split('[').first.str());
    if (!member.isArray) {
      loads.line(name + ".load_counts();");
      continue;
    }
    loads.line("for (counted_extent &extent : " + name + ")");
    loads.line("  extent.load_counts();");
  }
  std::string text = loads.take();
  if (!text.empty())
    writer.wholeFunction("CAMEO_DEVICE void load_counts(", {}, ")", text);
}

/// Members of one kind share a declaration: static ones first, arrays behind the single ones.
void ParamsPrinter::printMembers() {
  CppWriter writer(2);
  std::vector<bool> done(members.size());
  for (bool isStatic : {true, false})
    for (bool isArray : {false, true})
      for (const Member &first : members) {
        auto isAlike = [&](const Member &member) {
          return member.isStatic == isStatic && member.isArray == isArray &&
                 member.type == first.type;
        };
        if (!isAlike(first) || done[&first - members.data()])
          continue;
        SmallVector<Code> declarators;
        for (auto [number, member] : llvm::enumerate(members))
          if (isAlike(member)) {
            declarators.push_back(member.declarator);
            done[number] = true;
          }
        writer.declarators((isStatic ? "static constexpr " + first.type : first.type) + " ",
                           declarators);
      }
  printLoads(writer);
  params.members = writer.take();
}

FailureOr<KernelParams> ParamsPrinter::print() {
  for (NamedAttribute param : call.getParams())
    if (failed(add(param)))
      return failure();
  addScalars();
  printMembers();
  return params;
}

FailureOr<KernelParams> cameo::getKernelParams(CallOp call, ArrayAttr ranks, KernelNames &names) {
  return ParamsPrinter(call, ranks, names).print();
}
