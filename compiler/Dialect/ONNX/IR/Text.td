// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators on strings, which are tensors of the host.

#ifndef CAMEO_DIALECT_ONNX_IR_TEXT_TD
#define CAMEO_DIALECT_ONNX_IR_TEXT_TD

include "Dialect/ONNX/IR/OnnxBase.td"

defvar ONNX_StringTensor = ONNX_TensorOf<[Core_StringType]>;

def ONNX_StringConcatOp : ONNX_Op<"StringConcat", 20, [Pure]> {
  let summary = "Strings joined; operands broadcast";
  let arguments = (ins Data<ONNX_StringTensor>:$X, Data<ONNX_StringTensor>:$Y);
  let results = (outs ONNX_StringTensor:$Z);
  let inferBody = "return infer.broadcast(infer.elementType(0));";
}

def ONNX_StringSplitOp : ONNX_Op<"StringSplit", 20, [Pure]> {
  let summary = "Strings cut at a delimiter, and how many each gave";
  let description = [{
    Constraints:
    * C1: `maxsplit` is not negative.
  }];
  let arguments = (ins Data<ONNX_StringTensor>:$X, OptionalAttr<StrAttr>:$delimiter,
                       OptionalAttr<ONNX_Int>:$maxsplit);
  let results = (outs ONNX_StringTensor:$Y, ONNX_I64Tensor:$Z);
}

def ONNX_StringNormalizerOp : ONNX_Op<"StringNormalizer", 10, [Pure]> {
  let summary = "Strings without stop words, in upper or lower case";
  let description = [{
    Constraints:
    * C1: `X` is [C] or [1, C].
    * C2: `case_change_action` is LOWER, UPPER or NONE.
  }];
  let arguments = (ins Data<ONNX_StringTensor>:$X,
                       DefaultValuedStrAttr<StrAttr, "NONE">:$case_change_action,
                       DefaultValuedAttr<ONNX_Int, "0">:$is_case_sensitive,
                       OptionalAttr<StrAttr>:$locale, OptionalAttr<StrArrayAttr>:$stopwords);
  let results = (outs ONNX_StringTensor:$Y);
}

def ONNX_RegexFullMatchOp : ONNX_Op<"RegexFullMatch", 20, [Pure]> {
  let summary = "Whether a regular expression matches whole strings";
  let arguments = (ins Data<ONNX_StringTensor>:$X, OptionalAttr<StrAttr>:$pattern);
  let results = (outs ONNX_TensorOf<[I1], "T2">:$Y);
  let inferBody = [{
    infer.setType(0, infer.type(getX()).withElementType(infer.boolType()));
    return llvm::success();
  }];
}

def ONNX_TfIdfVectorizerOp : ONNX_Op<"TfIdfVectorizer", 9, [Pure]> {
  let summary = "How often each n-gram of a pool occurs, weighted";
  let description = [{
    Constraints:
    * C1: `X` has rank 1 or 2.
    * C2: `mode` is TF, IDF or TFIDF.
    * C3: one of `pool_int64s` and `pool_strings` is given, fitting the element type of
      `X`.
    * C4: `ngram_indexes` are not negative and below 2^40; `weights` has as many
      elements.
    * C5: 1 <= `min_gram_length` <= `max_gram_length`; `max_skip_count` is not
      negative.
    * C6: `ngram_counts` has at least `max_gram_length` elements, which do not decrease
      and lie in the pool.
    * C7: `ngram_indexes` has an element for each n-gram of the pool.
  }];
  let arguments = (ins Data<ONNX_TensorOf<[I32, I64, Core_StringType]>>:$X,
                       ONNX_Int:$max_gram_length, ONNX_Int:$max_skip_count,
                       ONNX_Int:$min_gram_length, StrAttr:$mode, DenseI64ArrayAttr:$ngram_counts,
                       DenseI64ArrayAttr:$ngram_indexes,
                       OptionalAttr<DenseI64ArrayAttr>:$pool_int64s,
                       OptionalAttr<StrArrayAttr>:$pool_strings,
                       OptionalAttr<DenseF32ArrayAttr>:$weights);
  let results = (outs ONNX_TensorOf<[F32], "T1">:$Y);
}

#endif // CAMEO_DIALECT_ONNX_IR_TEXT_TD
