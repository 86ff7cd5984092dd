// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Select/Templates.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

/// The `members` that a template has.
static DictionaryAttr filter(MLIRContext *context, StringRef callee, const NamedAttrList &members) {
  const KernelTemplate *kernel = findTemplate(callee);
  NamedAttrList own;
  for (NamedAttribute member : members)
    if (kernel->findParam(member.getName()))
      own.push_back(member);
  return own.getDictionary(context);
}

void cameo::setTemplate(CallOp call, StringRef callee, const NamedAttrList &members) {
  call.setParamsAttr(filter(call.getContext(), callee, members));
  call.setCallee(callee);
}

static Value createCall(OpBuilder &builder, Location loc, StringRef callee,
                        const NamedAttrList &members, ValueRange ins, ValueRange dests,
                        SymTensorType result) {
  int64_t tie = dests.empty() ? -1 : 0;
  auto call = CallOp::create(builder, loc, TypeRange{result}, callee,
                             filter(builder.getContext(), callee, members),
                             builder.getArrayAttr({}), ins, dests, ValueRange(), /*mask=*/Value(),
                             builder.getArrayAttr({}), builder.getDenseI64ArrayAttr({tie}));
  call.getFunctors().emplaceBlock();
  return call.getResult(0);
}

Value cameo::createCall(OpBuilder &builder, Location loc, StringRef callee,
                        const NamedAttrList &members, ValueRange ins, SymTensorType result) {
  return ::createCall(builder, loc, callee, members, ins, {}, result);
}

Value cameo::createCallInPlace(OpBuilder &builder, Location loc, StringRef callee,
                               const NamedAttrList &members, Value tensor) {
  return ::createCall(builder, loc, callee, members, {}, tensor,
                      cast<SymTensorType>(tensor.getType()));
}
