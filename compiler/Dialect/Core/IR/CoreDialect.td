// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The `cameo` dialect: what the onnx and prog dialects share. It owns the value types (tensors with symbolic extents,
// a side and a layout; strings, sequences, optionals) and no operations: those belong to a stage.

#ifndef CAMEO_DIALECT_CORE_IR_COREDIALECT_TD
#define CAMEO_DIALECT_CORE_IR_COREDIALECT_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Core_Dialect : Dialect {
  let name = "cameo";
  let cppNamespace = "::cameo::core";
  let summary = "Types and attributes shared by every stage of the compiler";
  let description = [{
    Tensors carry their extents as expressions of symbols in normal form, the
    side they live on (host or device) and their layout. Extents are part of
    the type, so that a pass that changes a value cannot forget to say how its
    shape changes, and a verifier can compare shapes by pointer.
  }];
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    mlir::Attribute parseAttribute(mlir::DialectAsmParser &parser,
                                   mlir::Type type) const override;
    void printAttribute(mlir::Attribute attribute,
                        mlir::DialectAsmPrinter &printer) const override;

    /// The types of Support/ElementTypes.h in the order of their numbers, and
    /// what it says of each; ElementTypes.h asks for one.
    llvm::ArrayRef<mlir::Type> getElementTypes() const { return elementTypes; }
    const llvm::DenseMap<mlir::Type, const ElementInfo *> &getElementInfos() const {
      return elementInfos;
    }

  private:
    void makeElementTypes();

    llvm::SmallVector<mlir::Type> elementTypes;
    llvm::DenseMap<mlir::Type, const ElementInfo *> elementInfos;
  }];
}

//===----------------------------------------------------------------------===//
// Side
//===----------------------------------------------------------------------===//

def Core_Side : I32EnumAttr<"Side", "where a value lives", [
    I32EnumAttrCase<"Unplaced", 0, "unplaced">,
    I32EnumAttrCase<"Host", 1, "host">,
    I32EnumAttrCase<"Device", 2, "device">]> {
  let cppNamespace = "::cameo::core";
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class Core_Type<string name, string typeMnemonic> : TypeDef<Core_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Core_SymTensorType : Core_Type<"SymTensor", "tensor"> {
  let summary = "A tensor with symbolic extents, a side and a layout (not mlir::TensorType)";
  let description = [{
    ```
    !cameo.tensor<[N, 3, 2 * H + 1], f32>          // not placed yet
    !cameo.tensor<[N], i64, host>
    !cameo.tensor<[N, 64, H, W], f32, host, #cameo.blocked<[1] by [16] halo [1, 1]>>
    !cameo.tensor<*, f32>                          // rank not known yet
    ```
    Element types are ONNX's: bool is `i1`, signed integers are signless (`i8`),
    unsigned ones `ui8`; complex, float8, float4 and strings as in MLIR and in
    this dialect. Extents are logical: a layout changes where an element lies in
    memory, never its index.
  }];
  let parameters = (ins "bool":$ranked, ArrayRefParameter<"ExtentAttr">:$extents,
                        "mlir::Type":$elementType, "Side":$side,
                        "mlir::Attribute":$layout);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    TypeBuilderWithInferredContext<(ins "llvm::ArrayRef<ExtentAttr>":$extents,
        "mlir::Type":$elementType, CArg<"Side", "Side::Unplaced">:$side,
        CArg<"mlir::Attribute", "{}">:$layout), [{
      return $_get(elementType.getContext(), true, extents, elementType, side, layout);
    }]>,
    // A tensor whose rank is not known yet.
    TypeBuilderWithInferredContext<(ins "mlir::Type":$elementType,
        CArg<"Side", "Side::Unplaced">:$side), [{
      return $_get(elementType.getContext(), false, llvm::ArrayRef<ExtentAttr>(),
                   elementType, side, mlir::Attribute());
    }]>
  ];
  let extraClassDeclaration = [{
    bool hasRank() const { return getRanked(); }
    int64_t getRank() const { return static_cast<int64_t>(getExtents().size()); }
    bool isHost() const { return getSide() == Side::Host; }
    bool isDevice() const { return getSide() == Side::Device; }
    SymTensorType withSide(Side side) const;
    SymTensorType withExtents(llvm::ArrayRef<ExtentAttr> extents) const;
    SymTensorType withElementType(mlir::Type elementType) const;
    SymTensorType withLayout(mlir::Attribute layout) const;
    /// The layout if it is a blocked one; null for a dense tensor.
    BlockedLayoutAttr getBlockedLayout() const;
    /// Whether elements of less than a byte share bytes.
    bool isPacked() const { return llvm::isa_and_nonnull<PackedLayoutAttr>(getLayout()); }
    /// The extents of the dense array that holds the elements: those of the
    /// blocked layout, or the tensor's own.
    llvm::SmallVector<ExtentAttr> getPhysicalExtents() const;
    /// The product of the extents; unknown while a rank or an extent is.
    ExtentAttr getNumElements() const;
    /// The extents as integers when all are constant, the builtin type that
    /// constants of this shape have; null otherwise.
    mlir::RankedTensorType getStaticType() const;
  }];
}

