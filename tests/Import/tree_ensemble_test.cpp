// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The older operators of forests as tables and other operators.

#include "model.h"

using namespace cameo;
using namespace cameo::importer;

namespace {

using T = pb::TensorProto;

void setFloats(pb::NodeProto &node, const std::string &name, const std::vector<float> &values) {
  *addAttribute(node, name, pb::AttributeProto::FLOATS).mutable_floats() = {values.begin(),
                                                                            values.end()};
}
void setStrings(pb::NodeProto &node, const std::string &name, const Names &values) {
  *addAttribute(node, name, pb::AttributeProto::STRINGS).mutable_strings() = {values.begin(),
                                                                              values.end()};
}

/// Tree 4: node 7 splits feature 1 at 0.5, to leaf 9 where it is at most that, else to leaf 8. Its
/// row stands between those of the leaves, which have the `targets` at nodes `leaves`.
struct ForestModel : ModelMaker {
  ForestModel(const std::string &op, const std::string &leaf, const Dims &leaves,
              const Dims &targets, int32_t element = T::FLOAT) {
    pb::OperatorSetIdProto &ml = *proto.add_opset_import();
    ml.set_domain("ai.onnx.ml");
    ml.set_version(3);
    bool isClassifier = leaf == "class";
    input("x", element, {"N", 3}).output("y");
    if (isClassifier)
      output("z");
    pb::NodeProto &node =
        GraphMaker::node(op, {"x"}, isClassifier ? Names{"y", "z"} : Names{"y"}, "forest");
    node.set_domain("ai.onnx.ml");
    setInts(node, "nodes_treeids", {4, 4, 4});
    setInts(node, "nodes_nodeids", {9, 7, 8});
    setInts(node, "nodes_featureids", {0, 1, 0});
    setFloats(node, "nodes_values", {0, 0.5, 0});
    setStrings(node, "nodes_modes", {"LEAF", "BRANCH_LEQ", "LEAF"});
    setInts(node, "nodes_truenodeids", {0, 9, 0});
    setInts(node, "nodes_falsenodeids", {0, 8, 0});
    setInts(node, leaf + "_treeids", Dims(leaves.size(), 4));
    setInts(node, leaf + "_nodeids", leaves);
    setInts(node, leaf + "_ids", targets);
    setFloats(node, leaf + "_weights", std::vector<float>(leaves.size(), 0.25));
  }
  pb::NodeProto &forest() { return *graph.mutable_node(0); }
};

} // namespace

TEST_CASE_METHOD(ImportFixture, "a regressor whose nodes have ids", "[upgrade]") {
  ForestModel model("TreeEnsembleRegressor", "target", {8, 9}, {0, 1});
  setInt(model.forest(), "n_targets", 2);
  std::string text = accept(model);
  CHECK_THAT(text, holds("\"onnx.ml.TreeEnsemble\"(%arg0)"));
  CHECK_THAT(text, holds("leaf_targetids = array<i64: 1, 0>"));
  CHECK_THAT(text, holds("nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, "
                         "nodes_featureids = array<i64: 1>"));
  CHECK_THAT(text, holds("nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, "
                         "tree_roots = array<i64: 0>"));
  CHECK_THAT(text, !holds("leaf_ends") && !holds("onnx.Add"));
}

TEST_CASE_METHOD(ImportFixture, "leaves of several weights, base values and an average",
                 "[upgrade]") {
  ForestModel model("TreeEnsembleRegressor", "target", {8, 8, 7}, {1, 0, 0});
  setInt(model.forest(), "n_targets", 2);
  setFloats(model.forest(), "base_values", {1, 2});
  setString(model.forest(), "aggregate_function", "AVERAGE");
  std::string text = accept(model);
  CHECK_THAT(text, holds("aggregate_function = 0 : i64, leaf_ends = array<i64: 0, 2>, "
                         "leaf_targetids = array<i64: 1, 0>"));
  CHECK_THAT(text, holds("\"onnx.Add\""));
}

TEST_CASE_METHOD(ImportFixture, "features that are integers or doubles", "[upgrade]") {
  auto [element, computed, casts] =
      GENERATE(table<int32_t, std::string, bool>({{T::INT64, "[N, 3], f32>) -> ", true},
                                                  {T::DOUBLE, "[N, 3], f64>) -> ", true},
                                                  {T::FLOAT, "[N, 3], f32>) -> ", false}}));
  ForestModel model("TreeEnsembleRegressor", "target", {8, 9}, {0, 0}, element);
  setInt(model.forest(), "n_targets", 1);
  std::string text = accept(model);
  CHECK_THAT(text, holds(computed));
  CHECK_THAT(text, holds("return %") && holds(": !cameo.tensor<[N, 1], f32>"));
  CHECK((text.find("onnx.Cast") != std::string::npos) == casts);
}

TEST_CASE_METHOD(ImportFixture, "two classes of which one has weights", "[upgrade]") {
  ForestModel model("TreeEnsembleClassifier", "class", {8, 9}, {0, 0});
  setStrings(model.forest(), "classlabels_strings", {"no", "yes"});
  SECTION("sums of positive ones are held against a half") {
    std::string text = accept(model);
    CHECK_THAT(text, holds("dense<5.000000e-01>") && holds("\"onnx.Greater\""));
    CHECK_THAT(text,
               holds("\"onnx.ml.LabelEncoder\"") && holds("values_strings = [\"no\", \"yes\"]"));
    CHECK_THAT(text, holds("\"onnx.Sub\"") && holds("\"onnx.Concat\""));
  }
  SECTION("logistic") {
    setString(model.forest(), "post_transform", "LOGISTIC");
    CHECK_THAT(accept(model), holds("\"onnx.Neg\"") && holds("\"onnx.Sigmoid\""));
  }
}

TEST_CASE_METHOD(ImportFixture, "several classes", "[upgrade]") {
  ForestModel model("TreeEnsembleClassifier", "class", {8, 9}, {2, 0});
  setInts(model.forest(), "classlabels_int64s", {0, 1, 2});
  setString(model.forest(), "post_transform", "SOFTMAX");
  std::string text = accept(model);
  CHECK_THAT(text, holds("\"onnx.ArgMax\"") && holds("\"onnx.Softmax\"") && !holds("LabelEncoder"));
}
