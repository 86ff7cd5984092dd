// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each guard of each variant decides somewhere: a problem that the variant takes, and a change of
// it by which this guard alone takes choices away. So a guard that is dropped fails here, and so
// does one that others imply.

#include "Kernels/Variants.h"
#include "Target/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>
#include <map>
#include <set>

using namespace mlir;
using namespace cameo;
using namespace cameo::core;

namespace {

/// A problem as cases write it. An element of a member is a number, a symbol, or a number times a
/// symbol.
struct Asked {
  std::map<std::string, std::vector<std::string>> members;
  std::set<std::string> constants;
  bool arePlanes = false, areListed = false, isBounded = false;
  int64_t budget = std::numeric_limits<int64_t>::max();
  std::string precision = "fast";
  /// The usual value of all symbols.
  int64_t likely = 64;

  void set(const std::string &member, std::vector<std::string> elements) {
    members[member] = std::move(elements);
  }
};

/// By which a guard refuses what its variant takes, but for some of its choices.
struct Case {
  llvm::StringLiteral variant, guard;
  void (*change)(Asked &);
  int left = 0;
};

//===----------------------------------------------------------------------===//
// Problems that variants take
//===----------------------------------------------------------------------===//

void setSquares(Asked &asked, const std::string &member, const std::string &side) {
  asked.set(member, {side, side});
}

void setChannels(Asked &asked, const std::string &groups, const std::string &inputs = "64",
                 const std::string &outputs = "64") {
  asked.set("groups", {groups});
  asked.set("in_channels", {inputs});
  asked.set("out_channels", {outputs});
}

Asked makeConvolution() {
  Asked asked;
  setChannels(asked, "1");
  setSquares(asked, "output", "56");
  setSquares(asked, "kernel", "3");
  setSquares(asked, "stride", "1");
  setSquares(asked, "dilation", "1");
  asked.constants = {"w"};
  return asked;
}

Asked makeAttention() {
  Asked asked;
  for (const char *member : {"queries", "keys", "depth", "size", "q_stride", "k_stride", "v_stride",
                             "q_batch_stride", "k_batch_stride", "v_batch_stride"})
    asked.set(member, {"64"});
  asked.set("trans_k", {"1"});
  return asked;
}

/// Over an image, a line or a volume, as the operator has it.
Asked makeOperator(size_t axes) {
  Asked asked;
  setChannels(asked, "1");
  asked.set("batch", {"1"});
  asked.set("spatial_rank", {std::to_string(axes)});
  for (const char *member : {"input", "output"})
    asked.set(member, std::vector<std::string>(axes, "28"));
  asked.set("kernel", std::vector<std::string>(axes, "4"));
  asked.set("stride", std::vector<std::string>(axes, "2"));
  asked.constants = {"w"};
  return asked;
}

/// A problem that all choices of a variant are allowed in.
Asked makeTaken(const Variant &variant) {
  if (variant.contract == "conv_transpose")
    return makeOperator(2);
  if (variant.contract == "conv")
    return makeOperator(variant.name.starts_with("volume") ? 3 : 1);
  if (variant.contract != "conv_blocked")
    return makeAttention();
  Asked asked = makeConvolution();
  if (variant.name == "conv_of_patches")
    setSquares(asked, "output", "7");
  else if (variant.name == "conv_of_planes")
    asked.arePlanes = true;
  else if (variant.name == "conv_of_channels")
    setChannels(asked, "64");
  else if (variant.name == "conv_of_groups" || variant.name.ends_with("joined_groups"))
    setChannels(asked, "8");
  else if (variant.name == "conv_by_tiles_of_phases") {
    setSquares(asked, "stride", "2");
    setSquares(asked, "kernel", "5");
  }
  return asked;
}

//===----------------------------------------------------------------------===//
// Changes that their guards refuse
//===----------------------------------------------------------------------===//

constexpr llvm::StringLiteral
    kDepthwise = "groups > 1 && in_channels == groups && out_channels == groups",
    kNoDepthwise = "!(groups > 1 && in_channels == groups && out_channels == groups)",
    kWhole =
        "groups == 1 || (in_channels % (16 * groups) == 0 && out_channels % (16 * groups) == 0)",
    kApart =
        "are_listed(x) || !(groups == 1 || (in_channels % (16 * groups) == 0 && out_channels % "
        "(16 * groups) == 0))",
    kPatches =
        "known(kernel) && (kernel[0] == 1 && kernel[1] == 1 ? stride[0] > 1 || stride[1] > 1 : "
        "known(output[1]) && output[1] <= 8)",
    kNoPatches =
        "!(known(kernel) && (kernel[0] == 1 && kernel[1] == 1 ? stride[0] > 1 || stride[1] > "
        "1 : known(output[1]) && output[1] <= 8))",
    kBudget =
        "fits_budget(4 * groups * size * size * (in_channels / groups) * stride[0] * stride[0] * "
        "align(out_channels / groups, 16))",
    kJoined =
        "groups % joined == 0 && in_channels / groups * joined % 16 == 0 && out_channels / groups "
        "* joined % 16 == 0",
    kJoinedTapsBudget =
        "fits_budget(4 * (groups / joined) * kernel[0] * kernel[1] * (in_channels / groups "
        "* joined) * (out_channels / groups * joined))",
    kJoinedBudget =
        "fits_budget(4 * (groups / joined) * size * size * (in_channels / groups * joined) * "
        "stride[0] * stride[0] * (out_channels / groups * joined))",
    kTiles =
        "is_winograd((size - ceil_div(kernel[0], stride[0]) + 1), ceil_div(kernel[0], stride[0]))",
    kDepth = "known(depth) && multiple(depth, 8) && depth <= 128",
    kSize = "known(size) && multiple(size, 8) && size <= 128",
    kStrides = "multiple(q_stride, 8) && multiple(k_stride, 8) && multiple(v_stride, 8)",
    kBatchStrides =
        "multiple(q_batch_stride, 8) && multiple(k_batch_stride, 8) && multiple(v_batch_stride, 8)";

void haveGroups(Asked &asked) { setChannels(asked, "8"); }
void haveInputsApart(Asked &asked) { setChannels(asked, "2", "48", "64"); }
void haveOutputsApart(Asked &asked) { setChannels(asked, "2", "64", "48"); }
void list(Asked &asked) { asked.areListed = true; }
void lieInPlanes(Asked &asked) { asked.arePlanes = true; }
void lieInBlocks(Asked &asked) { asked.arePlanes = false; }
void compute(Asked &asked) { asked.constants.clear(); }
void haveNoHeap(Asked &asked) { asked.isBounded = true; }
void haveNoBudget(Asked &asked) { asked.budget = 0; }
void beStrict(Asked &asked) { asked.precision = "strict"; }
void beExact(Asked &asked) { asked.precision = "exact"; }
void haveShortRows(Asked &asked) { setSquares(asked, "output", "8"); }
void haveLongRows(Asked &asked) { setSquares(asked, "output", "9"); }
void haveOpenRows(Asked &asked) {
  asked.set("output", {"7", "W"});
  asked.likely = 7;
}
template <int Taps> void haveOpenTaps(Asked &asked) {
  setSquares(asked, "kernel", "K");
  asked.likely = Taps;
}
void stride(Asked &asked) { setSquares(asked, "stride", "2"); }
void strideAlongRows(Asked &asked) { asked.set("stride", {asked.members["stride"][0], "3"}); }
void haveOneTap(Asked &asked) { setSquares(asked, "kernel", "1"); }
void pickWithOneTap(Asked &asked) {
  haveOneTap(asked);
  stride(asked);
}
void pickAlongRows(Asked &asked) {
  haveOneTap(asked);
  strideAlongRows(asked);
}
void haveOblongTaps(Asked &asked) { asked.set("kernel", {asked.members["kernel"][0], "4"}); }
void haveManyTaps(Asked &asked) { setSquares(asked, "kernel", "15"); }
void haveTapsOfLargeTiles(Asked &asked) { setSquares(asked, "kernel", "5"); }
void dilateRows(Asked &asked) { asked.set("dilation", {"2", "1"}); }
void dilateColumns(Asked &asked) { asked.set("dilation", {"1", "2"}); }

const Case kOfConvolutions[] = {
    {"conv_as_defined", kWhole, haveGroups},
    {"conv_as_defined", kWhole, haveInputsApart},
    {"conv_as_defined", kWhole, haveOutputsApart},
    {"conv_as_defined", "!are_listed(x)", list},
    {"conv_as_defined", "!are_planes(x)", lieInPlanes},
    {"conv_as_defined", kNoPatches, haveShortRows},
    {"conv_as_defined", kNoPatches, pickWithOneTap},
    {"conv_as_defined", kNoPatches, pickAlongRows},

    {"conv_of_patches", kWhole, haveGroups},
    {"conv_of_patches", "!are_listed(x)", list},
    {"conv_of_patches", "!are_planes(x)", lieInPlanes},
    {"conv_of_patches", kPatches, haveLongRows},
    {"conv_of_patches", kPatches, haveOpenRows},
    {"conv_of_patches", kPatches, haveOneTap},
    {"conv_of_patches", kPatches, haveOpenTaps<3>},

    {"conv_of_planes", kWhole, haveGroups},
    {"conv_of_planes", "!are_listed(x)", list},
    {"conv_of_planes", "are_planes(x)", lieInBlocks},

    {"conv_of_channels", kDepthwise, [](Asked &asked) { setChannels(asked, "1", "1", "1"); }},
    {"conv_of_channels", kDepthwise, [](Asked &asked) { setChannels(asked, "64", "128"); }},
    {"conv_of_channels", kDepthwise, [](Asked &asked) { setChannels(asked, "64", "64", "128"); }},
    {"conv_of_channels", "!are_planes(x)", lieInPlanes},

    {"conv_of_groups", "!are_planes(x)", lieInPlanes},
    {"conv_of_groups", kNoDepthwise, [](Asked &asked) { setChannels(asked, "64"); }},
    {"conv_of_groups", kApart, [](Asked &asked) { setChannels(asked, "2"); }},
    {"conv_of_groups", kApart, [](Asked &asked) { setChannels(asked, "1"); }},

    {"conv_by_tiles_of_call", kWhole, haveGroups},
    {"conv_by_tiles_of_call", "!are_listed(x)", list},
    {"conv_by_tiles_of_call", "stride[0] == 1", stride},
    {"conv_by_tiles_of_call", "!are_planes(x)", lieInPlanes},

    {"conv_by_tiles_of_compiler", kWhole, haveGroups},
    {"conv_by_tiles_of_compiler", "!are_listed(x)", list},
    {"conv_by_tiles_of_compiler", "stride[0] == 1", stride},
    {"conv_by_tiles_of_compiler", "!are_planes(x)", lieInPlanes},
    {"conv_by_tiles_of_compiler", kBudget, haveNoBudget},
    {"conv_by_tiles_of_compiler", "constant(w)", compute},

    {"conv_of_joined_groups", "!exact()", beExact},
    {"conv_of_joined_groups", kJoinedTapsBudget, haveNoBudget},
    {"conv_by_tiles_of_joined_groups", kJoinedBudget, haveNoBudget},
    {"conv_by_tiles_of_joined_groups", "stride[0] == 1", stride},

    {"conv_by_tiles_of_phases", "groups == 1", [](Asked &asked) { setChannels(asked, "2"); }},
    {"conv_by_tiles_of_phases", "!are_listed(x)", list},
    {"conv_by_tiles_of_phases", "stride[0] > 1 || are_planes(x)",
     [](Asked &asked) {
       setSquares(asked, "stride", "1");
       setSquares(asked, "kernel", "3");
     }},
    {"conv_by_tiles_of_phases", kBudget, haveNoBudget},
    {"conv_by_tiles_of_phases", "constant(w)", compute},
};

constexpr llvm::StringLiteral
    kConstantBudget = "fits_budget(4 * volume(kernel) * (in_channels / groups) * out_channels)",
    kPlanesBudget = "!known(batch) || !known(input) || fits_budget(4 * kernel[0] * batch * "
                    "in_channels * volume(input))",
    kResidueGroups =
        "groups == 1 || (groups > 1 && in_channels == groups && out_channels == groups)",
    kResidueExtents =
        "known(input) || volume(stride) == 1 || (spatial_rank == 2 && fits(4 * volume(kernel) * "
        "(in_channels / groups) * out_channels))";

void haveOpenInput(Asked &asked) {
  asked.set("input", std::vector<std::string>(asked.members["input"].size(), "W"));
}
void haveOpenInputAndManyWeights(Asked &asked) {
  haveOpenInput(asked);
  setChannels(asked, "1", "512", "256");
}
void haveOpenVolume(Asked &asked) {
  asked = makeOperator(3);
  haveOpenInput(asked);
}
void haveManyResidues(Asked &asked) { setSquares(asked, "stride", "9"); }
void beOfRank2(Asked &asked) { asked = makeOperator(2); }
/// Planes beyond a budget that its weights keep within.
void haveLargeVolume(Asked &asked) {
  asked.set("input", {"1000", "1000", "1000"});
  asked.budget = 16 << 20;
}

const Case kOfOperators[] = {
    {"transposed_of_residues", "constant(w)", compute},
    {"transposed_of_residues", kConstantBudget, haveNoBudget},
    {"transposed_of_residues", "spatial_rank > 1", [](Asked &asked) { asked = makeOperator(1); }},
    {"transposed_of_residues", kResidueGroups, haveGroups},
    {"transposed_of_residues", "volume(stride) <= 64", haveManyResidues},
    {"transposed_of_residues", kResidueExtents, haveOpenInputAndManyWeights},
    {"transposed_of_residues", kResidueExtents, haveOpenVolume},

    {"volume_as_written", "spatial_rank == 3", beOfRank2},
    {"volume_of_planes", "constant(w)", compute},
    {"volume_of_planes", kConstantBudget,
     [](Asked &asked) {
       asked.budget = 4 * 4 * 64 * 28 * 28 * 28;
       setChannels(asked, "1", "64", "4096");
     }},
    {"volume_of_planes", "spatial_rank == 3", beOfRank2},
    {"volume_of_planes", "groups == 1", haveGroups},
    {"volume_of_planes", "volume(kernel) > 1",
     [](Asked &asked) {
       asked.set("kernel", {"1", "1", "1"});
     }},
    {"volume_of_planes", kPlanesBudget, haveLargeVolume},

    {"line_as_written", "spatial_rank == 1", beOfRank2},
    {"line_of_a_row", "constant(w)", compute},
    {"line_of_a_row", kConstantBudget, haveNoBudget},
    {"line_of_a_row", "spatial_rank == 1", beOfRank2},
    {"line_of_a_row", "groups == 1", haveGroups},
};

/// Guards of both variants of joined groups, which have so many choices in all.
void addJoined(std::vector<Case> &cases, llvm::StringLiteral variant, int choices) {
  auto haveOddNumber = [](Asked &asked) { setChannels(asked, "6", "48", "48"); };
  auto haveOddInputs = [](Asked &asked) { setChannels(asked, "8", "72"); };
  auto haveOddOutputs = [](Asked &asked) { setChannels(asked, "8", "64", "72"); };
  cases.insert(cases.end(), {{variant, kJoined, haveOddNumber, choices / 2},
                             {variant, kJoined, haveOddInputs},
                             {variant, kJoined, haveOddOutputs},
                             {variant, "!are_listed(x)", list},
                             {variant, "!are_planes(x)", lieInPlanes},
                             {variant, "constant(w)", compute}});
}

/// Guards of all variants by tiles: the taps of the problem that these take, and how many choices
/// they have for each size of a tile.
template <int Taps>
void addTiles(std::vector<Case> &cases, llvm::StringLiteral variant, int ofSize = 1) {
  cases.insert(cases.end(), {{variant, "!exact()", beExact},
                             {variant, "fast() || size <= 4", beStrict, ofSize},
                             {variant, "!bounded()", haveNoHeap},
                             {variant, "known(kernel)", haveOpenTaps<Taps>},
                             {variant, "kernel[0] == kernel[1]", haveOblongTaps},
                             {variant, "stride[0] == stride[1]", strideAlongRows},
                             {variant, "dilation[0] == 1", dilateRows},
                             {variant, "dilation[1] == 1", dilateColumns},
                             {variant, kTiles, haveOneTap},
                             {variant, kTiles, haveManyTaps}});
}

template <int Size> void be(Asked &asked, const char *member) {
  asked.set(member, {std::to_string(Size)});
}

const Case kOfAttention[] = {
    {"attention_in_one", "queries > 4", [](Asked &asked) { be<4>(asked, "queries"); }},
    {"attention_in_one", "!constant(k) && !constant(v)",
     [](Asked &asked) { asked.constants = {"k"}; }},
    {"attention_in_one", "!constant(k) && !constant(v)",
     [](Asked &asked) { asked.constants = {"v"}; }},

    {"attention_on_tensor_core", "!exact()", beExact},
    {"attention_on_tensor_core", kDepth, [](Asked &asked) { be<60>(asked, "depth"); }},
    {"attention_on_tensor_core", kDepth, [](Asked &asked) { be<136>(asked, "depth"); }},
    {"attention_on_tensor_core", kDepth, [](Asked &asked) { asked.set("depth", {"8 * D"}); }},
    {"attention_on_tensor_core", kSize, [](Asked &asked) { be<60>(asked, "size"); }},
    {"attention_on_tensor_core", kSize, [](Asked &asked) { be<136>(asked, "size"); }},
    {"attention_on_tensor_core", kSize, [](Asked &asked) { asked.set("size", {"8 * S"}); }},
    {"attention_on_tensor_core", "trans_k == 1 || multiple(keys, 8)",
     [](Asked &asked) {
       asked.set("trans_k", {"0"});
       asked.set("keys", {"K"});
     }},
    {"attention_on_tensor_core", kStrides, [](Asked &asked) { be<60>(asked, "q_stride"); }},
    {"attention_on_tensor_core", kStrides, [](Asked &asked) { be<60>(asked, "k_stride"); }},
    {"attention_on_tensor_core", kStrides, [](Asked &asked) { be<60>(asked, "v_stride"); }},
    {"attention_on_tensor_core", kBatchStrides,
     [](Asked &asked) { be<60>(asked, "q_batch_stride"); }},
    {"attention_on_tensor_core", kBatchStrides,
     [](Asked &asked) { be<60>(asked, "k_batch_stride"); }},
    {"attention_on_tensor_core", kBatchStrides,
     [](Asked &asked) { be<60>(asked, "v_batch_stride"); }},
    {"attention_on_tensor_core", "queries > 16 || keys <= 4096",
     [](Asked &asked) {
       be<16>(asked, "queries");
       be<4104>(asked, "keys");
     }},
};

std::vector<Case> getCases() {
  std::vector<Case> cases(std::begin(kOfConvolutions), std::end(kOfConvolutions));
  addTiles<3>(cases, "conv_by_tiles_of_call");
  addTiles<3>(cases, "conv_by_tiles_of_compiler");
  addTiles<5>(cases, "conv_by_tiles_of_phases");
  addTiles<3>(cases, "conv_by_tiles_of_joined_groups", 2);
  addJoined(cases, "conv_by_tiles_of_joined_groups", 4);
  addJoined(cases, "conv_of_joined_groups", 2);
  cases.push_back({"conv_by_tiles_of_call", kTiles, haveTapsOfLargeTiles, 1});
  cases.insert(cases.end(), std::begin(kOfAttention), std::end(kOfAttention));
  cases.insert(cases.end(), std::begin(kOfOperators), std::end(kOfOperators));
  return cases;
}

//===----------------------------------------------------------------------===//
// The check
//===----------------------------------------------------------------------===//

class Checker {
public:
  Checker() : context(MLIRContext::Threading::DISABLED) { context.loadDialect<CoreDialect>(); }