def Core_StringType : Core_Type<"String", "string"> {
  let summary = "An ONNX string, an element of a host tensor";
}

def Core_SequenceType : Core_Type<"Sequence", "seq"> {
  let summary = "An ONNX sequence; lives on the host";
  let parameters = (ins "mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

def Core_OptionalType : Core_Type<"Optional", "optional"> {
  let summary = "An ONNX optional; lives on the host";
  let parameters = (ins "mlir::Type":$element);
  let assemblyFormat = "`<` $element `>`";
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

def ConstantStepInterface : AttrInterface<"ConstantStepInterface"> {
  let cppNamespace = "::cameo::core";
  let description = [{
    A step that a constant goes through on its way into the weights: a layout,
    which is the last one, or what makes another dense tensor of it. Constants
    (compiler/Constants) makes the bytes.
  }];
  let methods = [
    InterfaceMethod<"Makes of the type in front of the step that behind it; refuses one that it does not take",
                    "::llvm::LogicalResult", "apply",
                    (ins "::cameo::core::SymTensorType &":$type,
                         "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError)>,
    InterfaceMethod<"Whether all elements are those of the tensor in front of it, or zeros", "bool",
                    "isMovement", (ins), "", "return true;">];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// A layout is the step of a constant that puts its elements there.
class Core_LayoutAttr<string name>
    : AttrDef<Core_Dialect, name,
              [DeclareAttrInterfaceMethods<ConstantStepInterface>]>;

def Core_BlockedLayoutAttr : Core_LayoutAttr<"BlockedLayout"> {
  let mnemonic = "blocked";
  let summary = "A layout whose axes are cut into blocks that lie innermost, with a halo";
  let description = [{
    With `#cameo.blocked<[1] by [16] halo [1, 1]>` the index (n, c, h, w) lies at
    (n, c / 16, h + 1, w + 1, c % 16) of a dense array: the last axes have
    `halo` zeros on either side, or, with `halo [1, 1] of 128`, as many 128s: what a
    zero point stands for. `#cameo.blocked<[1, 0] by [16, 16]>`, the weights of a
    convolution, puts (o, i, h, w) at (o / 16, i / 16, h, w, i % 16, o % 16).

    The last block of an axis is a whole one. Its lanes beyond the axis hold
    anything in a value, zeros in a constant; nothing may read one on the way to
    an element.
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$axes,
                        OptionalArrayRefParameter<"int64_t">:$blocks,
                        OptionalArrayRefParameter<"int64_t">:$halo,
                        DefaultValuedParameter<"int64_t", "0">:$fill);
  let assemblyFormat = [{
    `<` (`[` $axes^ `]` `by` ` ` `[` $blocks `]`)? (` ` `halo` ` ` `[` $halo^ `]`)? (` ` `of` ` ` $fill^)? `>`
  }];
  let genVerifyDecl = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    AttrBuilder<(ins "llvm::ArrayRef<int64_t>":$axes, "llvm::ArrayRef<int64_t>":$blocks,
                     "llvm::ArrayRef<int64_t>":$halo, CArg<"int64_t", "0">:$fill), [{
      return $_get($_ctxt, axes, blocks, halo, fill);
    }]>
  ];
  let extraClassDeclaration = [{
    /// How many elements of halo the axis has on either side, in a tensor of
    /// this rank.
    int64_t getHaloOf(int64_t axis, int64_t rank) const;
  }];
}

def Core_PackedLayoutAttr : Core_LayoutAttr<"PackedLayout"> {
  let mnemonic = "packed";
  let summary = "A layout of elements of less than a byte, in row-major order without gaps";
  let description = [{
    As ONNX has them in files and a caller in memory: one stream of bits, the
    first element in the low bits of the first byte, zeros behind the last. A
    tensor of such elements without a layout has a byte for each. Any number of
    threads may read a packed tensor; only whole bytes are written.
  }];
}

def Core_SymbolAttr : AttrDef<Core_Dialect, "Symbol"> {
  let mnemonic = "symbol";
  let summary = "A symbol where it is defined: its name and what is known of it";
  let description = [{
    `#cameo.symbol<"n">` is a dim of a tensor, in [0, 2^40];
    `#cameo.symbol<"axis" in [-4, 3]>` and `#cameo.symbol<"v" in [*, *]>`, which may
    be any integer, are values of the run;
    `#cameo.symbol<"w" in [0, 4096] by 32 bound 2 * N>` is a multiple of 32, and at
    most 2 * N; `#cameo.symbol<"n" likely 128>` usually is 128, which costs may go
    by and nothing else.
  }];
  let parameters = (ins "mlir::StringAttr":$nameAttr, "int64_t":$min, "int64_t":$max,
                        "int64_t":$divisor, "ExtentAttr":$bound,
                        "std::optional<int64_t>":$likely);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let builders = [
    AttrBuilder<(ins "llvm::StringRef":$name, CArg<"const SymbolFact &", "{}">:$fact,
                     CArg<"ExtentAttr", "{}">:$bound), [{
      return $_get($_ctxt, mlir::StringAttr::get($_ctxt, name), fact.min, fact.max, fact.divisor,
                   bound, fact.likely);
    }]>
  ];
  let extraClassDeclaration = [{
    llvm::StringRef getName() const { return getNameAttr().getValue(); }
    /// The symbol as extents name it.
    ExtentAttr getExtent() const { return ExtentAttr::symbol(getContext(), getName()); }
    SymbolFact getFact() const;
    ExtentRange getRange() const { return {getMin(), getMax()}; }
    SymbolAttr withName(llvm::StringRef name) const;
    SymbolAttr withFact(const SymbolFact &fact) const;
  }];
}

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

def Core_MachineAttr : AttrDef<Core_Dialect, "Machine"> {
  let mnemonic = "machine";
  let summary = "A processor: what it has, and what it takes for a unit of each resource";
  let description = [{
    `#cameo.machine<"x86_64", {fusion_ops = 24} prices {fma = 10}>`, shortened. Facts
    are numbers that stages decide by, prices what one unit of a resource costs,
    in the unit of the resource's record (Target/Machines.td). Every number of a
    processor is in here.
  }];
  let parameters = (ins StringRefParameter<>:$name, "mlir::DictionaryAttr":$facts,
                        "mlir::DictionaryAttr":$prices);
  let assemblyFormat = "`<` $name `,` $facts `prices` $prices `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The machine has every fact and price of its kernel set's records.
    int64_t getFact(llvm::StringRef fact) const;
    int64_t getPrice(llvm::StringRef resource) const;
  }];
}

def Core_TargetSideAttr : AttrDef<Core_Dialect, "TargetSide"> {
  let mnemonic = "side";
  let summary = "A side of a target: its kernels and the machines that run them";
  let parameters = (ins StringRefParameter<>:$kernels, ArrayRefParameter<"MachineAttr">:$machines);
  let assemblyFormat = "`<` `kernels` $kernels `,` `machines` `[` $machines `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The machine by which what is the same for all of them is decided.
    MachineAttr getMachine() const { return getMachines().front(); }
  }];
}

def Core_TargetAttr : AttrDef<Core_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "What a program is compiled for, as the module's attribute `cameo.target`";
  let description = [{
    `#cameo.target<"cuda", host = #cameo.side<...>, device = #cameo.side<...>,
    crossing = {readback = 50000}>`, shortened: a target with a device says what
    it takes to get from one side to the other, in nanoseconds. A pass asks this
    attribute and no option for what it has to know of machines.
  }];
  let parameters = (ins StringRefParameter<>:$name, "TargetSideAttr":$host,
                        OptionalParameter<"TargetSideAttr">:$device,
                        OptionalParameter<"mlir::DictionaryAttr">:$crossing);
  let assemblyFormat = [{
    `<` $name `,` `host` `=` $host (`,` `device` `=` $device^ `,` `crossing` `=` $crossing)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// That of the module around `op`; null where it has none.
    static TargetAttr lookup(mlir::Operation *op);
    /// Where operators are computed unless the host has to: the device, if there is one.
    TargetSideAttr getComputing() const { return getDevice() ? getDevice() : getHost(); }
    /// Nanoseconds. The target has a device.
    int64_t getCrossingCost(llvm::StringRef what) const;
  }];
}

