// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of arrays between all element types.

#include "Dialect/Prog/IR/ScalarLoops.h"

using namespace cameo::prog;
using namespace cameo::prog::loops;

namespace {

template <class To, bool saturate> struct Cast {
  template <class From> static To apply(From x) { return cameo::cast<To, saturate>(x); }
};

template <class To> struct Reinterpret {
  template <class From> static To apply(From x) { return cameo::reinterpret<To>(x); }
};

/// Whether `saturate` makes a difference: floats of 8 bits have what is too large for them.
template <class T> constexpr bool kSaturates = cameo::is_small_float_v<T> && sizeof(T) == 1;

} // namespace

ArrayFunction cameo::prog::loops::getCast(mlir::Type from, mlir::Type to, bool saturate) {
  return forType(Elements(), to, [&](auto t) {
    return forType(Elements(), from, [&](auto f) -> ArrayFunction {
      using To = Of<decltype(t)>;
      using From = Types<Of<decltype(f)>>;
      if constexpr (kSaturates<To>)
        if (!saturate)
          return Loop<Cast<To, false>, From>::run;
      return Loop<Cast<To, true>, From>::run;
    });
  });
}

ArrayFunction cameo::prog::loops::getReinterpret(mlir::Type from, mlir::Type to) {
  return forType(Elements(), to, [&](auto t) {
    return forType(Elements(), from, [](auto f) -> ArrayFunction {
      using To = Of<decltype(t)>;
      using From = Of<decltype(f)>;
      if constexpr (cameo::element<To>::bits == cameo::element<From>::bits)
        return Loop<Reinterpret<To>, Types<From>>::run;
      else
        return nullptr;
    });
  });
}
