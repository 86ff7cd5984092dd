// RUN: cameo-opt %s --cameo-infer-shapes --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: @tree_ensemble_rows
// CHECK: "onnx.ml.TreeEnsemble"{{.*}} -> !cameo.tensor<[N, 2], f32>
func.func @tree_ensemble_rows(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @tree_ensemble_one_row
// CHECK: "onnx.ml.TreeEnsemble"{{.*}} -> !cameo.tensor<[1, 2], f32>
func.func @tree_ensemble_one_row(%x: !cameo.tensor<[C], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[C], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

// CHECK-LABEL: @tree_ensemble_ends
// CHECK: "onnx.ml.TreeEnsemble"{{.*}} -> !cameo.tensor<[N, 2], f32>
func.func @tree_ensemble_ends(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_ends = array<i64: 0, 2>, leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c1(%x: !cameo.tensor<[N, 3, 1], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{X (C1)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3, 1], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c1_feature(%x: !cameo.tensor<[N, 2], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{reads a feature that X does not have (C1, got 2, need less than 2)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 2], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c2(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has no positive n_targets (C2, got 0)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c2_aggregate(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an unknown aggregate_function (C2, got 4)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{aggregate_function = 4 : i64, leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c3(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has another number of nodes_splits than of nodes_featureids (C3, got 2 and 1)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<2xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c4(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has an unknown mode at node 0 (C4, got 7)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<7> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c4_feature(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{reads a feature that no row has at node 0 (C4, got -1)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: -1>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c5(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has leaf_weights of another type than X (C5, got 'f64' and 'f32')}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf64>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c6(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has not a list of membership_values for each node of mode 6 (C6, got 1 for 0)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, membership_values = dense<[1.0, 0x7FC00000]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c6_end(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has not a list of membership_values for each node of mode 6 (C6, got 2 for 1)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, membership_values = dense<[0x7FC00000, 1.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<6> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c7(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a branch of node 0 to a leaf that is not there (C7, got 2, need less than 2)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 2>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c7_root(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a root that is no node (C7, got 1, need less than 1)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 1>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c7_roots(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has 0 trees (C7, need 1 to 67108864)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c7_circle(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a tree in which a node is below itself (C7)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 0>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c8(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has a target that is out of range (C8, got 2, need less than 2)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0, 2>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c8_count(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has another number of leaf_targetids than of leaf_weights, or more than 1073741824 (C8, got 1 and 2)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_targetids = array<i64: 0>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}

// -----

func.func @tree_ensemble_c9(%x: !cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32> {
  // expected-error @+1 {{has leaf_ends that are not those of 2 weights (C9)}}
  %0 = "onnx.ml.TreeEnsemble"(%x) <{leaf_ends = array<i64: 2, 1>, leaf_targetids = array<i64: 0, 1>, leaf_weights = dense<[1.0, 2.0]> : tensor<2xf32>, n_targets = 2 : i64, nodes_falseleafs = array<i64: 1>, nodes_falsenodeids = array<i64: 1>, nodes_featureids = array<i64: 2>, nodes_modes = dense<0> : tensor<1xui8>, nodes_splits = dense<0.5> : tensor<1xf32>, nodes_trueleafs = array<i64: 1>, nodes_truenodeids = array<i64: 0>, tree_roots = array<i64: 0>}> : (!cameo.tensor<[N, 3], f32>) -> !cameo.tensor<*, f32>
  func.return %0 : !cameo.tensor<*, f32>
}
