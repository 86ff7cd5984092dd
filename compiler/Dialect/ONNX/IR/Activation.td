// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise activation functions. Most are written over `x`, their operand in f32 or f64: ONNX defines
// them for f16 by several operators, whose intermediate results overflow (exp) or lose all digits.

#ifndef CAMEO_DIALECT_ONNX_IR_ACTIVATION_TD
#define CAMEO_DIALECT_ONNX_IR_ACTIVATION_TD

include "Dialect/ONNX/IR/Elementwise.td"

/// `function` is an expression over `b` and `x`, and `constant(value)` of the type of `x`.
class ONNX_Activation<string opType, int since> : ONNX_Unary<opType, since, ONNX_Floats> {
  code function = "";
  let scalar = [{inFloat(b, x[0], [&](mlir::Value x) {
    [[maybe_unused]] auto constant = [&](double value) { return b.constant(x, value); };
    return }] # function # [{;
  })}];
}

/// An activation with a coefficient `alpha`.
class ONNX_AlphaActivation<string opType, int since, string defaultAlpha>
    : ONNX_Activation<opType, since> {
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       DefaultValuedAttr<F32Attr, defaultAlpha>:$alpha);
  let extraDecls = "double alpha() { return getAlpha().convertToFloat(); }";
}

//===----------------------------------------------------------------------===//
// Piecewise linear
//===----------------------------------------------------------------------===//

def ONNX_ReluOp : ONNX_Unary<"Relu", 14, ONNX_Floats # ONNX_Signed> {
  let scalar = "b.max(x[0], b.constant(x[0], 0))";
}
def ONNX_LeakyReluOp : ONNX_AlphaActivation<"LeakyRelu", 16, "0.01f"> {
  let function = "b.select(b.less(x, constant(0)), b.mul(constant(alpha()), x), x)";
}
def ONNX_ThresholdedReluOp : ONNX_AlphaActivation<"ThresholdedRelu", 22, "1.0f"> {
  let function = "b.select(b.less(constant(alpha()), x), x, constant(0))";
}

def ONNX_PReluOp : ONNX_Elementwise<"PRelu", 16> {
  let summary = "x, or slope * x where x is negative";
  let description = [{
    Constraints:
    * C1: `slope` broadcasts to the extents of `X`.
  }];
  defvar tensor = ONNX_TensorOf<ONNX_Floats # [I32, I64, UI32, UI64]>;
  let arguments = (ins Data<tensor>:$X, Data<tensor>:$slope);
  let results = (outs tensor:$Y);
  let inferBody = "";
  let scalar = "b.select(b.less(x[0], b.constant(x[0], 0)), b.mul(x[1], x[0]), x[0])";
}

def ONNX_HardSigmoidOp : ONNX_Activation<"HardSigmoid", 22> {
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       DefaultValuedAttr<F32Attr, "0.2f">:$alpha,
                       DefaultValuedAttr<F32Attr, "0.5f">:$beta);
  let function = "hardSigmoid(b, x, getAlpha().convertToFloat(), getBeta().convertToFloat())";
}
def ONNX_HardSwishOp : ONNX_Activation<"HardSwish", 22> {
  let function = "b.mul(x, hardSigmoid(b, x, 1.0 / 6.0, 0.5))";
}

def ONNX_ShrinkOp : ONNX_Elementwise<"Shrink", 9> {
  let summary = "Zero around zero, moved towards it elsewhere";
  defvar tensor = ONNX_TensorOf<ONNX_Integers # [F16, F32, F64]>;
  let arguments = (ins Data<tensor>:$input, DefaultValuedAttr<F32Attr, "0.0f">:$bias,
                       DefaultValuedAttr<F32Attr, "0.5f">:$lambd);
  let results = (outs tensor:$output);
  let scalar = "shrink(b, x[0], getLambd().convertToFloat(), getBias().convertToFloat())";
}

//===----------------------------------------------------------------------===//
// Smooth
//===----------------------------------------------------------------------===//

def ONNX_SigmoidOp : ONNX_Unary<"Sigmoid", 13, ONNX_Floats> { let scalar = "b.sigmoid(x[0])"; }
def ONNX_TanhOp : ONNX_NamedUnary<"Tanh", 13, ONNX_Floats> { let scalar = "b.tanh(x[0])"; }

def ONNX_EluOp : ONNX_AlphaActivation<"Elu", 22, "1.0f"> {
  let function = [{b.select(b.less(x, constant(0)),
                            b.mul(constant(alpha()), b.sub(b.exp(x), constant(1))), x)}];
}
def ONNX_CeluOp : ONNX_AlphaActivation<"Celu", 28, "1.0f"> {
  let summary = "max(0, x) + min(0, alpha * (exp(x / alpha) - 1))";
  let function = [{b.add(b.max(x, constant(0)),
      b.min(b.mul(constant(alpha()), b.sub(b.exp(b.div(x, constant(alpha()))), constant(1))),
            constant(0)))}];
}
def ONNX_SeluOp : ONNX_Activation<"Selu", 22> {
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       DefaultValuedAttr<F32Attr, "1.67326319217681884765625f">:$alpha,
                       DefaultValuedAttr<F32Attr, "1.05070102214813232421875f">:$gamma);
  let function = [{b.mul(constant(getGamma().convertToFloat()),
      b.select(b.less(constant(0), x), x,
               b.mul(constant(getAlpha().convertToFloat()), b.sub(b.exp(x), constant(1)))))}];
}
def ONNX_SoftplusOp : ONNX_Activation<"Softplus", 22> { let function = "softplus(b, x)"; }
def ONNX_SoftsignOp : ONNX_NamedUnary<"Softsign", 22, ONNX_Floats> {
  let scalar = [{inFloat(b, x[0], [&](mlir::Value x) {
    return b.div(x, b.add(b.constant(x, 1), b.abs(x)));
  })}];
}
def ONNX_MishOp : ONNX_Activation<"Mish", 22> { let function = "b.mul(x, b.tanh(softplus(b, x)))"; }
def ONNX_SwishOp : ONNX_AlphaActivation<"Swish", 24, "1.0f"> {
  let function = "swish(b, x, alpha())";
}

def ONNX_SwiGLUOp : ONNX_Elementwise<"SwiGLU", 28> {
  let summary = "Swish of a gate, times a value";
  let description = [{
    Constraints:
    * C1: `A` and `B` have the same extents; they do not broadcast.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$A, Data<ONNX_TensorOf<ONNX_Floats>>:$B,
                       DefaultValuedAttr<F32Attr, "1.0f">:$alpha);
  let results = (outs ONNX_TensorOf<ONNX_Floats>:$Y);
  let inferBody = "";
  let scalar = [{inFloat(b, x[0], [&](mlir::Value gate) {
    return b.mul(swish(b, gate, getAlpha().convertToFloat()), widen(b, x[1]));
  })}];
}

def ONNX_GeluOp : ONNX_Activation<"Gelu", 20> {
  let summary = "x times the normal distribution function of x, or its approximation by tanh";
  let description = [{
    Constraints:
    * C1: `approximate` is none or tanh.
  }];
  let arguments = (ins Data<ONNX_TensorOf<ONNX_Floats>>:$X,
                       DefaultValuedStrAttr<StrAttr, "none">:$approximate);
  let inferBody = "";
  let function = [{getApproximate() == "tanh" ? tanhGelu(b, x) : gelu(b, x)}];
}

#endif // CAMEO_DIALECT_ONNX_IR_ACTIVATION_TD
