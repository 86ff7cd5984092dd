// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stages and what a failure of each means. Passes run one by one, but for those that go by one
// analysis, so that a failure is known to be a pass' (the model's fault, or a case that Cameo does
// not cover) or the verifier's behind it (our bug).

#include "Pipeline/Pipeline.h"

#include "Conversion/OnnxToProg/Passes.h"
#include "Dialect/Core/IR/ElementBytes.h"
#include "Dialect/ONNX/Analysis/ValueNames.h"
#include "Dialect/ONNX/IR/OnnxDialect.h"
#include "Dialect/ONNX/Transforms/Passes.h"
#include "Dialect/Prog/IR/ProgDialect.h"
#include "Emit/CppNames.h"
#include "Emit/Emit.h"
#include "Finish/Passes.h"
#include "Fusion/Passes.h"
#include "Import/Import.h"
#include "Kernels/Explained.h"
#include "Pipeline/DiagnosticCollector.h"
#include "Pipeline/PartsList.h"
#include "Pipeline/Register.h"
#include "Placement/Passes.h"
#include "Plan/Passes.h"
#include "Prepare/Passes.h"
#include "Select/Passes.h"
#include "Shape/Passes.h"
#include "Support/NearNames.h"
#include "Support/NodeLocation.h"
#include "Support/SignalStack.h"
#include "Target/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/thread.h"

#include <set>

using namespace mlir;
using namespace cameo;

namespace {

constexpr StringLiteral kStageNames[] = {"import", "shape",  "simplify", "place",   "structure",
                                         "fuse",   "select", "plan",     "prepare", "finish"};

/// Printing, parsing and verifying recurse over regions, whose depth the importer limits; locations
/// and types nest a little deeper. Taken from the system only as far as it is used, and whatever
/// `ulimit -s` says.
constexpr unsigned kStackBytes = 64u << 20;

class Pipeline {
public:
  Pipeline(StringRef path, const Options &options, StageObserver observer, PipelineResult &result)
      : file(path == "-" ? "<stdin>" : path), path(path), options(options), observer(observer),
        result(result), context(makeRegistry(), MLIRContext::Threading::DISABLED),
        diagnostics(&context) {
    context.loadAllAvailableDialects();
    // With each error MLIR would print the function that the op is in.
    context.printOpOnDiagnostic(false);
  }

  void run();

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  bool import();
  bool checkDims();
  bool checkSizes();
  bool apply(std::unique_ptr<Pass> pass, ExitClass onFailure) {
    return apply(onFailure, std::move(pass));
  }
  /// Passes that go by the same analyses, which are made anew where one has changed something.
  template <class... Passes> bool apply(ExitClass onFailure, Passes... passes) {
    PassManager manager(&context, PassManager::getAnyOpAnchorName(),
                        PassManager::Nesting::Implicit);
    (manager.addPass(std::move(passes)), ...);
    return run(manager, onFailure);
  }
  bool run(PassManager &passes, ExitClass onFailure);
  bool tidy();
  bool isValid();
  void compile();
  void findLacking();
  bool finish(Stage stage);
  bool fail(ExitClass exitClass);
  void emit();

