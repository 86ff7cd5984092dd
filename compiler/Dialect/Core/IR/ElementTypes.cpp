// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Core/IR/ElementTypes.h"

#include "Dialect/Core/IR/CoreDialect.h"
#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

/// The rows spell types as IR does.
void CoreDialect::makeElementTypes() {
  for (const ElementInfo &info : cameo::getElementInfos()) {
    // While the dialect is being made, its own types have no parser.
    Type type = info.isString() ? Type(StringType::get(getContext()))
                                : mlir::parseType(info.irName, getContext());
    elementTypes.push_back(type);
    elementInfos[type] = &info;
  }
}

Type cameo::core::getElementType(MLIRContext *context, int64_t number) {
  ArrayRef<Type> types = context->getLoadedDialect<CoreDialect>()->getElementTypes();
  return number >= 1 && number <= static_cast<int64_t>(types.size()) ? types[number - 1] : Type();
}

const ElementInfo *cameo::core::getElementInfo(Type type) {
  return type.getContext()->getLoadedDialect<CoreDialect>()->getElementInfos().lookup(type);
}

bool cameo::core::isPackedElement(Type type) {
  const ElementInfo *info = getElementInfo(type);
  return info && info->isPacked();
}
