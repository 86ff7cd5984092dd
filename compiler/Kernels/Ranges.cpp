// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Ranges.h"

#include "Kernels/Kept.h"
#include "llvm/ADT/SetVector.h"

using namespace cameo;
using namespace cameo::core;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

namespace {

/// A price as so many 1024ths of the least.
using Ratio = int64_t;
constexpr Ratio kLeast = 1024, kRefused = Ratio(1) << 40;

/// Neighbouring samples with one candidate.
struct Segment {
  size_t first, last;
  size_t candidate;
  Ratio sum;
};

RangedChoice chooseOne(StringRef contract, const Problem &problem) {
  Candidate chosen = chooseVariant(contract, problem);
  RangedChoice choice;
  if (chosen)
    choice.ranges.push_back({std::move(chosen), problem, std::nullopt});
  return choice;
}

class RangeFinder {
public:
  RangeFinder(StringRef contract, const Problem &problem, ExtentAttr measure);

  RangedChoice run();

private:
  /// All open symbols that are nobody's likely value are `side`, as far as they may be.
  struct Sample {
    int64_t side, measure;
    Problem problem;
    Candidate best;
    Ratio weight = 1;
  };

  Sample makeSample(int64_t side) const;
  void addSamples();
  void addCandidates();
  static Ratio getRatio(const Candidate &candidate, const Sample &sample);
  Segment getSegment(size_t first, size_t last) const;
  SmallVector<Segment, 3> divide() const;
  /// The most of the measure at which the first of two neighbours costs no more than the second.
  int64_t findBorder(const Segment &a, const Segment &b) const;