  std::string file, path, fileHash;
  const Options &options;
  StageObserver observer;
  PipelineResult &result;
  MLIRContext context;
  DiagnosticCollector diagnostics;
  OwningOpRef<ModuleOp> module;
  Provenance provenance;
  PlacementPlan plan;
  /// The names of values that are made on the host, since the device has no kernel for it.
  std::set<std::string> onHost;
};

void Pipeline::run() {
  // Bytes to operators, everything in the file checked before the first of them is built.
  if (!import() || !finish(Stage::Import))
    return;
  plan = getSteering(options, *module, result.warnings);
  provenance = Provenance(*module);

  // Operators without a device kernel are pinned to the host and compilation starts again, until no
  // new ones turn up.
  OwningOpRef<ModuleOp> imported;
  if (options.fallsBackToHost)
    imported = module->clone();
  size_t before = 0;
  compile();
  while (imported && onHost.size() > before) {
    before = onHost.size();
    module = imported->clone();
    diagnostics.clear();
    result.diagnostic.reset();
    result.unsupported.clear();
    compile();
  }
}

/// The whole pipeline behind Import.
void Pipeline::compile() {
  // The module says what every later stage asks of machines and of how exact results are to be.
  bool isBounded = options.emit.heap == EmitOptions::Heap::None;
  SetTargetPassOptions target;
  target.name = options.emit.target->name.str();
  target.precision = core::stringifyPrecision(options.precision).str();
  target.bounded = isBounded;
  if (!apply(createSetTargetPass(target), ExitClass::Internal))
    return;
  if (options.explainKernels)
    explainChoices(*module);
  keepVariants(*module, plan.variants);

  // First of all, since every later stage reads extents: shapes, and with them the chains of Shape,
  // Gather and Concat, become expressions of symbols. A contradiction between operators and shapes
  // shows up here. Scans become loops before that, and what else takes one, so that one kind of
  // loop has to be understood, and sequences become the tensors that they are made of; lists that
  // loops fill are stacked then, as far as the loop's count has a bound. One value for equal ones,
  // since what is found twice by one mask would be counted twice.
  if (!apply(createExpandScanPass(), ExitClass::Unsupported) ||
      !apply(createCoupleProbabilitiesPass(), ExitClass::Unsupported) ||
      !apply(createExpandSequencesPass(), ExitClass::Internal) ||
      !apply(createBoundLoopsPass(), ExitClass::Internal) ||
      !apply(createCSEPass(), ExitClass::Internal))
    return;
  InferShapesPassOptions shape;
  shape.maxBranchGrowth = options.maxBranchGrowth;
  shape.algebra = options.algebra;
  shape.dims.assign(options.dims.begin(), options.dims.end());
  shape.asserts.assign(plan.asserts.begin(), plan.asserts.end());
  shape.values.assign(plan.values.begin(), plan.values.end());
  PinSidesPassOptions pinned;
  std::vector<std::string> pins = plan.getPins();
  pinned.pins.assign(pins.begin(), pins.end());
  pinned.onHost.assign(onHost.begin(), onHost.end());
  // Shape asks already where values will be.
  if (!checkDims() || !apply(createPinSidesPass(pinned), ExitClass::Usage) ||
      !apply(createInferShapesPass(shape), ExitClass::Malformed) || !checkSizes() ||
      !finish(Stage::Shape))
    return;

  // With shapes known, so that what is built is typed and constants are at hand; before sides,
  // since what folds away need not live anywhere. One value for equal ones first: idioms are found
  // by what is the same value. Afterwards nothing that nobody reads may stay: it would be placed,
  // and copied.
  if (!apply(createCSEPass(), ExitClass::Internal))
    return;
  // In front of Simplify, which takes quantisation apart.
  if (!apply(createRecognizeQuantisedPass(), ExitClass::Unsupported))
    return;
  SimplifyPassOptions simplify;
  // A module that is kept to begin again with has the same constants.
  simplify.freesConstants = !options.fallsBackToHost;
  if (!apply(createSimplifyPass(simplify), ExitClass::Unsupported) ||
      !apply(createCSEPass(), ExitClass::Internal) || !finish(Stage::Simplify))
    return;

  // Sides before structure: an operator knows which of its operands the host reads, a kernel does
  // not. Loops behind branches, which may be chosen in their bodies.
  if (!apply(ExitClass::Unsupported, createSelectBranchesPass(), createRepeatLoopsPass(),
             createPlacePass({options.explainPlacement})) ||
      !apply(createVerifySidesPass(), ExitClass::Internal) || !finish(Stage::Place))
    return;
  // Whoever asks for reasons has read them.
  if (options.explainPlacement && !apply(createDropSideReasonsPass(), ExitClass::Internal))
    return;

  // On the sides, since an input is unpacked where it is read. Then operators to kernels, calls of
  // templates, views and host scalars; what has no lowering is reported here, all of it at once.
  if (!apply(createPackPortsPass(), ExitClass::Internal))
    return;
  if (!apply(createOnnxToProgPass(), ExitClass::Unsupported))
    return findLacking();
  // Patterns work one operator at a time: what two of them made of one constant or extent is made
  // one again.
  if (!tidy() || !finish(Stage::Structure))
    return;

  // Behind Structure, which knows one operator at a time, and in front of Plan: what is fused needs
  // no buffer. Bodies of several operators have constants and subexpressions in common.
  if (!apply(createFusePass(), ExitClass::Internal) || !tidy() || !finish(Stage::Fuse))
    return;

  // Behind Fuse, which knows logical indices, and what a call does with its results; in front of
  // Plan, since layouts and variants say what memory there is.
  SelectPassOptions select;
  select.weightsBudget = options.weightsBudget;
  // A plan may keep variants that cannot be.
  if (!apply(createSelectPass(select),
             plan.variants.empty() ? ExitClass::Internal : ExitClass::CheckFailed) ||
      !tidy() || !finish(Stage::Select))
    return;

  // Behind Fuse, which reads transposed matrices where they lie; in front of counts, since what
  // lies in a room names less of them. Then, behind Fuse too, since what a count is computed from
  // is fused into the kernel that clamps it; in front of buffers, whose sizes follow from what the
  // host will know. Copies are shared last: each condition is the device's by itself, or the
  // host's.
  if (!apply(createGrowInPlacePass(), ExitClass::Internal) ||
      !apply(createSettleCountsPass(), ExitClass::Internal) ||
      !apply(createRepeatOnDevicePass(), ExitClass::Internal) ||
      !apply(createCarryCountsPass(), ExitClass::Internal) ||
      !apply(createChooseOnDevicePass(), ExitClass::Internal) ||
      !apply(createPackFetchesPass(), ExitClass::Internal))
    return;

  // Weights are laid out while constants are still single values; buffers last, since every op that
  // is added or moved changes the steps that their intervals count in.
  if (!apply(createPlanWeightsPass(), ExitClass::Internal) ||
      !apply(createPlanBuffersPass(), ExitClass::Unsupported) ||
      !apply(createLeaveToFinishPass(), ExitClass::Internal) ||
      !apply(createVerifyPlanPass(), ExitClass::Internal) || !finish(Stage::Plan))
    return;
  if (options.explainKernels)
    forgetChoices(*module);

  // The program statement by statement. Without a heap every size must have a bound: told by the
  // plan, whose values are still whole.
  if ((isBounded && !apply(createCheckBoundsPass(), ExitClass::Unsupported)) ||
      !apply(createPreparePass({options.stridesOutputs}), ExitClass::Unsupported) ||
      !apply(createVerifyHostPass(), ExitClass::Internal) || !finish(Stage::Prepare))
    return;

  // Kernels as functions, behind all that moves launches and in front of Emit, which decides
  // nothing and changes nothing.
  for (std::unique_ptr<Pass> &pass : createFinishPasses())
    if (!apply(std::move(pass), ExitClass::Unsupported))
      return;
  if (!finish(Stage::Finish))
    return;

  emit();
}

bool Pipeline::import() {
  ImportOptions import = options.import;
  import.hashesFile = options.listsParts;
  ImportResult imported = importModel(path, import, context);
  fileHash = std::move(imported.fileHash);
  module = std::move(imported.module);
  result.diagnostic = std::move(imported.diagnostic);
  result.unsupported = std::move(imported.unsupported);
  result.declarations = std::move(imported.declarations);
  result.warnings = std::move(imported.warnings);
  if (!module && !result.diagnostic)
    return fail(ExitClass::Internal);
  return static_cast<bool>(module);
}

/// A name that no input has is a mistyped one.
bool Pipeline::checkDims() {
  llvm::SetVector<StringRef> symbols;
  for (auto function : module->getOps<func::FuncOp>())
    for (Type type : function.getArgumentTypes())
      if (auto tensor = dyn_cast<core::SymTensorType>(type))
        for (core::ExtentAttr extent : tensor.getExtents())
          extent.collectSymbols(symbols);
  for (StringRef dim : options.dims) {
    StringRef name = dim.split('=').first;
    if (symbols.contains(name))
      continue;
    std::string known;
    for (StringRef symbol : symbols)
      known += (known.empty() ? "" : ", ") + escapeText(symbol);
    result.diagnostic = cameo::Diagnostic{
        ExitClass::Usage, file, "", "has no dim " + quoteText(name) + " (--dim)",
        suggestNear(name, symbols.getArrayRef(),
                    known.empty() ? "all dims of its inputs are fixed" : "its dims are " + known)};
    return false;
  }
  return true;
}

/// A model of a hundred bytes can ask for 2^60: what no machine has is refused here, not at run
/// time.
bool Pipeline::checkSizes() {
  WalkResult walked = module->walk([&](Operation *op) {
    for (Value value : op->getResults()) {
      auto tensor = dyn_cast<core::SymTensorType>(value.getType());
      if (!tensor || !tensor.hasRank() || !tensor.getElementType().isIntOrFloat() ||
          !llvm::all_of(tensor.getExtents(), [](auto extent) { return extent.isConstant(); }))
        continue;
      std::optional<int64_t> count = tensor.getNumElements().getConstant();
      if (!count)
        continue;
      if (*count <= options.import.maxTensorBytes / core::getElementBytes(tensor.getElementType()))
        continue;
      op->emitError() << "makes a tensor of " << *count << " elements (limit "
                      << options.import.maxTensorBytes << " bytes)";
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (!walked.wasInterrupted())
    return true;
  fail(ExitClass::Limit);
  result.diagnostic->hint = "raise it with --max-tensor-bytes";
  return false;
}

bool Pipeline::fail(ExitClass exitClass) {
  if (exitClass == ExitClass::Malformed || exitClass == ExitClass::Unsupported)
    exitClass = diagnostics.classify(exitClass);
  result.diagnostic = diagnostics.merge(exitClass, file, module ? *module : ModuleOp());
  if (exitClass == ExitClass::Unsupported)
    for (const DiagnosticCollector::Entry &entry : diagnostics.getEntries())
      result.unsupported.push_back({entry.node, "", entry.problem, 0, RemedyKind::Unknown, ""});
  return false;
}

bool Pipeline::run(PassManager &passes, ExitClass onFailure) {
  // The verifier's findings would pass for a pass's own failure.
  passes.enableVerifier(false);
  if (failed(passes.run(*module)))
    return fail(onFailure);
  if (!options.verifyPasses || isValid())
    return true;
  auto names = llvm::map_range(passes.getPasses(), [](Pass &pass) { return pass.getName().str(); });
  result.diagnostic->problem += " (behind the pass " + llvm::join(names, " or ") + ")";
  return false;
}

bool Pipeline::tidy() {
  // No region of ours has a second block, to be merged or found unreachable.
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  return apply(createCanonicalizerPass(config), ExitClass::Internal) &&
         apply(createCSEPass(), ExitClass::Internal);
}

/// The values of the device's operators that Structure has left as they were.
void Pipeline::findLacking() {
  module->walk([&](onnx::OnnxOp op) {
    if (isa<onnx::ConstantOp, onnx::YieldOp>(op.getOperation()))
      return;
    for (Value value : op->getResults())
      if (auto type = dyn_cast<core::SymTensorType>(value.getType()); type && type.isDevice())
        if (StringRef name = getOnnxName(value); !name.empty())
          onHost.insert(name.str());
  });
}

/// MLIR's verifier finds faults of ours only: a diagnostic has named the model's before.
bool Pipeline::isValid() { return succeeded(verify(*module)) || fail(ExitClass::Internal); }

/// Ends a stage. Modules that were read from a file or will be printed are held against the ops'
/// verifiers in every build. From Shape on, every extent is an expression of symbols that ops
/// define, until Prepare makes values of them.
bool Pipeline::finish(Stage stage) {
  bool isEnd = stage == Stage::Import || stage >= Stage::Prepare;
  return (isEnd ? isValid() : apply(createVerifySymbolsPass(), ExitClass::Internal)) &&
         observer(stage, *module);
}

void Pipeline::emit() {
  EmitOptions emit = options.emit;
  if (emit.name.empty())
    emit.name = makeLibraryName(path);
  FailureOr<EmittedFiles> files = emitProgram(*module, emit, provenance);
  if (failed(files))
    fail(ExitClass::Unsupported);
  else
    result.files = std::move(*files);
  if (options.listsParts && succeeded(files)) {
    StringRef model = path == "-" ? StringRef("<stdin>") : llvm::sys::path::filename(path);
    result.files[emit.name + ".cdx.json"] = makePartsList(result.files, emit, model, fileHash);
  }
}

} // namespace

StringRef cameo::getStageName(Stage stage) { return kStageNames[static_cast<unsigned>(stage)]; }

std::optional<Stage> cameo::parseStage(StringRef name) {
  for (auto [number, stage] : llvm::enumerate(kStageNames))
    if (stage == name)
      return static_cast<Stage>(number);
  return std::nullopt;
}

PipelineResult cameo::compileModel(StringRef path, const Options &options, StageObserver observer) {
  PipelineResult result;
  auto pipeline = std::make_unique<Pipeline>(path, options, observer, result);
  llvm::thread worker(std::optional<unsigned>(kStackBytes), [&] {
    SignalStack signals;
    pipeline->run();
    if (options.freesMemory)
      pipeline.reset();
  });
  worker.join();
  if (pipeline)
    llvm::BuryPointer(std::move(pipeline));
  return result;
}

PlacementPlan cameo::getSteering(const Options &options, ModuleOp imported,
                                 std::vector<std::string> &warnings) {
  PlacementPlan plan = options.plan;
  plan.keepWhatFits(imported, warnings);
  // A count of the device comes from there.
  auto main = imported.lookupSymbol<func::FuncOp>("main");
  for (unsigned number = 0; options.emit.target->device && number < main.getNumArguments();
       ++number)
    if (main.getArgAttr(number, "onnx.counts"))
      plan.sides.emplace_back(main.getArgAttrOfType<StringAttr>(number, "onnx.name").str(),
                              core::Side::Device);
  llvm::append_range(plan.asserts, options.asserts);
  llvm::append_range(plan.values, options.values);
  llvm::append_range(plan.pins, options.pins);
  return plan;
}

std::string cameo::makeLibraryName(StringRef path) {
  std::string name = path == "-" ? "model" : cleanName(llvm::sys::path::stem(path), "model");
  return isLibraryName(name) ? name : "model";
}