/// Exactness that may be traded for speed (--precision), as the module's attribute `cameo.precision`. In
/// their order: what one allows the ones before it allow too.
def Core_Precision : I32EnumAttr<"Precision", "how exact results are", [
    // As Fast; beside that, factors of products of f32 on a device are rounded to this type.
    I32EnumAttrCase<"Bf16", 0, "bf16">,
    I32EnumAttrCase<"Fp16", 1, "fp16">,
    I32EnumAttrCase<"Tf32", 2, "tf32">,
    // Errors stay within 2e-5 of the largest element; of what is quantised again, within a step of its
    // scale. Sums and products with constants are joined.
    I32EnumAttrCase<"Fast", 3, "fast">,
    // As exact as the definition.
    I32EnumAttrCase<"Strict", 4, "strict">,
    // By the definition.
    I32EnumAttrCase<"Exact", 5, "exact">]> {
  let cppNamespace = "::cameo::core";
  let genSpecializedAttr = 0;
}
def Core_PrecisionAttr : EnumAttr<Core_Dialect, Core_Precision, "precision"> {
  let assemblyFormat = "`<` $value `>`";
  let extraClassDeclaration = [{
    /// That of the module around `op`; Exact where it has none.
    static Precision lookup(mlir::Operation *op);
  }];
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

def Core_Extent : Attr<CPred<"::llvm::isa<::cameo::core::ExtentAttr>($_self)">, "extent"> {
  let storageType = "::cameo::core::ExtentAttr";
  let returnType = "::cameo::core::ExtentAttr";
  let convertFromStorage = "$_self";
}
def Core_ExtentArray : TypedArrayAttrBase<Core_Extent, "array of extents">;
def Core_SymbolArray : TypedArrayAttrBase<Core_SymbolAttr, "array of symbols">;

#endif // CAMEO_DIALECT_CORE_IR_COREDIALECT_TD
