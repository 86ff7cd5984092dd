// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every operator record is made of: the dialect, operand classes, element types, base classes.
// A record says all that Cameo knows about an operator except how it is lowered to a kernel template.

#ifndef CAMEO_DIALECT_ONNX_IR_ONNXBASE_TD
#define CAMEO_DIALECT_ONNX_IR_ONNXBASE_TD

include "Dialect/Core/IR/CoreDialect.td"
include "Dialect/Core/IR/SymbolDefiningOp.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def ONNX_Dialect : Dialect {
  let name = "onnx";
  let cppNamespace = "::cameo::onnx";
  let summary = "ONNX operators under their own names, newest opset form only";
  let description = [{
    Operands, attributes and results are spelled and ordered as in the ONNX
    specification, so that the importer needs no table of operators. Optional
    results are always present; one that nothing uses costs nothing.
  }];
  let dependentDialects = ["::cameo::core::CoreDialect", "::cameo::prog::ProgDialect"];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

defvar ONNX_Signed = [I8, I16, I32, I64];
defvar ONNX_Unsigned = [UI8, UI16, UI32, UI64];
defvar ONNX_Integers = ONNX_Signed # ONNX_Unsigned;
defvar ONNX_Floats = [F16, BF16, F32, F64];
defvar ONNX_Numbers = ONNX_Integers # ONNX_Floats;
def ONNX_I4 : I<4>;
def ONNX_UI4 : UI<4>;
def ONNX_I2 : I<2>;
def ONNX_UI2 : UI<2>;
defvar ONNX_Float8s = [F8E4M3FN, F8E4M3FNUZ, F8E5M2, F8E5M2FNUZ];
defvar ONNX_Float6s = [F6E2M3FN, F6E3M2FN];
defvar ONNX_Complexes = [Complex<F32>, Complex<F64>];
/// Every type that a tensor may have before opset 13's extensions: numbers, bool, string, complex.
defvar ONNX_Classic = ONNX_Numbers # [I1, Core_StringType] # ONNX_Complexes;
defvar ONNX_SubByte = [ONNX_I4, ONNX_UI4, ONNX_I2, ONNX_UI2, F4E2M1FN];
defvar ONNX_AllElements = ONNX_Classic # ONNX_Float8s # [F8E8M0FNU] # ONNX_SubByte;

/// An attribute of ONNX's type INT (MLIR's I64Attr gives unsigned values).
def ONNX_Int : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit signless integer attribute">;

/// An attribute that no model has: the Shape stage says by it which symbols an operator defines, the
/// Place stage that both branches of one are computed.
class ONNX_StageAttr<Attr base> : OptionalAttr<base>;

class ONNX_IsTensorOf<list<Type> elements>
    : And<[CPred<"::llvm::isa<::cameo::core::SymTensorType>($_self)">,
           SubstLeaves<"$_self",
                       "::llvm::cast<::cameo::core::SymTensorType>($_self).getElementType()",
                       Or<!foreach(element, elements, element.predicate)>>]>;

/// A type constraint of ONNX: a type variable and the elements it ranges over. Everything with the
/// same variable has the same element type, which the operator's verifier checks.
class ONNX_TypeVariable<list<Type> elements, string name> {
  list<Type> allowedElements = elements;
  string variable = name;
}

/// A tensor with one of `elements` as element type.
class ONNX_TensorOf<list<Type> elements, string variable = "T">
    : Type<ONNX_IsTensorOf<elements>,
           "tensor of " # !interleave(!foreach(element, elements, element.summary), " or "),
           "::cameo::core::SymTensorType">,
      ONNX_TypeVariable<elements, !if(!eq(!size(elements), 1), "", variable)>;
def ONNX_AnyTensor : ONNX_TensorOf<ONNX_AllElements>;
/// Tensors that need not have the same element type, as the states of a loop.
def ONNX_MixedTensor : ONNX_TensorOf<ONNX_AllElements, "">;
def ONNX_IndexTensor : ONNX_TensorOf<[I32, I64]>;
def ONNX_I64Tensor : ONNX_TensorOf<[I64]>;
def ONNX_BoolTensor : ONNX_TensorOf<[I1]>;

/// A sequence of tensors with one of `elements` as element type.
class ONNX_SequenceOf<list<Type> elements, string name = "S">
    : Type<And<[CPred<"::llvm::isa<::cameo::core::SequenceType>($_self)">,
                SubstLeaves<"$_self",
                            "::llvm::cast<::cameo::core::SequenceType>($_self).getElement()",
                            ONNX_IsTensorOf<elements>>]>,
           "sequence of tensors", "::cameo::core::SequenceType">,
      ONNX_TypeVariable<elements, name>;

