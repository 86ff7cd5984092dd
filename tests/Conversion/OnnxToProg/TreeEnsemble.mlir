// RUN: cameo-opt %s --cameo-onnx-to-prog --split-input-file | FileCheck %s

// A node, and its two children side by side, of which the second is where it holds; leaves are their own.
// CHECK-LABEL: @at_most
// CHECK-DAG: %[[ROOTS:.*]] = prog.weight dense<0> : tensor<1xi32>
// CHECK-DAG: %[[DEPTHS:.*]] = prog.weight dense<1> : tensor<1xi32>
// CHECK-DAG: %[[SPLITS:.*]] = prog.weight dense<[5.000000e-01, 0x7FC00000, 0x7FC00000]>
// CHECK-DAG: %[[FEATURES:.*]] = prog.weight dense<[2, 0, 0]>
// CHECK-DAG: %[[CHILDREN:.*]] = prog.weight dense<[1, 1, 2]>
// CHECK-DAG: %[[WEIGHTS:.*]] = prog.weight dense<[0.000000e+00, 2.000000e+00, 1.000000e+00]>
// CHECK-DAG: %[[TARGETS:.*]] = prog.weight dense<[0, 1, 0]>
// CHECK: prog.call "tree_ensemble" ["tree_aggregate::sum", "tree_rule::at_most"]
func.func @at_most(%x: !cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N, 2], f32, host> {
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N, 2], f32, host>
  func.return %0 : !cameo.tensor<[N, 2], f32, host>
}

// -----

// Less than a number is at most the one before it; greater than it is not at most it, with branches that change places,
// and NaN goes the other way.
// CHECK-LABEL: @strict
// CHECK-DAG: prog.weight dense<[0.99999994, 5.000000e-01, 0x7FC00000, 0x7FC00000, 0x7FC00000]>
// CHECK-DAG: prog.weight dense<[8, 5, 0, 0, 0]>
// CHECK: prog.call "tree_ensemble" {{.*}}tree_rule::missing
func.func @strict(%x: !cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N, 2], f32, host> {
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 0, 1>, nodes_falsenodeids = array<i64: 1, 1>, nodes_featureids = array<i64: 2, 1>, nodes_modes = dense<[1, 3]> : tensor<2xui8>, nodes_splits = dense<[1.0, 0.5]> : tensor<2xf32>, nodes_trueleafs = array<i64: 1, 1>, nodes_truenodeids = array<i64: 0, 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N, 2], f32, host>
  func.return %0 : !cameo.tensor<[N, 2], f32, host>
}

// -----

// Of a set the members are searched: at most the middle one, then equal.
// CHECK-LABEL: @members
// CHECK-DAG: prog.weight dense<[1.000000e+00, 3.000000e+00, 1.000000e+00, 0x7FC00000, 0x7FC00000, 0x7FC00000, 0x7FC00000]>
// CHECK-DAG: prog.weight dense<[8, 10, 10, 0, 0, 0, 0]>
// CHECK: prog.call "tree_ensemble" {{.*}}tree_rule::any
func.func @members(%x: !cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N, 2], f32, host> {
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, membership_values = dense<[3.0, 1.0, 3.0, 0x7FC00000]> : tensor<4xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<6> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N, 2], f32, host>
  func.return %0 : !cameo.tensor<[N, 2], f32, host>
}

// -----

// Leaves of several weights have ranges of these, by targets.
// CHECK-LABEL: @ranges
// CHECK-DAG: prog.weight dense<[2.000000e+00, 1.000000e+00]>
// CHECK-DAG: prog.weight dense<[0, 1]>
// CHECK-DAG: prog.weight dense<[0, 2, 0]> : tensor<3xi32>
// CHECK-DAG: prog.weight dense<[0, 2, 2]> : tensor<3xi32>
// CHECK: prog.call "tree_ensemble"
func.func @ranges(%x: !cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N, 2], f32, host> {
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_ends = array<i64: 2, 2>, leaf_targetids = array<i64: 1, 0>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N, 2], f32, host>
  func.return %0 : !cameo.tensor<[N, 2], f32, host>
}

// -----

// Rows have all features that trees read: what the run decides is checked.
// CHECK-LABEL: @open_features
// CHECK: prog.check #cameo.extent<3> "le" #cameo.extent<C> else "invalid_argument"
// CHECK: prog.call "tree_ensemble"
func.func @open_features(%x: !cameo.tensor<[N, C], f32, host>) -> !cameo.tensor<[N, 2], f32, host> {
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, C], f32, host>) -> !cameo.tensor<[N, 2], f32, host>
  func.return %0 : !cameo.tensor<[N, 2], f32, host>
}

// -----

// An average is a sum that is divided.
// CHECK-LABEL: @average
// CHECK: prog.call "tree_ensemble" {{.*}}tree_aggregate::sum
// CHECK: prog.s_div
func.func @average(%x: !cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N, 2], f32, host> {
  %0 = "onnx.ml.TreeEnsemble"(%x) <{aggregate_function = 0 : i64, leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32, host>) -> !cameo.tensor<[N, 2], f32, host>
  func.return %0 : !cameo.tensor<[N, 2], f32, host>
}
