// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of ai.onnx.ml but its trees. Rows are cases and columns features: a tensor of rank 1 is one row.

#ifndef CAMEO_DIALECT_ONNX_IR_ML_TD
#define CAMEO_DIALECT_ONNX_IR_ML_TD

include "Dialect/ONNX/IR/OnnxBase.td"

defvar ONNX_MlNumbers = [F32, F64, I64, I32];
defvar ONNX_MlElements = ONNX_MlNumbers # [Core_StringType];
defvar ONNX_MlLabels = [I64, Core_StringType];

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

def ONNX_BinarizerOp : ONNX_Elementwise<"ml.Binarizer", 1> {
  let summary = "1 above a threshold, 0 elsewhere";
  defvar tensor = ONNX_TensorOf<ONNX_MlNumbers>;
  let arguments = (ins Data<tensor>:$X, DefaultValuedAttr<F32Attr, "0.0f">:$threshold);
  let results = (outs tensor:$Y);
  // Integers are compared in f64: the threshold of an integer need not be one.
  let scalar = [{[&] {
    mlir::Value wide = mlir::isa<mlir::FloatType>(x[0].getType())
                           ? x[0]
                           : b.cast(x[0], mlir::Float64Type::get(getContext()));
    mlir::Value above = b.less(b.constant(wide, getThreshold().convertToFloat()), wide);
    return b.select(above, b.constant(x[0], 1), b.constant(x[0], 0));
  }()}];
}