  /// Guards without a case, and cases that no guard decides.
  std::vector<std::string> check(llvm::ArrayRef<Variant> table);

private:
  /// How many choices of a variant are allowed.
  int count(const Variant &variant, const Asked &asked);
  ModuleOp getModule(const Variant &variant, const Asked &asked);
  ExtentAttr parse(llvm::StringRef element);

  MLIRContext context;
  ExtentFacts facts;
  std::map<std::string, OwningOpRef<ModuleOp>> modules;
};

ModuleOp Checker::getModule(const Variant &variant, const Asked &asked) {
  std::string target = variant.sets.front().str();
  OwningOpRef<ModuleOp> &module =
      modules[target + asked.precision + (asked.isBounded ? "bounded" : "")];
  if (!module) {
    module = parseSourceString<ModuleOp>("module {}", &context);
    PassManager passes(&context);
    passes.addPass(createSetTargetPass({target, asked.precision, asked.isBounded, {}}));
    REQUIRE(succeeded(passes.run(*module)));
  }
  return *module;
}

ExtentAttr Checker::parse(llvm::StringRef element) {
  auto [factor, symbol] = element.split(" * ");
  int64_t number = 0;
  if (factor.getAsInteger(10, number))
    return ExtentAttr::symbol(&context, factor);
  return symbol.empty() ? ExtentAttr::constant(&context, number)
                        : ExtentAttr::symbol(&context, symbol) * number;
}

int Checker::count(const Variant &variant, const Asked &asked) {
  facts = ExtentFacts();
  for (llvm::StringRef symbol : {"D", "K", "S", "W"})
    facts.setLikely(symbol, asked.likely);
  Problem problem(getModule(variant, asked), facts);
  for (const auto &[member, elements] : asked.members) {
    llvm::SmallVector<ExtentAttr> extents;
    for (const std::string &element : elements)
      extents.push_back(parse(element));
    problem.set(member, extents);
  }
  for (const std::string &operand : asked.constants)
    problem.setConstant(operand, true);
  problem.setPlanes("x", asked.arePlanes).setListed("x", asked.areListed).setBudget(asked.budget);
  int allowed = 0;
  forEachChoice(variant, [&](const ChosenNumbers &choices) {
    allowed += llvm::all_of(
        variant.guards, [&](const VariantGuard &guard) { return guard.holds(problem, choices); });
  });
  return allowed;
}

std::vector<std::string> Checker::check(llvm::ArrayRef<Variant> table) {
  std::vector<std::string> complaints;
  std::vector<Case> cases = getCases();
  for (const Variant &variant : table) {
    Asked taken = makeTaken(variant);
    int all = 0;
    forEachChoice(variant, [&](const ChosenNumbers &) { ++all; });
    if (count(variant, taken) != all)
      complaints.push_back(variant.name.str() + " is not taken where it is to be");
    for (const VariantGuard &guard : variant.guards)
      if (llvm::none_of(cases, [&](const Case &row) {
            return row.variant == variant.name && row.guard == guard.text;
          }))
        complaints.push_back(variant.name.str() + " has no case of " + guard.text.str());
    for (const Case &row : cases) {
      if (row.variant != variant.name)
        continue;
      Asked changed = taken;
      row.change(changed);
      if (count(variant, changed) != row.left)
        complaints.push_back(variant.name.str() + " is not refused for " + row.guard.str());
    }
  }
  return complaints;
}

} // namespace

TEST_CASE("each guard refuses what its variant would take") {
  std::vector<std::string> complaints = Checker().check(getVariants());
  CHECK(complaints == std::vector<std::string>());
}

TEST_CASE("a guard that is taken out of the table is missed") {
  Checker checker;
  size_t count = 0;
  for (const Variant &variant : getVariants())
    for (size_t number = 0; number < variant.guards.size(); ++number, ++count) {
      std::vector<VariantGuard> others;
      for (size_t other = 0; other < variant.guards.size(); ++other)
        if (other != number)
          others.push_back(variant.guards[other]);
      Variant planted = variant;
      planted.guards = others;
      CAPTURE(variant.name.str(), variant.guards[number].text.str());
      std::string missed =
          variant.name.str() + " is not refused for " + variant.guards[number].text.str();
      CHECK(llvm::is_contained(checker.check(planted), missed));
    }
  CHECK(count > 0);
}
