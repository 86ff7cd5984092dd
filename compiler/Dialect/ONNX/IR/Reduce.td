// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that combine the elements along axes, into one or into running results.

#ifndef CAMEO_DIALECT_ONNX_IR_REDUCE_TD
#define CAMEO_DIALECT_ONNX_IR_REDUCE_TD

include "Dialect/ONNX/IR/OnnxBase.td"

//===----------------------------------------------------------------------===//
// Reduce*
//===----------------------------------------------------------------------===//

defvar ONNX_ReduceElements = ONNX_Floats # [I32, I64, UI32, UI64];

defvar ONNX_ReducedNumbers =
    "getExtremes(infer, getData(), getAxes(), getNoopWithEmptyAxes() != 0, of(getData()))";
defvar ONNX_SummedNumbers =
    "getSums(infer, getData(), getAxes(), getNoopWithEmptyAxes() != 0, of(getData()))";

/// `combine` joins two known integers `l` and `r`, where those are followed.
class ONNX_Reduce<string opType, int since, list<Type> elements = ONNX_ReduceElements>
    : ONNX_Op<opType, since, [Pure, ONNX_LinearTime]> {
  let description = [{
    Reduces over `axes`; without any, over all, or over none when
    `noop_with_empty_axes` is set.

    Constraints:
    * C1: `axes` are in [-r, r) and differ.
  }];
  let arguments = (ins Data<ONNX_TensorOf<elements>>:$data, Optional<Host<ONNX_I64Tensor>>:$axes,
                       DefaultValuedAttr<ONNX_Int, "1">:$keepdims,
                       DefaultValuedAttr<ONNX_Int, "0">:$noop_with_empty_axes);
  let results = (outs ONNX_TensorOf<elements>:$reduced);
  code combine = "";
  let inferBody = [{
    return inferReduction(infer, getData(), getAxes(), getKeepdims() != 0,
                          getNoopWithEmptyAxes() != 0}] # !if(!empty(combine), "",
                          ", [](core::ExtentAttr l, core::ExtentAttr r) { return " # combine # "; }")
                          # ");";
}

def ONNX_ReduceSumOp : ONNX_Reduce<"ReduceSum", 13> {
  let summary = "Sum";
  let combine = "l + r";
  let numberRange = ONNX_SummedNumbers;
}
def ONNX_ReduceProdOp : ONNX_Reduce<"ReduceProd", 18> {
  let summary = "Product";
  let combine = "l * r";
}
def ONNX_ReduceMaxOp : ONNX_Reduce<"ReduceMax", 20, ONNX_ReduceElements # [I8, UI8, I1]> {
  let summary = "Maximum; NaN if any element is";
  let combine = "l.max(r)";
  let numberRange = ONNX_ReducedNumbers;
}
def ONNX_ReduceMinOp : ONNX_Reduce<"ReduceMin", 20, ONNX_ReduceElements # [I8, UI8, I1]> {
  let summary = "Minimum; NaN if any element is";
  let combine = "l.min(r)";
  let numberRange = ONNX_ReducedNumbers;
}
def ONNX_ReduceMeanOp : ONNX_Reduce<"ReduceMean", 18> { let summary = "Mean"; }
def ONNX_ReduceL1Op : ONNX_Reduce<"ReduceL1", 18> { let summary = "Sum of absolute values"; }
def ONNX_ReduceL2Op : ONNX_Reduce<"ReduceL2", 18> { let summary = "Root of the sum of squares"; }
def ONNX_ReduceSumSquareOp : ONNX_Reduce<"ReduceSumSquare", 18> { let summary = "Sum of squares"; }
def ONNX_ReduceLogSumOp : ONNX_Reduce<"ReduceLogSum", 28, ONNX_Floats> {
  let summary = "Logarithm of the sum";
}
def ONNX_ReduceLogSumExpOp : ONNX_Reduce<"ReduceLogSumExp", 28, ONNX_Floats> {
  let summary = "Logarithm of the sum of exponentials";
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

class ONNX_ArgReduce<string opType> : ONNX_Op<opType, 13, [Pure, ONNX_LinearTime]> {
  let description = [{
    The first of equal elements is taken, or the last with `select_last_index`.

    Constraints:
    * C1: `axis` is in [-r, r).
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Numbers>>:$data,
                       DefaultValuedAttr<ONNX_Int, "0">:$axis,
                       DefaultValuedAttr<ONNX_Int, "1">:$keepdims,
                       DefaultValuedAttr<ONNX_Int, "0">:$select_last_index);
  let results = (outs ONNX_I64Tensor:$reduced);
  let inferBody = "return inferArgReduction(infer, getData(), getAxis(), getKeepdims() != 0);";
  let numberRange = "getPlaces(infer, getData(), getAxis())";
}

def ONNX_ArgMaxOp : ONNX_ArgReduce<"ArgMax"> { let summary = "Position of the maximum"; }
def ONNX_ArgMinOp : ONNX_ArgReduce<"ArgMin"> { let summary = "Position of the minimum"; }

//===----------------------------------------------------------------------===//
// Running results
//===----------------------------------------------------------------------===//

class ONNX_Cumulative<string opType, int since> : ONNX_Op<opType, since, [Pure]> {
  let description = [{
    Constraints:
    * C1: `axis` has one element, in [-r, r).
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_ReduceElements>>:$x,
                       Param<ONNX_TensorOf<[I32, I64], "T2">>:$axis,
                       DefaultValuedAttr<ONNX_Int, "0">:$exclusive,
                       DefaultValuedAttr<ONNX_Int, "0">:$reverse);
  let results = (outs ONNX_TensorOf<ONNX_ReduceElements>:$y);
  let inferBody = "return inferCumulative(infer, getX(), getAxis());";
}

def ONNX_CumSumOp : ONNX_Cumulative<"CumSum", 14> {
  let summary = "Running sum along an axis";
  let numberRange = "getSums(infer, getX(), getAxis(), /*noop=*/false, of(getX()))";
}
def ONNX_CumProdOp : ONNX_Cumulative<"CumProd", 26> {
  let summary = "Running product along an axis";
}

#endif // CAMEO_DIALECT_ONNX_IR_REDUCE_TD
