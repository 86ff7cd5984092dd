// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes behind each step of a constant against the definition that kernels read, with odd tails
// and halos; and that a definition with a wrong stride, or one that puts two elements into one
// place, is told from the right one.

#include "Constants/ConstantBytes.h"

#include "Dialect/Core/IR/ConstantSteps.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "cameo/pack/blocks.h"
#include "cameo/pack/columns.h"
#include "cameo/pack/winograd.h"
#include "mlir/IR/Builders.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

using namespace cameo;
using namespace cameo::core;
using llvm::StringRef;
using Shape = std::vector<int64_t>;

namespace {

struct Context : mlir::MLIRContext {
  Context() { loadDialect<CoreDialect, prog::ProgDialect>(); }
};

size_t at(int64_t number) { return static_cast<size_t>(number); }

int64_t count(const Shape &shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>());
}

SymTensorType makeType(mlir::Type element, const Shape &shape) {
  llvm::SmallVector<ExtentAttr> extents;
  for (int64_t extent : shape)
    extents.push_back(ExtentAttr::constant(element.getContext(), extent));
  return SymTensorType::get(extents, element);
}

template <class Element> struct TypeOf;
template <> struct TypeOf<float> {
  static mlir::Type get(mlir::MLIRContext *context) { return mlir::Builder(context).getF32Type(); }
};
template <> struct TypeOf<double> {
  static mlir::Type get(mlir::MLIRContext *context) { return mlir::Builder(context).getF64Type(); }
};
template <> struct TypeOf<int16_t> {
  static mlir::Type get(mlir::MLIRContext *context) { return mlir::Builder(context).getI16Type(); }
};
template <> struct TypeOf<int8_t> {
  static mlir::Type get(mlir::MLIRContext *context) { return mlir::Builder(context).getI8Type(); }
};

/// All bytes behind steps, which are the same at a second reading and once they are packed.
std::vector<char> run(SymTensorType type, llvm::ArrayRef<mlir::Attribute> steps,
                      std::vector<char> elements, size_t elementBytes, bool isUniform = false) {
  ConstantBytes bytes(type, makeSteps(type.getContext(), steps, {}),
                      ConstantSource::own(std::move(elements), elementBytes, isUniform));
  auto read = [&] {
    std::vector<char> all;
    REQUIRE(bytes.forEachPiece([&](StringRef piece) {
      all.insert(all.end(), piece.begin(), piece.end());
      return true;
    }));
    return all;
  };
  std::vector<char> first = read();
  CHECK(read() == first);
  bytes.pack();
  CHECK(read() == first);
  return first;
}

template <class To, class From>
std::vector<To> run(Context &context, const Shape &shape, llvm::ArrayRef<mlir::Attribute> steps,
                    const std::vector<From> &elements) {
  std::vector<char> given(elements.size() * sizeof(From));
  std::memcpy(given.data(), elements.data(), given.size());
  std::vector<char> bytes =
      run(makeType(TypeOf<From>::get(&context), shape), steps, std::move(given), sizeof(From));
  std::vector<To> result(bytes.size() / sizeof(To));
  REQUIRE(result.size() * sizeof(To) == bytes.size());
  std::memcpy(result.data(), bytes.data(), bytes.size());
  return result;
}

/// The indices of an element in row-major order.
Shape getIndex(int64_t element, const Shape &shape) {
  Shape index(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; element /= shape[axis])
    index[axis] = element % shape[axis];
  return index;
}

/// Where an element lies, by its indices.
using Definition = std::function<int64_t(const Shape &)>;

/// Whether a step that moves elements puts each one where a definition says, and zeros elsewhere.
template <class Element>
bool isAsDefined(Context &context, const Shape &shape, mlir::Attribute step,
                 const Definition &getOffset) {
  std::vector<Element> elements(at(count(shape)));
  std::iota(elements.begin(), elements.end(), Element(1));
  std::vector<Element> moved = run<Element>(context, shape, step, elements);
  std::vector<Element> expected(moved.size());
  for (size_t element = 0; element < elements.size(); ++element) {
    int64_t offset = getOffset(getIndex(static_cast<int64_t>(element), shape));
    if (offset < 0 || offset >= static_cast<int64_t>(expected.size()))
      return false;
    expected[at(offset)] = elements[element];
  }
  return moved == expected;
}