/// Any type that a value of ONNX can have.
def ONNX_AnyValue
    : Type<CPred<"::llvm::isa<::cameo::core::SymTensorType, ::cameo::core::SequenceType, "
                 "::cameo::core::OptionalType>($_self)">,
           "tensor, sequence or optional">;

//===----------------------------------------------------------------------===//
// Operand classes: what must be known of an operand, and where (docs/placement.md)
//===----------------------------------------------------------------------===//

class ONNX_OperandClass<Type base, string className>
    : Type<base.predicate, base.summary, base.cppType> {
  Type baseConstraint = base;
  string operandClass = className;
}
/// Ordinary data, read where the operator runs.
class Data<Type base> : ONNX_OperandClass<base, "Data">;
/// The value decides an output's extents, rank, permutation or control flow.
class Host<Type base> : ONNX_OperandClass<base, "Host">;
/// As Host, but an upper bound is enough: the device can read the exact value.
class HostBound<Type base> : ONNX_OperandClass<base, "HostBound">;
/// As HostBound, of elements whose relations matter (an end is a start and five): on the device too
/// they are followed as symbols, and extents are made of these.
class Symbolic<Type base> : ONNX_OperandClass<base, "Symbolic">;
/// As Symbolic where its integers are known to lie between two numbers (the Shape stage says so), as
/// Host elsewhere.
class Bounded<Type base> : ONNX_OperandClass<base, "Bounded">;
/// A small operand that kernels read on either side; never a reason for a readback.
class Param<Type base> : ONNX_OperandClass<base, "Param">;
/// Only the extents or the element type matter; the contents are never read.
class DimsOnly<Type base> : ONNX_OperandClass<base, "DimsOnly">;

/// The type variable of a type constraint, "" when it has none.
class ONNX_VariableOf<TypeConstraint constraint> {
  string name = !if(!isa<ONNX_TypeVariable>(constraint),
                    !cast<ONNX_TypeVariable>(constraint).variable, "");
}

