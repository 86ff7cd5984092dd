// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/ElementTypes.h"

using namespace cameo;

namespace {

constexpr ElementInfo kElementInfos[] = {
#define CAMEO_ELEMENT_TYPE(number, ONNX, name, type, kind, bits, ir, npy, rtol, atol)              \
  {number, #ONNX, name, #type, ElementKind::kind, bits, ir, npy, rtol, atol},
#include "cameo/element_types.def"
};

} // namespace

llvm::ArrayRef<ElementInfo> cameo::getElementInfos() { return kElementInfos; }

const ElementInfo *cameo::findElementInfo(int64_t number) {
  return number >= 1 && number <= static_cast<int64_t>(std::size(kElementInfos))
             ? &kElementInfos[number - 1]
             : nullptr;
}