/// By blocked_axis: its steps in the order of the axes, then the lanes of what is cut.
Definition defineBlocks(const Shape &shape, BlockedLayoutAttr layout) {
  std::vector<blocked_axis> axes;
  auto rank = static_cast<int64_t>(shape.size());
  for (int64_t axis = 0; axis < rank; ++axis)
    axes.push_back({shape[at(axis)], 1, layout.getHaloOf(axis, rank)});
  for (auto [axis, block] : llvm::zip_equal(layout.getAxes(), layout.getBlocks()))
    axes[at(axis)].length = block;
  return [=](const Shape &index) {
    int64_t offset = 0;
    for (size_t axis = 0; axis < axes.size(); ++axis)
      offset = offset * axes[axis].steps() + axes[axis].step(index[axis]);
    for (int64_t axis : layout.getAxes())
      offset = offset * axes[at(axis)].length + axes[at(axis)].lane(index[at(axis)]);
    return offset;
  };
}

const Shape kShape = {2, 19, 3, 5};

template <class Element>
void checkBlocks(Context &context, llvm::ArrayRef<int64_t> axes, llvm::ArrayRef<int64_t> blocks,
                 llvm::ArrayRef<int64_t> halo) {
  auto layout = BlockedLayoutAttr::get(&context, axes, blocks, halo);
  CHECK(isAsDefined<Element>(context, kShape, layout, defineBlocks(kShape, layout)));
}

} // namespace

TEST_CASE("blocks have each element in its place and zeros elsewhere") {
  Context context;
  checkBlocks<float>(context, {1}, {16}, {});
  checkBlocks<float>(context, {1}, {16}, {1, 2});
  checkBlocks<double>(context, {1, 0}, {8, 4}, {});
  checkBlocks<int16_t>(context, {3}, {4}, {});
  checkBlocks<int16_t>(context, {}, {}, {2, 1, 1});
  checkBlocks<int8_t>(context, {0, 1, 3}, {2, 3, 4}, {});
}

TEST_CASE("a step with a wrong stride, and one whose elements overlap, is told") {
  Context context;
  auto layout = BlockedLayoutAttr::get(&context, {1}, {16}, {1, 2});
  Definition right = defineBlocks(kShape, layout);
  CHECK(isAsDefined<float>(context, kShape, layout, right));
  // A row that is a lane too long; a halo that is read as none; two blocks in one place.
  CHECK_FALSE(isAsDefined<float>(context, kShape, layout,
                                 [&](const Shape &index) { return right(index) + index[2]; }));
  auto narrow = BlockedLayoutAttr::get(&context, {1}, {16}, {1, 1});
  CHECK_FALSE(isAsDefined<float>(context, kShape, layout, defineBlocks(kShape, narrow)));
  CHECK_FALSE(isAsDefined<float>(context, kShape, layout, [&](Shape index) {
    index[1] %= 16;
    return right(index);
  }));
}

TEST_CASE("elements that are all the same, and those that share bytes, come in pieces too") {
  Context context;
  mlir::Builder builder(&context);
  // Beyond a piece, and no multiple of one.
  constexpr size_t kCount = (1 << 20) + 3;
  SymTensorType halves = makeType(builder.getF16Type(), {kCount});
  std::vector<char> packed = run(halves, {}, {1, 2}, 2, /*isUniform=*/true);
  REQUIRE(packed.size() == 2 * kCount);
  for (size_t byte = 0; byte < packed.size(); byte += 2)
    REQUIRE((packed[byte] == 1 && packed[byte + 1] == 2));

  for (unsigned bits : {2u, 4u}) {
    SymTensorType type = makeType(builder.getIntegerType(bits), {kCount});
    std::vector<char> codes(kCount);
    for (size_t element = 0; element < codes.size(); ++element)
      codes[element] = static_cast<char>(element * 5 % 13);
    packed = run(type, PackedLayoutAttr::get(&context), codes, 1);
    REQUIRE(packed.size() == (kCount * bits + 7) / 8);
    for (size_t element = 0; element < codes.size(); ++element) {
      int byte = packed[element * bits / 8], mask = (1 << bits) - 1;
      REQUIRE(((byte >> (element * bits % 8)) & mask) == (codes[element] & mask));
    }
  }
}

