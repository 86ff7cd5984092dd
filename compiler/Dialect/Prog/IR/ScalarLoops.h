// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over arrays of elements that apply a function of cameo/scalar.h, for what is computed at
// compile time: the function that a kernel calls, so the bits that a kernel computes. Only the
// definitions of the scalar ops include this; all else asks ScalarOpInterface.

#ifndef CAMEO_DIALECT_PROG_IR_SCALARLOOPS_H
#define CAMEO_DIALECT_PROG_IR_SCALARLOOPS_H

#include "Dialect/Core/IR/ElementTypes.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "cameo/scalar.h"

#include <cstring>

namespace cameo::prog::loops {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

template <class... T> struct Types {};

template <class... A, class... B> Types<A..., B...> operator+(Types<A...>, Types<B...>);
template <class A, class B> using Concat = decltype(A() + B());

using Bools = Types<bool>;
using Integers = Types<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>;
/// The floats that ONNX computes with; smaller ones are converted, moved and selected only.
using Floats = Types<half, bfloat16, float, double>;
using Numbers = Concat<Integers, Floats>;
using Ordered = Concat<Bools, Numbers>;
/// `T` where programs compute with it.
template <class T>
using IfComputed =
    std::conditional_t<element<T>::dtype == 0 || is_kind<T, element_kind::complex>() ||
                           is_kind<T, element_kind::string>(),
                       Types<>, Types<T>>;
template <class... T>
auto selectComputed(Types<T...>) -> decltype((Types<>() + ... + IfComputed<T>()));

/// All of them. Each row begins with a comma, behind a type that is none.
using Elements = decltype(selectComputed(Types<void
#define CAMEO_ELEMENT_TYPE(number, ONNX, name, type, kind, bits, ir, npy, rtol, atol) , type
#include "cameo/element_types.def"
                                               >()));

/// A type as a value, for generic lambdas.
template <class T> struct Tag { using type = T; };
template <class Tag> using Of = typename Tag::type;

/// The result of `get` for the one of the listed types that `type` is; null for none.
template <class... T, class Get>
ArrayFunction forType(Types<T...>, mlir::Type type, const Get &get) {
  const ElementInfo *info = core::getElementInfo(type);
  int32_t number = info ? info->number : 0;
  ArrayFunction found = nullptr;
  (void)((number == element<T>::dtype && (found = get(Tag<T>()), true)) || ...);
  return found;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Narrow integers lie in memory without the sign that scalar.h extends them by.
template <class T> T load(const char *array, int64_t i) {
  if constexpr (is_narrow_integer_v<T>)
    return from_low_bits<T>(array[i]);
  else if constexpr (std::is_same_v<T, bool>)
    return array[i] != 0;
  else {
    T element;
    std::memcpy(&element, array + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return element;
  }
}
template <class T> void store(char *array, int64_t i, T element) {
  if constexpr (is_narrow_integer_v<T>)
    array[i] = static_cast<char>(code_of(element));
  else
    std::memcpy(array + i * static_cast<int64_t>(sizeof(T)), &element, sizeof(T));
}

template <class Function, class Arguments> struct Loop;
template <class Function, class... X> struct Loop<Function, Types<X...>> {
  static void run(const char *const *operands, char *result, int64_t count) {
    run(operands, result, count, std::index_sequence_for<X...>());
  }

private:
  template <size_t... k>
  static void run(const char *const *operands, char *result, int64_t count,
                  std::index_sequence<k...>) {
    for (int64_t i = 0; i < count; ++i)
      store(result, i, Function::apply(load<X>(operands[k], i)...));
  }
};

/// The arguments of functions of one type.
template <class T> using Unary = Types<T>;
template <class T> using Binary = Types<T, T>;
template <class T> using Ternary = Types<T, T, T>;
template <class T> using Selection = Types<bool, T, T>;

/// The loop of a function whose last argument is of type `type`; null for one that it is not
/// defined on, and for floats unless all machines compute the same bits.
template <class Function, class Domain, bool isExact, template <class> class Arguments>
ArrayFunction get(mlir::Type type) {
  return forType(Domain(), type, [](auto t) -> ArrayFunction {
    if constexpr (isExact || !is_float_v<Of<decltype(t)>>)
      return Loop<Function, Arguments<Of<decltype(t)>>>::run;
    else
      return nullptr;
  });
}

/// The loop of an exact function of two arguments whose types are each one of the domain.
template <class Function, class Domain> ArrayFunction getOfPair(mlir::Type a, mlir::Type b) {
  return forType(Domain(), a, [&](auto t) {
    return forType(Domain(), b, [](auto u) -> ArrayFunction {
      return Loop<Function, Types<Of<decltype(t)>, Of<decltype(u)>>>::run;
    });
  });
}

/// The loop of a conversion. In a file of its own, since there are hundreds.
ArrayFunction getCast(mlir::Type from, mlir::Type to, bool saturate);
/// As getCast, with the same bits; null for types that differ in how many they have.
ArrayFunction getReinterpret(mlir::Type from, mlir::Type to);

} // namespace cameo::prog::loops

#endif // CAMEO_DIALECT_PROG_IR_SCALARLOOPS_H
