// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/OnnxToProg/TemplateCalls.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

CallBuilder::CallBuilder(Lowering &lower, StringRef callee)
    : lower(lower), kernel(*findTemplate(callee)), arguments(kernel.arguments.size()),
      functors(kernel.functors.size()) {
  for (const TemplateOperand &operand : kernel.operands)
    if (operand.isInput())
      inputs.emplace_back();
    else
      outputs.emplace_back();
}

//===----------------------------------------------------------------------===//
// Arguments and members
//===----------------------------------------------------------------------===//

void CallBuilder::setArgument(unsigned number, StringRef word, ArrayRef<std::string> rest) {
  std::string list = rest.empty() ? "" : "<" + llvm::join(rest, ", ") + ">";
  arguments[number] = lower.getRewriter().getStringAttr(word + list);
}

void CallBuilder::set(StringRef name, Attribute value) {
  params.emplace_back(lower.getRewriter().getStringAttr(name), value);
}

void CallBuilder::setInt(StringRef name, int64_t value) {
  set(name, lower.getRewriter().getI64IntegerAttr(value));
}

void CallBuilder::setInt(StringRef name, ExtentAttr value) { set(name, value); }

void CallBuilder::setInt(StringRef name, ArrayRef<ExtentAttr> values) {
  // Arrays of no element are absent by contract.
  if (!values.empty())
    set(name,
        lower.getRewriter().getArrayAttr(SmallVector<Attribute>(values.begin(), values.end())));
}

void CallBuilder::setInt(StringRef name, ArrayRef<int64_t> values) {
  setInt(name, llvm::map_to_vector(values, [&](int64_t value) {
           return ExtentAttr::constant(lower.getRewriter().getContext(), value);
         }));
}

void CallBuilder::setFlag(StringRef name, bool value) {
  set(name, lower.getRewriter().getBoolAttr(value));
}

void CallBuilder::setReal(StringRef name, double value) {
  set(name, lower.getRewriter().getF32FloatAttr(static_cast<float>(value)));
}

void CallBuilder::setReals(StringRef name, ValueRange values) {
  llvm::append_range(scalars, values);
  scalarNames.append(values.size(), lower.getRewriter().getStringAttr(name + "[]"));
}

void CallBuilder::setKeyword(StringRef name, StringRef value) {
  set(name, lower.getRewriter().getStringAttr(value));
}

void CallBuilder::setGroup(StringRef, const Rows &rows) {
  setGroup("outer", ArrayRef(rows.outer));
  setGroup("reduced", ArrayRef(rows.reduced));
}

void CallBuilder::setGroup(StringRef name, ArrayRef<ExtentAttr> extents) {
  setInt((name + "_rank").str(), static_cast<int64_t>(extents.size()));
  setInt(name, extents);
}

void CallBuilder::setGroup(StringRef, ArrayRef<onnx::WindowAxis> window) {
  auto each = [&](auto part) { return llvm::map_to_vector(window, part); };
  setInt("spatial_rank", static_cast<int64_t>(window.size()));
  setInt("input", each([](const onnx::WindowAxis &axis) { return axis.input; }));
  setInt("kernel", each([](const onnx::WindowAxis &axis) { return axis.kernel; }));
  setInt("output", each([](const onnx::WindowAxis &axis) { return axis.output; }));
  setInt("pad", each([](const onnx::WindowAxis &axis) { return axis.padBegin; }));
  setInt("stride", each([](const onnx::WindowAxis &axis) { return axis.stride; }));
  setInt("dilation", each([](const onnx::WindowAxis &axis) { return axis.dilation; }));
}

//===----------------------------------------------------------------------===//
// Operands and functors
//===----------------------------------------------------------------------===//

void CallBuilder::setInPlace(unsigned number, Value dest) {
  outputs[number] = {cast<SymTensorType>(dest.getType()), dest};
}

void CallBuilder::setFunctor(unsigned number, ArrayRef<Read> reads, SymTensorType result,
                             const Index &stored, BodyFunction body) {
  functors[number] = {SmallVector<Read>(reads), result, stored, std::move(body)};
}