TEST_CASE("phases have each tap where patches have what it multiplies") {
  Context context;
  for (int64_t stride : {1, 2, 4})
    for (int64_t block : {1, 16})
      for (int64_t kernel : {2, 5, 7}) {
        Shape shape = {3, 19, kernel, kernel};
        patch_channels channels{stride * stride, block};
        int64_t side = (kernel + stride - 1) / stride;
        auto step = prog::PhasesAttr::get(&context, stride, block);
        CHECK(isAsDefined<float>(context, shape, step, [&](const Shape &i) {
          int64_t channel = channels.number(i[1], i[2] % stride * stride + i[3] % stride);
          CHECK(channels.channel(channel) == i[1]);
          CHECK(channels.tap(channel) == i[2] % stride * stride + i[3] % stride);
          int64_t plane = i[0] * channels.count(shape[1]) + channel;
          return (plane * side + i[2] / stride) * side + i[3] / stride;
        }));
      }
}

TEST_CASE("groups that are joined have each tap at the inputs of its group") {
  Context context;
  for (int64_t groups : {1, 2, 6})
    for (int64_t joined : {1, 2, 3}) {
      if (groups % joined != 0)
        continue;
      for (const Shape &shape : {Shape{6, 5, 3, 2}, Shape{12, 1, 1, 1}, Shape{6, 4}}) {
        auto step = prog::JoinedGroupsAttr::get(&context, groups, joined);
        CHECK(isAsDefined<float>(context, shape, step, [&](const Shape &i) {
          int64_t part = i[0] / (shape[0] / groups) % joined, to = i[0];
          to = to * joined * shape[1] + part * shape[1] + i[1];
          for (size_t axis = 2; axis < shape.size(); ++axis)
            to = to * shape[axis] + i[axis];
          return to;
        }));
      }
    }
}

TEST_CASE("columns have each scale in its lane") {
  Context context;
  for (int64_t axis : {0, 1})
    for (const Shape &shape : {Shape{19, 5}, Shape{16, 1}, Shape{3, 33}}) {
      column_blocks to{shape[at(axis)], shape[at(1 - axis)], 16, 1};
      CHECK(isAsDefined<float>(
          context, shape, prog::ColumnsAttr::get(&context, axis, 16, 0, 0),
          [&](const Shape &i) { return to.number(i[at(axis)], i[at(1 - axis)]); }));
    }
}

TEST_CASE("columns have each code where kernels look for it, and zeros elsewhere") {
  Context context;
  mlir::Builder builder(&context);
  constexpr int64_t lanes = 16;
  const Shape shape = {19, 37};
  for (int64_t axis : {0, 1})
    for (unsigned bits : {2u, 4u, 8u})
      for (int64_t origin : {0, 1 << (bits - 1)}) {
        column_blocks to{shape[at(axis)], shape[at(1 - axis)], lanes, 32 / bits};
        std::vector<char> codes(at(count(shape)));
        // Constants hold codes with a sign as bytes with it.
        for (size_t element = 0; element < codes.size(); ++element)
          codes[element] = static_cast<char>(static_cast<int>(element * 7 % (1u << bits)) - origin);
        auto step = prog::ColumnsAttr::get(&context, axis, lanes, bits, origin);
        std::vector<char> bytes =
            run(makeType(builder.getIntegerType(bits), shape), step, codes, 1);
        std::vector<uint32_t> numbers(at(to.blocks() * to.rows() * lanes));
        REQUIRE(bytes.size() == numbers.size() * sizeof(uint32_t));
        std::memcpy(numbers.data(), bytes.data(), bytes.size());
        for (int64_t element = 0; element < count(shape); ++element) {
          Shape i = getIndex(element, shape);
          uint32_t &number = numbers[at(to.number(i[at(axis)], i[at(1 - axis)]))];
          auto shift = bits * static_cast<unsigned>(to.part(i[at(1 - axis)]));
          uint32_t wanted = static_cast<uint32_t>(element) * 7 % (1u << bits);
          REQUIRE((number >> shift & ((1u << bits) - 1)) == wanted);
          number ^= wanted << shift;
        }
        CHECK(numbers == std::vector<uint32_t>(numbers.size()));
      }
}