/// The C++ initialiser of the OperandInfo of an operand, or nothing for an attribute.
class ONNX_OperandInfo<string name, Constraint argument> {
  string arity = !cond(!isa<Optional>(argument): "Optional", !isa<Variadic>(argument): "Variadic",
                       true: "Required");
  TypeConstraint inner = !cond(
      !isa<Optional>(argument): !cast<TypeConstraint>(!cast<Optional>(argument).baseType),
      !isa<Variadic>(argument): !cast<TypeConstraint>(!cast<Variadic>(argument).baseType),
      !isa<TypeConstraint>(argument): !cast<TypeConstraint>(argument),
      true: AnyType);
  string className = !if(!isa<ONNX_OperandClass>(inner),
                         !cast<ONNX_OperandClass>(inner).operandClass, "Unclassified");
  TypeConstraint base = !if(!isa<ONNX_OperandClass>(inner),
                            !cast<TypeConstraint>(!cast<ONNX_OperandClass>(inner).baseConstraint),
                            inner);
  string text = !if(!isa<TypeConstraint>(argument),
                    "{\"" # name # "\", OperandArity::" # arity # ", OperandClass::" # className
                        # ", \"" # ONNX_VariableOf<base>.name # "\", "
                        # !if(!isa<ONNX_TensorOf>(base), "true", "false") # "}, ", "");
}

/// The C++ initialiser of the type variable of a result.
class ONNX_ResultVariable<Constraint result> {
  TypeConstraint inner = !cond(
      !isa<Variadic>(result): !cast<TypeConstraint>(!cast<Variadic>(result).baseType),
      !isa<TypeConstraint>(result): !cast<TypeConstraint>(result),
      true: AnyType);
  string text = "\"" # ONNX_VariableOf<inner>.name # "\", ";
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

def OnnxOpInterface : OpInterface<"OnnxOp"> {
  let cppNamespace = "::cameo::onnx";
  let description = "What the compiler asks of an operator; the base class answers from the record.";
  let methods = [
    StaticInterfaceMethod<"The opset version of the form that the record has", "int",
                          "getSinceVersion">,
    StaticInterfaceMethod<"Names, arities and classes of the operands, in ONNX's order",
                          "::llvm::ArrayRef<::cameo::onnx::OperandInfo>", "getOperandInfos">,
    StaticInterfaceMethod<"The graph attributes, in the order of the regions",
                          "::llvm::ArrayRef<::llvm::StringRef>", "getRegionNames">,
    StaticInterfaceMethod<"The attributes of the record that are the Shape stage's own",
                          "::llvm::ArrayRef<::llvm::StringRef>", "getStageAttributes">,
    StaticInterfaceMethod<"Whether the last result is variadic", "bool", "hasVariadicResults">,
    StaticInterfaceMethod<"The type variable of each result of the record, empty where it has none",
                          "::llvm::ArrayRef<::llvm::StringRef>", "getResultVariables">,
    InterfaceMethod<[{The types of the arguments of the body, as far as operands tell, and, once
                     the body is there, what it yields for the next iteration. Null where nothing
                     is known; no types for an operator without a body that takes arguments.}],
                    "::llvm::SmallVector<::mlir::Type>", "getBodyArgumentTypes",
                    (ins "::cameo::onnx::ExtentInference &":$infer), "", "return {};">,
    InterfaceMethod<[{Tells `infer` the element types and extents of the results, and their values
                     where these are integers that can be known. Fails with a diagnostic when the
                     operands cannot be right for any input.}],
                    "::llvm::LogicalResult", "inferExtents",
                    (ins "::cameo::onnx::ExtentInference &":$infer)>,
    InterfaceMethod<[{Builds, in front of an operator whose rank the run alone can tell, branches in
                     which the rank is known; gives what they make. Null where no branch is
                     needed, or none would help.}],
                    "::mlir::Value", "branchOnRank",
                    (ins "::cameo::onnx::ExtentInference &":$infer), "", "return {};">,
    InterfaceMethod<[{Between which numbers the elements of result `result` lie, by `of`, which says
                     it of operands.}],
                    "::cameo::prog::NumberRange", "getNumbers",
                    (ins "unsigned":$result, "::cameo::onnx::ExtentInference &":$infer,
                         "::llvm::function_ref<::cameo::prog::NumberRange(::mlir::Value)>":$of)>,
    InterfaceMethod<"The side that the operator runs on whatever else there is to say for the other one",
                    "std::optional<::cameo::core::Side>", "getOwnSide", (ins), "",
                    "return std::nullopt;">,
    InterfaceMethod<"Whether the operator is a scalar function applied with broadcasting", "bool",
                    "hasScalarBody">,
    InterfaceMethod<"Builds the scalar function; `x` has a null value for an absent operand",
                    "::mlir::Value", "buildScalar",
                    (ins "::cameo::prog::ScalarBuilder &":$b,
                         "::llvm::ArrayRef<::mlir::Value>":$x)>];
  let verify = "return ::cameo::onnx::verifyElementTypes($_op);";
}

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class ONNX_Op<string opType, int since, list<Trait> traits = []>
    : Op<ONNX_Dialect, opType, traits # [OnnxOpInterface, Core_SymbolDefiningOp]> {
  int sinceVersion = since;
  // The body of inferExtents, over `infer`; when empty, the family's .cpp defines it.
  code inferBody = "";
  // The scalar function of an elementwise operator, an expression over `b` and `x`.
  code scalar = "";
  // The result of getNumbers, over `result`, `infer` and `of`; by default an operator that selects
  // elements says what is known of its operands, and no other anything.
  code numberRange = "";
  // The body of visitSymbols, over `visit`; when empty, the family's .cpp defines it. By default an
  // operator defines the symbols of its counted extents.
  code symbolVisit = "visitCounts(*this, visit);";
  // Further C++ members (the base class owns extraClassDeclaration).
  code extraDecls = "";

