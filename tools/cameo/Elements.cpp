// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elements.h"

#include "cameo/scalar.h"

#include <cstring>

using namespace cameo;

std::vector<char> cameo::cli::packElements(int32_t elementType, std::vector<char> elements) {
  with_element(elementType, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (is_packed_v<T>) {
      auto count = static_cast<int64_t>(elements.size());
      std::vector<uint8_t> packed((elements.size() * element<T>::bits + 7) / 8);
      for (int64_t group = 0; group * packed_elements_v<T> < count; ++group)
        store_packed(packed.data(), reinterpret_cast<const T *>(elements.data()), group, count);
      elements.assign(packed.begin(), packed.end());
    }
  });
  return elements;
}

std::vector<char> cameo::cli::unpackElements(int32_t elementType, std::vector<char> packed,
                                             int64_t count) {
  with_element(elementType, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (is_packed_v<T>) {
      std::vector<char> elements(static_cast<size_t>(count));
      for (int64_t number = 0; number < count; ++number) {
        T x = load_packed<T>(reinterpret_cast<const uint8_t *>(packed.data()), number);
        std::memcpy(&elements[static_cast<size_t>(number)], &x, 1);
      }
      packed.swap(elements);
    }
  });
  return packed;
}