  StringRef contract;
  const Problem &problem;
  ExtentAttr measure;
  llvm::SetVector<StringRef> varied;
  /// Whether somebody said what sizes are likely.
  bool isLikely = false;
  SmallVector<Sample, 16> samples;
  SmallVector<Candidate, 4> candidates;
  /// By candidate and sample.
  SmallVector<SmallVector<Ratio, 16>, 4> ratios;
};

RangeFinder::RangeFinder(StringRef contract, const Problem &problem, ExtentAttr measure)
    : contract(contract), problem(problem), measure(measure) {
  llvm::SetVector<StringRef> symbols;
  problem.getFacts().resolve(measure).collectSymbols(symbols);
  for (StringRef symbol : symbols)
    if (problem.getFacts().lookup(symbol).likely)
      isLikely = true;
    else
      varied.insert(symbol);
  if (varied.empty())
    varied = symbols;
}

RangeFinder::Sample RangeFinder::makeSample(int64_t side) const {
  ExtentFacts facts = problem.getFacts();
  for (StringRef symbol : varied)
    facts.setLikely(symbol, side);
  return {side, estimate(measure, facts), problem.estimateBy(facts), {}};
}

void RangeFinder::addSamples() {
  constexpr int64_t kMostSide = 1 << 13, kMostMeasure = 1 << 22;
  for (int64_t side = 1; side <= kMostSide; side *= 2) {
    Sample sample = makeSample(side);
    if (sample.measure <= 0 || (!samples.empty() && sample.measure <= samples.back().measure))
      continue;
    if (!samples.empty() && sample.measure > kMostMeasure)
      break;
    sample.best = chooseVariant(contract, sample.problem);
    samples.push_back(std::move(sample));
  }
  int64_t nominal = estimate(measure, problem.getFacts());
  auto *likely =
      llvm::find_if(samples, [&](const Sample &sample) { return sample.measure >= nominal; });
  if (isLikely && likely != samples.end())
    likely->weight = 4;
}

void RangeFinder::addCandidates() {
  for (const Sample &sample : samples) {
    bool isKnown = llvm::any_of(candidates, [&](const Candidate &known) {
      return known.variant == sample.best.variant &&
             known.choices.numbers == sample.best.choices.numbers;
    });
    if (sample.best && !isKnown)
      candidates.push_back(sample.best);
  }
  llvm::sort(candidates, isInFront);
  for (const Candidate &candidate : candidates) {
    auto &row = ratios.emplace_back();
    for (const Sample &sample : samples)
      row.push_back(getRatio(candidate, sample));
  }
}

Ratio RangeFinder::getRatio(const Candidate &candidate, const Sample &sample) {
  std::optional<Amount> price = getPriceIn(sample.problem, candidate);
  if (!price)
    return kRefused;
  Amount least = std::max<int64_t>(1, sample.best.price.get());
  return (*price * kLeast / least * sample.weight).get();
}

Segment RangeFinder::getSegment(size_t first, size_t last) const {
  Segment best{first, last, 0, 0};
  for (size_t candidate = 0; candidate < candidates.size(); ++candidate) {
    Ratio sum = 0;
    for (size_t sample = first; sample < last; ++sample)
      sum += ratios[candidate][sample];
    if (candidate == 0 || sum < best.sum)
      best = {first, last, candidate, sum};
  }
  return best;
}

SmallVector<Segment, 3> RangeFinder::divide() const {
  size_t count = samples.size();
  auto getSum = [](ArrayRef<Segment> segments) {
    Ratio sum = 0;
    for (const Segment &segment : segments)
      sum += segment.sum;
    return sum;
  };
  SmallVector<Segment, 3> one{getSegment(0, count)}, two = one, three = one;
  for (size_t border = 1; border < count; ++border) {
    SmallVector<Segment, 3> divided{getSegment(0, border), getSegment(border, count)};
    if (getSum(divided) < getSum(two))
      two = divided;
    for (size_t second = border + 1; second < count; ++second) {
      divided = {getSegment(0, border), getSegment(border, second), getSegment(second, count)};
      if (getSum(divided) < getSum(three))
        three = divided;
    }
  }
  const auto &fewer = getSum(two) * 100 <= getSum(one) * 98 ? two : one;
  return getSum(three) * 100 <= getSum(fewer) * 95 ? three : fewer;
}

int64_t RangeFinder::findBorder(const Segment &a, const Segment &b) const {
  Sample below = samples[a.last - 1];
  int64_t beyond = samples[b.first].side;
  while (beyond - below.side > 1) {
    Sample middle = makeSample(below.side + (beyond - below.side) / 2);
    std::optional<Amount> ofA = getPriceIn(middle.problem, candidates[a.candidate]),
                          ofB = getPriceIn(middle.problem, candidates[b.candidate]);
    if (ofA && (!ofB || *ofA <= *ofB))
      below = std::move(middle);
    else
      beyond = middle.side;
  }
  return below.measure;
}

RangedChoice RangeFinder::run() {
  addSamples();
  addCandidates();
  if (candidates.empty())
    return chooseOne(contract, problem);
  RangedChoice choice;
  SmallVector<Segment, 3> segments = divide();
  int64_t nominal = estimate(measure, problem.getFacts());
  for (auto [number, segment] : llvm::enumerate(segments)) {
    std::optional<int64_t> most;
    if (number + 1 < segments.size())
      most = findBorder(segment, segments[number + 1]);
    bool isBelow = most && *most < nominal;
    const Sample &nearest = samples[isBelow ? segment.last - 1 : segment.first];
    choice.ranges.push_back({candidates[segment.candidate], nearest.problem, most});
  }
  return choice;
}

/// The number whose ranges a contract has; a constant where the problem's extents are known.
ExtentAttr getMeasure(StringRef contract, const Problem &problem) {
  ExtentAttr measure = ExtentAttr::constant(problem.getContext(), 1);
  for (StringRef member : getRangedMembers(contract))
    for (ExtentAttr extent : problem.getExtents(member))
      measure = measure * extent;
  return measure;
}

} // namespace

/// Tells the usual range. Constant extents leave that one alone.
static void setMeasure(RangedChoice &choice, ExtentAttr measure, const Problem &problem) {
  int64_t nominal = estimate(measure, problem.getFacts());
  while (choice.ranges[choice.usual].most && nominal > *choice.ranges[choice.usual].most)
    ++choice.usual;
  choice.ranges[choice.usual].problem = problem;
  if (measure.isConstant()) {
    Range only = choice.ranges[choice.usual];
    only.most = std::nullopt;
    choice = {{}, {std::move(only)}, 0};
  } else if (choice.ranges.size() > 1) {
    choice.measure = measure;
  }
}

llvm::FailureOr<RangedChoice> cameo::chooseByRanges(StringRef contract, const Problem &problem) {
  if (!problem.getMachine())
    return RangedChoice();
  ExtentAttr measure = getMeasure(contract, problem);
  llvm::FailureOr<RangedChoice> choice = isKept(problem) ? getKept(contract, problem)
                                         : measure.isConstant()
                                             ? chooseOne(contract, problem)
                                             : RangeFinder(contract, problem, measure).run();
  if (succeeded(choice) && !choice->ranges.empty())
    setMeasure(*choice, measure, problem);
  return choice;
}
