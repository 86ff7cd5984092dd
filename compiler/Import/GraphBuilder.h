// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the module of a checked model: `func.func @main`, graph attributes as regions, functions
// inlined where they are called. Nested graphs and calls are frames of one explicit stack, so that
// no model is too deep for the thread's stack.

#ifndef CAMEO_IMPORT_GRAPHBUILDER_H
#define CAMEO_IMPORT_GRAPHBUILDER_H

#include "Import/ConvertTypes.h"
#include "Import/CountedDims.h"
#include "Import/ImportOptions.h"
#include "Import/Model.h"
#include "Import/OperationBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

namespace cameo::importer {

struct Frame;

/// State that the builds of a model share: there are several where ranks of inputs are looked for.
struct SharedBuilds {
  /// By name: the ranks of inputs whose shapes the model does not say.
  std::map<std::string, int64_t> ranks;
  std::vector<CountedAxis> counted;
  /// Whether the model is built once more, so that no tensor of it is given away.
  bool isTrial = false;
  /// Tensors that are built more than once, and taken from the model once: those of trials, and
  /// those of function bodies, which are built for each call.
  llvm::DenseMap<const void *, mlir::ElementsAttr> tensors;
};

class GraphBuilder {
public:
  GraphBuilder(Model &model, const ImportOptions &options, TensorLoader &tensors,
               SharedBuilds &builds, mlir::MLIRContext *context, Reporter &reporter);
  ~GraphBuilder();

  llvm::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>> build();

private:
  /// Why a branch cannot be taken, and the operator that says so.
  struct LeftBranch {
    Diagnostic said;
    mlir::Location location;
  };

  // Bodies: GraphBuilder.cpp.
  llvm::LogicalResult openMain();
  llvm::LogicalResult openRegion(Frame &outer, const pb::NodeProto &node, mlir::Operation *op,
                                 unsigned region, pb::GraphProto &graph);
  llvm::LogicalResult openCall(Frame &outer, pb::NodeProto &node, const Function &function);
  llvm::LogicalResult close(Frame &frame);
  llvm::LogicalResult closeMain(Frame &frame);
  llvm::LogicalResult closeRegion(Frame &frame);
  llvm::LogicalResult closeCall(Frame &frame);
  /// Behind the last graph of a node that is expanded: puts what it stands for in its place.
  llvm::LogicalResult expandRegions(Frame &frame);
  /// Behind a failure in `place`, or what it is in: where an operator of a branch contradicts what
  /// it reads, the branch is left. A run that would take it ends there, and no other one is wrong.
  llvm::LogicalResult leaveBranch(Frame *place);
  /// Puts the other branch in the place of an If of whose branches, both of which are done, one is
  /// left, and in front of it a demand on the condition. Where both are left, or the left one is
  /// known to be taken, it is what the If is in that cannot be run.
  llvm::LogicalResult takeOther(Frame &frame, const LeftBranch &left);
  llvm::LogicalResult bind(Frame &frame, const pb::NodeProto &node, mlir::ValueRange values);
  /// The value with this name at this point; null for an optional input that a call leaves out.
  mlir::Value lookup(const Frame &frame, llvm::StringRef name) const;

  // Inputs, initializers and what is declared: GraphInterface.cpp.
  /// Whether initializers that are inputs too keep their values.
  bool freezesInitializers(const pb::GraphProto &graph);
  llvm::LogicalResult addInputs(Frame &frame, pb::GraphProto &graph);
  /// Has what reads inputs read what of them there is.
  llvm::LogicalResult cutCounted(Frame &frame);
  llvm::LogicalResult addInitializers(Frame &frame, pb::GraphProto &graph);
  void declareTypes(Frame &frame, const pb::GraphProto &graph);
  void describeModel();
  llvm::LogicalResult setFunctionType(const pb::GraphProto &graph, mlir::ValueRange results);

  // Sequences of maps: OutputMaps.cpp.
  /// Fails where `said` is another type than what the ZipMap makes.
  llvm::LogicalResult checkDeclaredMaps(mlir::Operation *maps, const pb::TypeProto &said,
                                        const Where &where);
  llvm::LogicalResult refuseMapOperands(llvm::ArrayRef<mlir::Value> operands, const Where &where);
  /// Warns of an output of the model that is maps, or refuses it.
  llvm::LogicalResult announceMaps(mlir::Value output, const Where &where);
  /// The keys of an output of maps: integers or strings; null for any other value.
  mlir::Attribute getKeys(mlir::Value output);

  // Nodes: NodeBuilder.cpp.
  llvm::LogicalResult buildNode(Frame &frame, pb::NodeProto &proto, int number);
  llvm::LogicalResult convertAttributes(Frame &frame, pb::NodeProto &proto, Node &node);
  llvm::FailureOr<mlir::Attribute> convertAttribute(Frame &frame, pb::AttributeProto &attribute,
                                                    const Where &where);
  llvm::FailureOr<mlir::ElementsAttr> convertTensor(Frame &frame, pb::TensorProto *dense,
                                                    pb::SparseTensorProto *sparse,
                                                    const Where &where);
  mlir::Location getLocation(const Frame &frame, llvm::StringRef opType, llvm::StringRef name,
                             llvm::ArrayRef<llvm::StringRef> outputs);

  // Bodies of loops: LoopBodies.cpp.
  llvm::LogicalResult addBodyArguments(Frame &frame, const pb::GraphProto &graph);
  llvm::LogicalResult settleBodies(mlir::Operation *op, const Where &where);
  llvm::LogicalResult reinfer(mlir::Block &body, const Where &where);

  Model &model;
  const ImportOptions &options;
  TensorLoader &tensors;
  SharedBuilds &builds;
  Reporter &reporter;
  TypeConverter types;
  OperationBuilder operations;
  mlir::OpBuilder &builder;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp main;
  std::vector<std::unique_ptr<Frame>> frames;
  /// By If: its first branch, where that is left and the other one not built yet.
  llvm::DenseMap<mlir::Operation *, LeftBranch> leftBranches;
  int64_t numReinferred = 0;
};

} // namespace cameo::importer

#endif // CAMEO_IMPORT_GRAPHBUILDER_H