  defvar operandList = !foldl("", !range(!size(arguments)), text, number,
                              text # ONNX_OperandInfo<!getdagname(arguments, number), !getdagarg<Constraint>(arguments, number)>.text);
  defvar regionList = !foldl("", !range(!size(regions)), text, number,
                             text # "\"" # !getdagname(regions, number) # "\", ");
  defvar stageList = !foldl("", !range(!size(arguments)), text, number,
      text # !if(!isa<ONNX_StageAttr>(!getdagarg<Constraint>(arguments, number)),
                 "\"" # !getdagname(arguments, number) # "\", ", ""));
  defvar resultList = !foldl("", !range(!size(results)), text, number,
                             text # ONNX_ResultVariable<!getdagarg<Constraint>(results, number)>.text);
  defvar variadicResults = !foldl("false", !range(!size(results)), last, number,
      !if(!initialized(!getdagarg<Variadic>(results, number)), "true", "false"));

  let extraClassDeclaration = extraDecls # [{
    static int getSinceVersion() { return }] # sinceVersion # [{; }
    static llvm::ArrayRef<OperandInfo> getOperandInfos();
    static llvm::ArrayRef<llvm::StringRef> getRegionNames();
    static llvm::ArrayRef<llvm::StringRef> getStageAttributes();
    static llvm::ArrayRef<llvm::StringRef> getResultVariables();
    static bool hasVariadicResults() { return }] # variadicResults # [{; }
    llvm::LogicalResult inferExtents(ExtentInference &infer);
    void visitSymbols(core::SymbolVisitor visit);
    prog::NumberRange getNumbers(unsigned result, ExtentInference &infer,
                                 llvm::function_ref<prog::NumberRange(mlir::Value)> of);
    bool hasScalarBody() { return }] # !if(!empty(scalar), "false", "true") # [{; }
    mlir::Value buildScalar(prog::ScalarBuilder &b, llvm::ArrayRef<mlir::Value> x);
  }];
  let extraClassDefinition = [{
    llvm::ArrayRef<OperandInfo> $cppClass::getOperandInfos() {
  }] # !if(!empty(operandList), "return {};", [{
      static constexpr OperandInfo infos[] = {}] # operandList # [{};
      return infos;}]) # [{
    }
    llvm::ArrayRef<llvm::StringRef> $cppClass::getRegionNames() {
  }] # !if(!empty(regionList), "return {};", [{
      static constexpr llvm::StringRef names[] = {}] # regionList # [{};
      return names;}]) # [{
    }
    llvm::ArrayRef<llvm::StringRef> $cppClass::getStageAttributes() {
  }] # !if(!empty(stageList), "return {};", [{
      static constexpr llvm::StringRef names[] = {}] # stageList # [{};
      return names;}]) # [{
    }
    llvm::ArrayRef<llvm::StringRef> $cppClass::getResultVariables() {
      static constexpr llvm::StringRef names[] = {}] # resultList # [{};
      return names;
    }
  }] # !if(!empty(inferBody), "", [{
    llvm::LogicalResult $cppClass::inferExtents(ExtentInference &infer) { }] # inferBody # [{ }
  }]) # !if(!empty(symbolVisit), "", [{
    void $cppClass::visitSymbols(core::SymbolVisitor visit) { }] # symbolVisit # [{ }
  }]) # [{
    prog::NumberRange $cppClass::getNumbers(
        unsigned result, ExtentInference &infer,
        llvm::function_ref<prog::NumberRange(mlir::Value)> of) {
      (void)result; (void)infer; (void)of;
      return }] # !if(!empty(numberRange), "getSelectedNumbers(*this, of)", numberRange) # [{;
    }
    mlir::Value $cppClass::buildScalar(prog::ScalarBuilder &b, llvm::ArrayRef<mlir::Value> x) {
      (void)b; (void)x;
      return }] # !if(!empty(scalar), "{}", scalar) # [{;
    }
  }];
}

/// An operator that only models have: the importer holds a node against its record, then builds what
/// it stands for (Import/Expansion), so that no stage sees one.
class ONNX_Expanded<string opType, int since, list<Trait> traits = []>
    : ONNX_Op<opType, since, traits> {
  let inferBody = "return infer.emitError() << \"is an operator that only models have\";";
}

/// See OnnxDialect.h.
def ONNX_LinearTime : NativeOpTrait<"LinearTime"> { let cppNamespace = "::cameo::onnx"; }
def ONNX_RaisesInKernel : NativeOpTrait<"RaisesInKernel"> { let cppNamespace = "::cameo::onnx"; }
def ONNX_OptionalGraphs : NativeOpTrait<"OptionalGraphs"> { let cppNamespace = "::cameo::onnx"; }
def ONNX_SelectsElements : NativeOpTrait<"SelectsElements"> { let cppNamespace = "::cameo::onnx"; }

/// A scalar function applied element by element with numpy broadcasting. The result's element type is
/// that of operand `elementFrom`, or `element` when it is given.
class ONNX_Elementwise<string opType, int since, list<Trait> traits = []>
    : ONNX_Op<opType, since, [Pure] # traits> {
  int elementFrom = 0;
  code element = "infer.elementType(" # elementFrom # ")";
  let inferBody = "return infer.broadcast(" # element # ");";
}

class ONNX_Unary<string opType, int since, list<Type> elements>
    : ONNX_Elementwise<opType, since> {
  let arguments = (ins Data<ONNX_TensorOf<elements>>:$X);
  let results = (outs ONNX_TensorOf<elements>:$Y);
}

class ONNX_Binary<string opType, int since, list<Type> elements>
    : ONNX_Elementwise<opType, since> {
  let arguments = (ins Data<ONNX_TensorOf<elements>>:$A, Data<ONNX_TensorOf<elements>>:$B);
  let results = (outs ONNX_TensorOf<elements>:$C);
}

/// A binary predicate: the result is bool.
class ONNX_Comparison<string opType, int since, list<Type> elements>
    : ONNX_Elementwise<opType, since> {
  let arguments = (ins Data<ONNX_TensorOf<elements>>:$A, Data<ONNX_TensorOf<elements>>:$B);
  let results = (outs ONNX_BoolTensor:$C);
  let element = "infer.boolType()";
}

#endif // CAMEO_DIALECT_ONNX_IR_ONNXBASE_TD
