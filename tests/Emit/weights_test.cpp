// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights that are made piece by piece: their hash, and where a layout has each element.

#include "Constants/PackElements.h"
#include "Emit/StreamHash.h"

#include "Dialect/Core/IR/CoreDialect.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/xxhash.h"

#include <catch2/catch.hpp>

#include <cstring>
#include <numeric>

using namespace cameo;
using namespace cameo::core;
using llvm::StringRef;

TEST_CASE("a hash of pieces is that of the whole") {
  std::string text;
  for (int byte = 0; byte < 200; ++byte)
    text += static_cast<char>(7 * byte + byte / 5);
  for (size_t size = 0; size <= text.size(); ++size)
    for (size_t piece : {size_t(1), size_t(3), size_t(31), size_t(32), size_t(33), size_t(200)}) {
      StringRef whole = StringRef(text).take_front(size);
      StreamHash hash;
      for (StringRef rest = whole; !rest.empty();
           rest = rest.drop_front(std::min(piece, rest.size())))
        hash.add(rest.take_front(piece));
      CHECK(hash.get() == llvm::xxHash64(whole));
    }
}

static std::vector<char> pack(SymTensorType type, const WeightElements &elements) {
  std::vector<char> bytes;
  CHECK(ElementPacker(type).run(elements, [&](StringRef piece) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    return true;
  }));
  return bytes;
}

/// Where the layout's description says that each element of [2, 19, 3, 5] lies.
template <class Element>
static void checkBlocked(mlir::MLIRContext &context, mlir::Type elementType,
                         llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> blocks,
                         llvm::ArrayRef<int64_t> halo) {
  constexpr int64_t rank = 4, dims[rank] = {2, 19, 3, 5};
  auto layout = BlockedLayoutAttr::get(&context, axes, blocks, halo);
  llvm::SmallVector<ExtentAttr> extents;
  for (int64_t dim : dims)
    extents.push_back(ExtentAttr::constant(&context, dim));
  auto type = SymTensorType::get(extents, elementType, Side::Host, layout);
  std::vector<Element> dense(2 * 19 * 3 * 5);
  std::iota(dense.begin(), dense.end(), Element(1));

  llvm::SmallVector<int64_t> physical;
  for (ExtentAttr extent : type.getPhysicalExtents())
    physical.push_back(*extent.getConstant());
  int64_t count =
      std::accumulate(physical.begin(), physical.end(), int64_t(1), std::multiplies<>());
  std::vector<Element> expected(static_cast<size_t>(count));
  for (size_t element = 0; element < dense.size(); ++element) {
    llvm::SmallVector<int64_t> at(physical.size(), 0);
    auto rest = static_cast<int64_t>(element);
    for (int64_t axis = rank; axis-- > 0; rest /= dims[axis])
      at[axis] = rest % dims[axis];
    for (size_t number = 0; number < axes.size(); ++number) {
      at[rank + number] = at[axes[number]] % blocks[number];
      at[axes[number]] /= blocks[number];
    }
    int64_t offset = 0;
    for (size_t dim = 0; dim < physical.size(); ++dim) {
      int64_t margin = dim < rank ? layout.getHaloOf(static_cast<int64_t>(dim), rank) : 0;
      offset = offset * physical[dim] + at[dim] + margin;
    }
    expected[static_cast<size_t>(offset)] = dense[element];
  }
  size_t bytes = dense.size() * sizeof(Element);
  WeightElements elements{{reinterpret_cast<const char *>(dense.data()), bytes}, sizeof(Element)};
  std::vector<char> packed = pack(type, elements);
  REQUIRE(packed.size() == expected.size() * sizeof(Element));
  CHECK(std::memcmp(packed.data(), expected.data(), packed.size()) == 0);
}

TEST_CASE("a layout has each element in its place and zeros elsewhere") {
  mlir::MLIRContext context;
  context.loadDialect<CoreDialect>();
  mlir::Type f32 = mlir::Float32Type::get(&context), i8 = mlir::IntegerType::get(&context, 8);
  checkBlocked<float>(context, f32, {1}, {16}, {});
  checkBlocked<float>(context, f32, {1}, {16}, {1, 2});
  checkBlocked<double>(context, mlir::Float64Type::get(&context), {1, 0}, {8, 4}, {});
  checkBlocked<int16_t>(context, mlir::IntegerType::get(&context, 16), {3}, {4}, {});
  checkBlocked<int16_t>(context, mlir::IntegerType::get(&context, 16), {}, {}, {2, 1, 1});
  checkBlocked<int8_t>(context, i8, {0, 1, 3}, {2, 3, 4}, {});
}

TEST_CASE("elements that are all the same, and those that share bytes, come in pieces too") {
  mlir::MLIRContext context;
  context.loadDialect<CoreDialect>();
  // Beyond a piece, and no multiple of one.
  ExtentAttr count = ExtentAttr::constant(&context, (1 << 20) + 3);
  auto halves = SymTensorType::get({count}, mlir::Float16Type::get(&context));
  std::vector<char> packed = pack(halves, {{"\x01\x02", 2}, 2, /*isUniform=*/true});
  REQUIRE(packed.size() == 2 * ((1 << 20) + 3));
  for (size_t byte = 0; byte < packed.size(); byte += 2)
    REQUIRE((packed[byte] == 1 && packed[byte + 1] == 2));

  auto nibbles = SymTensorType::get({count}, mlir::IntegerType::get(&context, 4), Side::Host,
                                    PackedLayoutAttr::get(&context));
  std::vector<char> codes((1 << 20) + 3);
  for (size_t element = 0; element < codes.size(); ++element)
    codes[element] = static_cast<char>(element % 13);
  packed = pack(nibbles, {codes, 1});
  REQUIRE(packed.size() == (1 << 19) + 2);
  for (size_t element = 0; element < codes.size(); ++element)
    REQUIRE(((packed[element / 2] >> (element % 2 * 4)) & 15) == codes[element]);
}