def ONNX_NormalizerOp : ONNX_Op<"ml.Normalizer", 1, [Pure]> {
  let summary = "Rows divided by their norm, left as they are where that is 0";
  let description = [{
    MAX is the greatest element, not the greatest magnitude.

    Constraints:
    * C1: `norm` is MAX, L1 or L2.
    * C2: `X` has rank 1 or 2.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_MlNumbers>>:$X,
                       DefaultValuedStrAttr<StrAttr, "MAX">:$norm);
  let results = (outs ONNX_TensorOf<[F32]>:$Y);
  let inferBody = [{
    if (!llvm::is_contained({"MAX", "L1", "L2"}, getNorm()))
      return infer.emitError() << "has an unknown norm (C1)";
    if (failed(infer.requireRank(getX(), "X (C2)", 1, 2)))
      return llvm::failure();
    return inferLike(infer, /*float=*/1);
  }];
}

def ONNX_ScalerOp : ONNX_Op<"ml.Scaler", 1, [Pure]> {
  let summary = "Features less their offset, times their scale";
  let description = [{
    Constraints:
    * C1: `X` has rank 1 or more; where features have values of their own, 1 or 2.
    * C2: `offset` and `scale` have one value, or one for each feature.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_MlNumbers>>:$X,
                       OptionalAttr<DenseF32ArrayAttr>:$offset,
                       OptionalAttr<DenseF32ArrayAttr>:$scale);
  let results = (outs ONNX_TensorOf<[F32]>:$Y);
}

def ONNX_ImputerOp : ONNX_Op<"ml.Imputer", 1, [Pure]> {
  let summary = "Another value where a feature is missing, which a value or NaN says";
  let description = [{
    Constraints:
    * C1: `X` has rank 1 or more; where features have values of their own, 1 or 2.
    * C2: `imputed_value_floats` is given for floats, `imputed_value_int64s` for
      integers: one value, or one for each feature.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_MlNumbers>>:$X,
                       OptionalAttr<DenseF32ArrayAttr>:$imputed_value_floats,
                       OptionalAttr<DenseI64ArrayAttr>:$imputed_value_int64s,
                       DefaultValuedAttr<F32Attr, "0.0f">:$replaced_value_float,
                       DefaultValuedAttr<ONNX_Int, "0">:$replaced_value_int64);
  let results = (outs ONNX_TensorOf<ONNX_MlNumbers>:$Y);
}

def ONNX_FeatureVectorizerOp : ONNX_Op<"ml.FeatureVectorizer", 1, [Pure]> {
  let summary = "Features of several tensors beside each other";
  let description = [{
    The features of a tensor are all axes behind the first, cut off behind the number
    that `inputdimensions` says, or filled up with zeros.

    Constraints:
    * C1: tensors have rank 1 or more, and the same number of rows.
    * C2: `inputdimensions` has a number for each tensor, none negative.
  }];
  let arguments = (ins Variadic<Data<ONNX_TensorOf<ONNX_MlNumbers, "T1">>>:$X,
                       OptionalAttr<DenseI64ArrayAttr>:$inputdimensions);
  let results = (outs ONNX_TensorOf<[F32]>:$Y);
}

def ONNX_ArrayFeatureExtractorOp : ONNX_Op<"ml.ArrayFeatureExtractor", 1, [Pure]> {
  let summary = "The features at some places of the last axis";
  let description = [{
    The result of a tensor of rank 1 is one row.

    Constraints:
    * C1: `X` has rank 1 or more.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_MlElements>>:$X, Data<ONNX_I64Tensor>:$Y);
  let results = (outs ONNX_TensorOf<ONNX_MlElements>:$Z);
}

//===----------------------------------------------------------------------===//
// Categories
//===----------------------------------------------------------------------===//

def ONNX_LabelEncoderOp : ONNX_Op<"ml.LabelEncoder", 4, [Pure]> {
  let summary = "Each element replaced by the value beside it in a table";
  let description = [{
    The last of equal keys is found; NaN is a key that every NaN equals.

    Constraints:
    * C1: one of `keys_*` and one of `values_*` is given, with as many elements.
    * C2: keys have the element type of `X`.
    * C3: `default_tensor`, if it is given, has one element, of the type of the
      values.
  }];
  defvar elements = [Core_StringType, I64, F32, I32, I16, F64];
  let arguments = (ins Data<ONNX_TensorOf<elements, "T1">>:$X,
                       DefaultValuedAttr<F32Attr, "-0.0f">:$default_float,
                       DefaultValuedAttr<ONNX_Int, "-1">:$default_int64,
                       DefaultValuedStrAttr<StrAttr, "_Unused">:$default_string,
                       OptionalAttr<ElementsAttr>:$default_tensor,
                       OptionalAttr<DenseF32ArrayAttr>:$keys_floats,
                       OptionalAttr<DenseI64ArrayAttr>:$keys_int64s,
                       OptionalAttr<StrArrayAttr>:$keys_strings,
                       OptionalAttr<ElementsAttr>:$keys_tensor,
                       OptionalAttr<DenseF32ArrayAttr>:$values_floats,
                       OptionalAttr<DenseI64ArrayAttr>:$values_int64s,
                       OptionalAttr<StrArrayAttr>:$values_strings,
                       OptionalAttr<ElementsAttr>:$values_tensor);
  let results = (outs ONNX_TensorOf<elements, "T2">:$Y);
  let extraDecls = [{
    /// The keys, or the values, that are given.
    mlir::ElementsAttr getKeys();
    mlir::ElementsAttr getValues();
  }];
}

def ONNX_OneHotEncoderOp : ONNX_Op<"ml.OneHotEncoder", 1, [Pure]> {
  let summary = "For each element 1 at the place of its category, 0 elsewhere";
  let description = [{
    Numbers are integers before they are categories. Of equal categories the last
    one is taken. With `zeros` what is no category is all 0; otherwise it ends the run.

    Constraints:
    * C1: `cats_strings` is given for strings, `cats_int64s` for numbers: one
      category or more.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_MlElements>>:$X,
                       OptionalAttr<DenseI64ArrayAttr>:$cats_int64s,
                       OptionalAttr<StrArrayAttr>:$cats_strings,
                       DefaultValuedAttr<ONNX_Int, "1">:$zeros);
  let results = (outs ONNX_TensorOf<[F32]>:$Y);
}

def ONNX_ZipMapOp : ONNX_Op<"ml.ZipMap", 1, [Pure]> {
  let summary = "Rows of scores, whose columns have keys";
  let description = [{
    In ONNX a sequence of maps, one for each row; here the tensor, whose keys the
    model's output has. The result of a tensor of rank 1 is one row.

    Constraints:
    * C1: one of `classlabels_int64s` and `classlabels_strings` is given.
    * C2: `X` has rank 1 or 2.
    * C3: there are as many keys as columns.
  }];
  let arguments = (ins Data<ONNX_TensorOf<[F32]>>:$X,
                       OptionalAttr<DenseI64ArrayAttr>:$classlabels_int64s,
                       OptionalAttr<StrArrayAttr>:$classlabels_strings);
  let results = (outs ONNX_TensorOf<[F32]>:$Z);
}

//===----------------------------------------------------------------------===//
// Linear models and support vector machines
//===----------------------------------------------------------------------===//

def ONNX_LinearRegressorOp : ONNX_Op<"ml.LinearRegressor", 1, [Pure]> {
  let summary = "Weighted sums of features, one for each target";
  let description = [{
    `intercepts` count only where there is one for each target.

    Constraints:
    * C1: `X` has rank 1 or 2.
    * C2: `targets` is positive, and there are as many `coefficients` as features
      for each.
    * C3: `post_transform` is one that ONNX has.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_MlNumbers>>:$X,
                       OptionalAttr<DenseF32ArrayAttr>:$coefficients,
                       OptionalAttr<DenseF32ArrayAttr>:$intercepts,
                       DefaultValuedStrAttr<StrAttr, "NONE">:$post_transform,
                       DefaultValuedAttr<ONNX_Int, "1">:$targets);
  let results = (outs ONNX_TensorOf<[F32]>:$Y);
}

def ONNX_LinearClassifierOp : ONNX_Op<"ml.LinearClassifier", 1, [Pure]> {
  let summary = "The class of the largest weighted sum of features, and all sums";
  let description = [{
    One sum decides between two classes: the second one where it is positive. The
    score of the first is then 1 less the sum, or with LOGISTIC the function of the
    negative sum. `multi_class` says nothing that the scores do not.

    Constraints:
    * C1: `X` has rank 1 or 2.
    * C2: one of `classlabels_ints` and `classlabels_strings` is given: a label for
      each sum, or two for one.
    * C3: there are as many `coefficients` as features for each sum, of which there
      are as many as `intercepts`.
    * C4: `post_transform` is one that ONNX has; one sum for two classes has no
      PROBIT.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_MlNumbers, "T1">>:$X,
                       OptionalAttr<DenseI64ArrayAttr>:$classlabels_ints,
                       OptionalAttr<StrArrayAttr>:$classlabels_strings,
                       DenseF32ArrayAttr:$coefficients,
                       OptionalAttr<DenseF32ArrayAttr>:$intercepts,
                       DefaultValuedAttr<ONNX_Int, "0">:$multi_class,
                       DefaultValuedStrAttr<StrAttr, "NONE">:$post_transform);
  let results = (outs ONNX_TensorOf<ONNX_MlLabels, "T2">:$Y, ONNX_TensorOf<[F32]>:$Z);
}

def ONNX_SVMRegressorOp : ONNX_Op<"ml.SVMRegressor", 1, [Pure]> {
  let summary = "A weighted sum of kernels of a row with support vectors";
  let description = [{
    Without support vectors the weighted sum is that of the features. With
    `one_class` the result is 1 where the sum is positive, else -1. A
    `post_transform` is ignored, as elsewhere: no exporter writes one.

    Constraints:
    * C1: `X` has rank 1 or 2.
    * C2: `kernel_type` is one that ONNX has, `kernel_params` are three numbers or
      none.
    * C3: `n_supports` is not negative, and there are as many `support_vectors` as
      features for each.
    * C4: there is a coefficient for each support vector, or without them for each
      feature, and one number `rho` or more.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_MlNumbers>>:$X,
                       OptionalAttr<DenseF32ArrayAttr>:$coefficients,
                       OptionalAttr<DenseF32ArrayAttr>:$kernel_params,
                       DefaultValuedStrAttr<StrAttr, "LINEAR">:$kernel_type,
                       DefaultValuedAttr<ONNX_Int, "0">:$n_supports,
                       DefaultValuedAttr<ONNX_Int, "0">:$one_class,
                       DefaultValuedStrAttr<StrAttr, "NONE">:$post_transform,
                       OptionalAttr<DenseF32ArrayAttr>:$rho,
                       OptionalAttr<DenseF32ArrayAttr>:$support_vectors);
  let results = (outs ONNX_TensorOf<[F32]>:$Y);
}

def ONNX_SVMClassifierOp : ONNX_Op<"ml.SVMClassifier", 1, [Pure]> {
  let summary = "The class with which most pairs of classes agree, and scores";
  let description = [{
    A sum of kernels decides between each pair of classes: the first of them where
    it is positive. Scores are the sums of all pairs, of one pair both signs, or
    with `prob_a` and `prob_b` probabilities of the classes. Without support vectors
    there is a sum of features for each class.

    Constraints:
    * C1: `X` has rank 1 or 2.
    * C2: `kernel_type` is one that ONNX has, `kernel_params` are three numbers or
      none.
    * C3: one of `classlabels_ints` and `classlabels_strings` is given: one label or
      more, with support vectors two or more.
    * C4: `vectors_per_class` has no number or one for each class, none negative,
      and there are as many `support_vectors` as features for each.
    * C5: there are as many `coefficients` as support vectors for each class but
      one, or without vectors as features for each class.
    * C6: `rho` has a number for each pair of classes, `prob_a` and `prob_b` too if
      they are given; without vectors one serves all.
    * C7: `post_transform` is one that ONNX has; one pair has no PROBIT.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_MlNumbers, "T1">>:$X,
                       OptionalAttr<DenseI64ArrayAttr>:$classlabels_ints,
                       OptionalAttr<StrArrayAttr>:$classlabels_strings,
                       OptionalAttr<DenseF32ArrayAttr>:$coefficients,
                       OptionalAttr<DenseF32ArrayAttr>:$kernel_params,
                       DefaultValuedStrAttr<StrAttr, "LINEAR">:$kernel_type,
                       DefaultValuedStrAttr<StrAttr, "NONE">:$post_transform,
                       OptionalAttr<DenseF32ArrayAttr>:$prob_a,
                       OptionalAttr<DenseF32ArrayAttr>:$prob_b,
                       OptionalAttr<DenseF32ArrayAttr>:$rho,
                       OptionalAttr<DenseF32ArrayAttr>:$support_vectors,
                       OptionalAttr<DenseI64ArrayAttr>:$vectors_per_class);
  let results = (outs ONNX_TensorOf<ONNX_MlLabels, "T2">:$Y, ONNX_TensorOf<[F32]>:$Z);
}

#endif // CAMEO_DIALECT_ONNX_IR_ML_TD