/// Products of the transform's values are the convolution's outputs at the points: sums of taps
/// times the powers of a point, scaled, along both axes.
template <int Size> static void checkWinograd(Context &context, int64_t taps) {
  using Scales = winograd_scales<Size, double>;
  Shape shape = {3, 5, taps, taps};
  std::mt19937 random(7);
  std::uniform_real_distribution<float> distribution(-1, 1);
  std::vector<float> elements(at(count(shape)));
  for (float &element : elements)
    element = distribution(random);
  auto step = prog::WinogradAttr::get(&context, Size - taps + 1);
  std::vector<float> got = run<float>(context, shape, step, elements);
  REQUIRE(got.size() == size_t(Size * Size * 15));
  auto factor = [&](int64_t point, int64_t tap) {
    if (point == 0)
      return tap == 0 ? Scales::at_zero : 0;
    if (point == Size - 1)
      return tap == taps - 1 ? 1.0 : 0.0;
    auto pair = static_cast<int>(point - 1) / 2;
    double sign = point % 2 == 0 && tap % 2 == 1 ? -1 : 1;
    return sign * Scales::at_pair[pair] * winograd_power(pair, static_cast<int>(tap));
  };
  for (int64_t point = 0; point < Size * Size; ++point)
    for (int64_t channel = 0; channel < 15; ++channel) {
      double sum = 0;
      for (int64_t tap = 0; tap < taps * taps; ++tap)
        sum += factor(point / Size, tap / taps) * factor(point % Size, tap % taps) *
               static_cast<double>(elements[at(channel * taps * taps + tap)]);
      auto want = static_cast<float>(sum);
      REQUIRE(std::abs(got[at(point * 15 + channel)] - want) <=
              std::abs(want) * std::numeric_limits<float>::epsilon());
    }
}

TEST_CASE("taps of tiles are the transform's") {
  Context context;
  for (int64_t taps : {2, 3})
    checkWinograd<4>(context, taps);
  for (int64_t taps : {2, 3, 4, 5})
    checkWinograd<6>(context, taps);
}

TEST_CASE("sums of bytes are times a factor, and wrap") {
  Context context;
  std::vector<int8_t> bytes = {1, -2, 3, 4, 127, 127, -128, -128};
  auto sums = [&](int64_t factor) {
    return run<int32_t>(context, {2, 2, 1, 2}, prog::SumAttr::get(&context, factor), bytes);
  };
  CHECK(sums(3) == std::vector<int32_t>{18, -6});
  CHECK(sums(int64_t(1) << 30) == std::vector<int32_t>{-2147483647 - 1, -2147483647 - 1});
}

TEST_CASE("steps follow one another") {
  Context context;
  std::vector<int8_t> bytes(17 * 4);
  std::iota(bytes.begin(), bytes.end(), int8_t(-30));
  std::vector<int32_t> got = run<int32_t>(
      context, {17, 4},
      {prog::SumAttr::get(&context, 2), BlockedLayoutAttr::get(&context, {0}, {16}, {})}, bytes);
  REQUIRE(got.size() == 32);
  for (size_t row = 0; row < got.size(); ++row)
    CHECK(got[row] == (row < 17 ? 2 * (4 * (-30 + 4 * static_cast<int>(row)) + 6) : 0));
}
