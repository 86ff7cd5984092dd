// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of open extents, held against the best variant of each size.

#include "Kernels/Ranges.h"
#include "Target/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace {

constexpr llvm::StringLiteral kContract = "conv_blocked";
constexpr int64_t kMostSide = 2048;

/// Convolutions of images of any size, as Select asks for them.
class Convolutions {
public:
  Convolutions() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<CoreDialect>();
    module = parseSourceString<ModuleOp>("module {}", &context);
    PassManager passes(&context);
    passes.addPass(createSetTargetPass());
    REQUIRE(succeeded(passes.run(*module)));
  }

  Problem make(int64_t channels, int64_t taps, int64_t stride, int64_t groups = 1) {
    Problem problem(*module, facts);
    auto number = [&](int64_t value) { return ExtentAttr::constant(&context, value); };
    auto extent = [&](llvm::StringRef name) {
      return ExtentAttr::symbol(&context, name).ceilDiv(stride);
    };
    problem.set("output", {extent("H"), extent("W")})
        .set("kernel", {number(taps), number(taps)})
        .set("stride", {number(stride), number(stride)})
        .set("dilation", {number(1), number(1)})
        .set("in_channels", number(channels))
        .set("out_channels", number(channels))
        .set("groups", number(groups))
        .setConstant("w", true);
    return problem;
  }

  /// The same of images with sides of this length.
  Problem at(const Problem &problem, int64_t side) {
    ExtentFacts square = facts;
    for (llvm::StringRef symbol : {"H", "W"})
      square.setLikely(symbol, side);
    return problem.estimateBy(square);
  }

  ExtentFacts facts;

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

const Range &findRange(const RangedChoice &choice, int64_t number) {
  return *llvm::find_if(choice.ranges,
                        [&](const Range &range) { return !range.most || number <= *range.most; });
}

int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// By how much the chosen variants cost more than the best of each size, in the mean over powers of
/// two.
double getExcess(Convolutions &convolutions, const Problem &problem, int64_t stride,
                 llvm::function_ref<const Candidate &(int64_t)> choose) {
  double sum = 0;
  int count = 0;
  for (int64_t side = stride; side <= kMostSide; side *= 2, ++count) {
    Problem square = convolutions.at(problem, side);
    int64_t area = divideUp(side, stride) * divideUp(side, stride);
    std::optional<Amount> price = getPriceIn(square, choose(area));
    REQUIRE(price);
    sum += static_cast<double>(price->get()) /
           static_cast<double>(chooseVariant(kContract, square).price.get());
  }
  return sum / count;
}

} // namespace

TEST_CASE("ranges cover all sizes, and cost less than any one variant") {
  Convolutions convolutions;
  for (int64_t channels : {16, 48, 64, 128, 256, 512, 1024})
    for (int64_t taps : {1, 3, 5, 7})
      for (int64_t stride : {1, 2})
        for (int64_t budget : {std::numeric_limits<int64_t>::max(), int64_t(1) << 20, int64_t(0)}) {
          CAPTURE(channels, taps, stride, budget);
          Problem problem = convolutions.make(channels, taps, stride).setBudget(budget);
          RangedChoice choice = *chooseByRanges(kContract, problem);
          REQUIRE(!choice.ranges.empty());
          REQUIRE(choice.ranges.size() <= 3);
          REQUIRE(choice.usual < choice.ranges.size());
          REQUIRE(bool(choice.measure) == (choice.ranges.size() > 1));
          for (size_t number = 0; number < choice.ranges.size(); ++number) {
            const std::optional<int64_t> &most = choice.ranges[number].most;
            REQUIRE(most.has_value() == (number + 1 < choice.ranges.size()));
            if (most && number > 0)
              REQUIRE(*choice.ranges[number - 1].most < *most);
          }
          double excess =
              getExcess(convolutions, problem, stride, [&](int64_t area) -> const Candidate & {
                return findRange(choice, area).candidate;
              });
          CHECK(excess < 1.11);
          for (const Range &range : choice.ranges)
            CHECK(excess <=
                  getExcess(convolutions, problem, stride,
                            [&](int64_t) -> const Candidate & { return range.candidate; }));
        }
}

TEST_CASE("what is known of a size is in no range") {
  Convolutions convolutions;
  for (llvm::StringRef symbol : {"H", "W"})
    REQUIRE(succeeded(convolutions.facts.restrictRange(symbol, 100, 120)));
  RangedChoice choice = *chooseByRanges(kContract, convolutions.make(256, 3, 1));
  REQUIRE(choice.ranges.size() == 1);
  CHECK(choice.ranges.front().candidate.variant->function == "conv_winograd");
  CHECK_FALSE(choice.measure);
}

TEST_CASE("the usual size decides where its range has one") {
  Convolutions convolutions;
  Problem open = convolutions.make(512, 3, 1);
  for (int64_t side : {2, 40}) {
    for (llvm::StringRef symbol : {"H", "W"})
      convolutions.facts.setLikely(symbol, side);
    RangedChoice choice = *chooseByRanges(kContract, open.estimateBy(convolutions.facts));
    const Range &usual = choice.ranges[choice.usual];
    CHECK((!usual.most || side * side <= *usual.most));
    CHECK((choice.usual == 0 || side * side > *choice.ranges[choice.usual - 1].most));
  }
}

TEST_CASE("a budget leaves no image that is larger") {
  Convolutions convolutions;
  RangedChoice choice = *chooseByRanges(kContract, convolutions.make(512, 3, 1).setBudget(0));
  for (const Range &range : choice.ranges)
    CHECK(range.candidate.variant->findCompiledPack("w") == nullptr);
}