void CallBuilder::setLoad(unsigned number, Value tensor, const Index &index) {
  setFunctor(number, {{tensor, index}}, {}, {},
             [](ScalarBuilder &, ValueRange x) { return SmallVector<Value>{x[0]}; });
}

void CallBuilder::setStore(unsigned number, SymTensorType result, const Index &stored) {
  Type element = result.getElementType();
  setFunctor(number, {}, result, stored, [element](ScalarBuilder &b, ValueRange x) {
    return SmallVector<Value>{b.cast(x[0], element)};
  });
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// Null pointers for absent inputs: of the type that the record names, else of `element`.
void CallBuilder::addNulls(Type element) {
  unsigned number = 0;
  for (const TemplateOperand &operand : kernel.operands) {
    if (!operand.isInput())
      continue;
    Value &input = inputs[number++];
    if (input)
      continue;
    Type named = parseElement(element.getContext(), operand.type);
    input = lower.null(named ? named : element);
  }
}

CallOp CallBuilder::build() {
  for (const Functor &functor : functors)
    if (functor.result)
      outputs.push_back({functor.result, {}});
  SmallVector<Value> dests;
  SmallVector<int64_t> ties;
  for (const Output &output : outputs) {
    ties.push_back(output.dest ? static_cast<int64_t>(dests.size()) : -1);
    if (output.dest)
      dests.push_back(output.dest);
  }
  auto results =
      llvm::map_to_vector(outputs, [](const Output &output) -> Type { return output.type; });
  Side side = outputs.front().type.getSide();
  for (Value &input : inputs)
    if (input && isa<SymTensorType>(input.getType()))
      input = lower.onSide(input, side);
  addNulls(outputs.front().type.getElementType());
  PatternRewriter &rewriter = lower.getRewriter();
  auto call = CallOp::create(
      rewriter, lower.getLoc(), results, kernel.name, rewriter.getDictionaryAttr(params),
      rewriter.getArrayAttr(arguments), inputs, dests, scalars, /*mask=*/Value(),
      rewriter.getArrayAttr(scalarNames), rewriter.getDenseI64ArrayAttr(ties));
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.createBlock(&call.getFunctors());
  int64_t target = llvm::count_if(
      kernel.operands, [](const TemplateOperand &operand) { return !operand.isInput(); });
  for (unsigned number = 0; number < functors.size(); ++number)
    if (functors[number].body)
      buildFunctor(call, number, side, functors[number].result ? target++ : -1);
  return call;
}

void CallBuilder::buildFunctor(CallOp call, unsigned number, Side side, int64_t target) {
  PatternRewriter &rewriter = lower.getRewriter();
  const Functor &functor = functors[number];
  const TemplateFunctor &declared = kernel.functors[number];
  CallFacts facts(call, kernel);
  unsigned rank = *declared.indexRank(facts).getConstant();
  // Operands of functors are made in front of the call.
  Lowering::Body body;
  {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(call);
    body = lower.splitReads(functor.reads, rank, side);
  }
  SmallVector<AffineMap> maps;
  for (AffineMap partial : body.maps)
    maps.push_back(lower.map(rank, Index(partial.getResults())));
  ArrayAttr mapsAttr = rewriter.getAffineMapArrayAttr(maps);
  ArrayAttr symbolsAttr = rewriter.getArrayAttr(lower.symbols);
  SmallVector<Type> leading;
  if (declared.value)
    leading.push_back(declared.value(facts));
  if (declared.kind == FunctorKind::Store) {
    auto store =
        StoreOp::create(rewriter, lower.getLoc(), body.operands, rank, leading.size(), mapsAttr,
                        rewriter.getAffineMapArrayAttr({lower.map(rank, functor.stored)}),
                        symbolsAttr, rewriter.getDenseI64ArrayAttr({target}));
    lower.fillBody(store.getBody(), leading, functor.reads, body, functor.body);
  } else {
    auto load = LoadOp::create(rewriter, lower.getLoc(), body.operands, rank, leading.size(),
                               mapsAttr, symbolsAttr);
    lower.fillBody(load.getBody(), leading, functor.reads, body, functor.body);
  }
}
