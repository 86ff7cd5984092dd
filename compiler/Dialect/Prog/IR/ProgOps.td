// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels, calls, views, transfers and control flow of the prog dialect. Emit prints kernels and
// calls with what is in them, and weights; the rest becomes ops of the host dialect, which print,
// before it. Where both have an op of one name, the host's is the statement.

#ifndef CAMEO_DIALECT_PROG_IR_PROGOPS_TD
#define CAMEO_DIALECT_PROG_IR_PROGOPS_TD

include "Dialect/Prog/IR/ConstantSteps.td"
include "Dialect/Prog/IR/ProgDialect.td"
include "Dialect/Prog/IR/ScalarOps.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Results of an op with regions. They are tensors of its own: an op that nobody reads can go, but
/// CSE leaves two alone. From outside, ops that differ in their regions only look alike, and CSE
/// would compare each with every other. Equal operators were made one before they came here.
class Own<Constraint type> : Res<type, "", [MemAlloc]>;

//===----------------------------------------------------------------------===//
// Computation
//===----------------------------------------------------------------------===//

def Prog_KernelOp : Prog_Op<"kernel", [
    AttrSizedOperandSegments, AlwaysSpeculatable, IsolatedFromAbove,
    SingleBlockImplicitTerminator<"YieldOp">, DeclareOpInterfaceMethods<BodyOpInterface>]> {
  let summary = "A loop nest with a scalar body";
  let description = [{
    Evaluates the body at every point of `extents`. Input k is read at
    `in_maps[k](index)[map_symbols]`; yielded value k is written to result k at
    `out_maps[k](index)[map_symbols]`. A result is a new tensor, or, when
    `ties[k] >= 0`, the destination `dests[ties[k]]` written in part.

    ```mlir
    %y = prog.kernel [N, 64] ins(%x, %b : ...) maps [(d0, d1) -> (d0, d1), (d0, d1) -> (d1)] {
    ^bb0(%x0: f32, %b0: f32):
      %0 = prog.s_add %x0, %b0 : f32
      prog.yield %0 : f32
    }
    ```
    prints as a functor and a call of `for_each`:
    ```c++
    struct add_body {
      const float *x; const float *b; float *y;
      CAMEO_DEVICE void operator()(const index<2> &i) const {
        y[i[0] * 64 + i[1]] = add(x[i[0] * 64 + i[1]], b[i[1]]);
      }
    };
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$ins, Variadic<Prog_Tensor>:$dests,
                       Prog_ExtentArray:$extents, AffineMapArrayAttr:$in_maps,
                       AffineMapArrayAttr:$out_maps, Prog_ExtentArray:$map_symbols,
                       DenseI64ArrayAttr:$ties);
  let results = (outs Own<Variadic<Prog_Tensor>>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $extents (`ins` `(` $ins^ `:` type($ins) `)`)? (`dests` `(` $dests^ `:` type($dests) `)`)?
    `maps` $in_maps `->` $out_maps `symbols` $map_symbols `ties` $ties attr-dict-with-keyword
    `:` type($outputs) $body
  }];
  let extraClassDeclaration = [{
    /// The rank of the iteration space.
    unsigned getRank() { return static_cast<unsigned>(getExtents().size()); }
  }];
}

def Prog_CallOp : Prog_Op<"call", [
    AttrSizedOperandSegments, AlwaysSpeculatable, NoTerminator, SingleBlock]> {
  let summary = "A call of a kernel template";
  let description = [{
    `callee` names a function template of codegen_templates. `params` become the
    members of its params object: integers and constant extents static ones,
    other extents ordinary ones; floats, booleans and (lists of) keywords too;
    `scalars` are host scalars that become members named by `scalar_names`, those
    of one name that ends in `[]` elements of an array.
    `ins` are dense pointers (null for `prog.null`), in the template's order.
    The region holds one `prog.load` per load functor, then one `prog.store` per
    store functor, in the template's order. Results that no store writes are
    passed as pointers after `ins` (null when unused); result k is
    `dests[ties[k]]` when `ties[k] >= 0`. `types` are explicit template
    arguments such as `combine::max<float>`. All of it is held against the
    template's record (KernelTemplates.h).

    `mask`, of a template that may raise an error, is a bool on the device: where
    it is false, the call suppresses what it would raise an error for and raises
    none. So a branch is computed that may not be the one that is taken.
  }];
  let arguments = (ins StrAttr:$callee, DictionaryAttr:$params, StrArrayAttr:$types,
                       Variadic<AnyType>:$ins, Variadic<Prog_Tensor>:$dests,
                       Variadic<Prog_Scalar>:$scalars,
                       Optional<Prog_DeviceTensor>:$mask,
                       DefaultValuedAttr<StrArrayAttr, "{}">:$scalar_names,
                       DenseI64ArrayAttr:$ties);
  let results = (outs Own<Variadic<Prog_Tensor>>:$outputs);
  let regions = (region SizedRegion<1>:$functors);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let assemblyFormat = [{
    $callee $types $params (`ins` `(` $ins^ `:` type($ins) `)`)?
    (`dests` `(` $dests^ `:` type($dests) `)`)?
    (`scalars` $scalar_names `(` $scalars^ `:` type($scalars) `)`)?
    (`mask` `(` $mask^ `:` type($mask) `)`)? `ties` $ties attr-dict `:` type($outputs) $functors
  }];
  let extraClassDeclaration = [{
    /// The functors in order: loads, then stores.
    llvm::SmallVector<LoadOp, 2> getLoads();
    llvm::SmallVector<StoreOp, 2> getStores();
    /// Whether result `number` is written by a store functor.
    bool isStored(unsigned number);
  }];
}

class Prog_FunctorOp<string mnemonic, list<Trait> traits = []> : Prog_Op<mnemonic, traits # [
    IsolatedFromAbove, SingleBlockImplicitTerminator<"YieldOp">, HasParent<"CallOp">,
    DeclareOpInterfaceMethods<BodyOpInterface>]> {
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def Prog_LoadOp : Prog_FunctorOp<"load"> {
  let summary = "A load functor: one element of a call's input";
  let description = [{
    Yields the element at the index that the template asks for; the region's
    first `num_values` arguments are values that the template brings (what an
    activation is applied to). Prints as a struct whose
    `operator()(const index<R> &i, T value)` returns the element.
  }];
  let arguments = (ins Variadic<AnyType>:$ins, I64Attr:$rank, I64Attr:$num_values,
                       AffineMapArrayAttr:$in_maps, Prog_ExtentArray:$map_symbols);
  let extraClassDeclaration = [{
    /// How often the template may ask for one element, by its record; nullopt when nothing that the
    /// compiler knows bounds it.
    std::optional<int64_t> getTimes();
  }];
  let assemblyFormat = [{
    $rank `values` $num_values (`ins` `(` $ins^ `:` type($ins) `)`)? `maps` $in_maps `symbols` $map_symbols
    attr-dict-with-keyword $body
  }];
}

def Prog_StoreOp : Prog_FunctorOp<"store"> {
  let summary = "A store functor: what happens to one element of a call's result";
  let description = [{
    The region's first `num_values` arguments are the values that the template
    brings, the rest its inputs at the index; yielded value k is written to
    result `targets[k]` of the call at `out_maps[k](index)`. Prints as a struct
    whose `operator()(const index<R> &i, T value)` stores.
  }];
  let arguments = (ins Variadic<AnyType>:$ins, I64Attr:$rank, I64Attr:$num_values,
                       AffineMapArrayAttr:$in_maps, AffineMapArrayAttr:$out_maps,
                       Prog_ExtentArray:$map_symbols, DenseI64ArrayAttr:$targets);
  let assemblyFormat = [{
    $rank `values` $num_values (`ins` `(` $ins^ `:` type($ins) `)`)?
    `maps` $in_maps `->` $out_maps `symbols` $map_symbols `targets` $targets
    attr-dict-with-keyword $body
  }];
}

def Prog_YieldOp : Prog_Op<"yield", [Pure, Terminator,
    DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>, ParentOneOf<["KernelOp", "LoadOp", "StoreOp", "IfOp", "LoopOp"]>]> {
  let summary = "The values of a region";
  let description = [{
    `extents` are the values of the symbols that an enclosing `prog.if` or
    `prog.loop` has behind the branch, or in the next iteration.
  }];
  let arguments = (ins Variadic<AnyType>:$values, OptionalAttr<Prog_ExtentArray>:$extents);
  let builders = [
    OpBuilder<(ins), [{ build($_builder, $_state, mlir::ValueRange(), mlir::ArrayAttr()); }]>,
    OpBuilder<(ins "mlir::ValueRange":$values), [{
      build($_builder, $_state, values, mlir::ArrayAttr());
    }]>];
  let assemblyFormat = "($values^ `:` type($values))? (`extents` $extents^)? attr-dict";
}

def Prog_ExternalOp : Prog_Op<"external", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "A call of a function of the user's";
  let description = [{
    Results are what the function writes, then, with `counts`, an integer tensor of
    the extents that it tells, all on the side that it runs on. With `asks` that is
    all: the function is called for the extents alone, and `num_outputs` of its
    results have no memory. Operands that are absent are `prog.null`.

    Unless it is `pure`, it is called whether or not anything reads a result.
  }];
  let arguments = (ins StrAttr:$function, Variadic<Prog_Tensor>:$ins, I64Attr:$num_outputs,
                       StrArrayAttr:$names, ArrayAttr:$values, UnitAttr:$counts, UnitAttr:$asks,
                       UnitAttr:$pure);
  let results = (outs Variadic<Prog_Tensor>:$outputs);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $function (`ins` `(` $ins^ `:` type($ins) `)`)? `writes` $num_outputs `given` $names $values
    (`counts` $counts^)? (`asks` $asks^)? (`pure` $pure^)? attr-dict `:` type($outputs)
  }];
}

//===----------------------------------------------------------------------===//
// Tensors without computation
//===----------------------------------------------------------------------===//

def Prog_WeightOp : Prog_Op<"weight", [Pure]> {
  let summary = "A constant of the model, part of the weights blob";
  let description = [{
    `value` is in row-major order. It goes through the steps (ConstantStepInterface)
    when the blob is written, at an offset that Plan chooses; the last one is the
    layout of the type, with zeros in lanes and halos:
    ```
    %w = prog.weight dense<...> : tensor<64x32x3x3xi8> through [#prog.sum<factor = 3>, #cameo.blocked<[0] by [16]>]
        : <[64], i32, host, #cameo.blocked<[0] by [16]>>
    ```
    The builder adds the layout of `output` to `steps`.
  }];
  let arguments = (ins ElementsAttr:$value, OptionalAttr<StrAttr>:$name,
                       OptionalAttr<ArrayAttr>:$steps);
  let results = (outs Prog_Tensor:$output);
  let builders = [OpBuilder<(ins "mlir::Type":$output, "mlir::ElementsAttr":$value,
                                 CArg<"llvm::ArrayRef<mlir::Attribute>", "{}">:$steps)>];
  let hasVerifier = 1;
  let assemblyFormat = "$value ($name^)? (`through` $steps^)? attr-dict `:` type($output)";
}

def Prog_NullOp : Prog_Op<"null", [Pure]> {
  let summary = "An optional input of a template that is absent";
  let results = (outs Prog_Tensor:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
}

def Prog_EmptyOp : Prog_Op<"empty"> {
  let summary = "A tensor without contents, to be written through destinations";
  let results = (outs Prog_Tensor:$output);
  let assemblyFormat = "attr-dict `:` type($output)";
}

def Prog_ViewOp : Prog_Op<"view", [Pure]> {
  let summary = "The same elements in row-major order under other extents";
  let description = [{
    `offset` elements into the source, which stays dense. Costs nothing.
  }];
  let arguments = (ins Prog_Tensor:$source, Prog_Extent:$offset);
  let results = (outs Prog_Tensor:$output);
  let hasFolder = 1;
  let hasVerifier = 1;
  let assemblyFormat = "$source `[` $offset `]` attr-dict `:` type($source) `->` type($output)";
}

def Prog_RepackOp : Prog_Op<"repack", [Pure]> {
  let summary = "The same tensor in another layout";
  let description = [{
    It stands at inputs and outputs of elements below a byte, which are packed
    outside and whole inside. Structure turns it into kernels.
  }];
  let arguments = (ins Prog_Tensor:$source);
  let results = (outs Prog_Tensor:$output);
  let hasVerifier = 1;
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($output)";
}

//===----------------------------------------------------------------------===//
// Host scalars and symbols
//===----------------------------------------------------------------------===//

def Prog_ElementOp : Prog_Op<"element", [Pure]> {
  let summary = "One element of a host tensor";
  let description = "Reads memory, so the tensor must be on the host.";
  let arguments = (ins Prog_HostTensor:$tensor, Prog_Extent:$offset);
  let results = (outs Prog_Scalar:$output);
  let hasFolder = 1;
  let assemblyFormat = "$tensor `[` $offset `]` attr-dict `:` type($tensor) `->` type($output)";
}

def Prog_FromElementsOp : Prog_Op<"from_elements", [Pure]> {
  let summary = "A host tensor of static length made of scalars";
  let arguments = (ins Variadic<Prog_Scalar>:$elements);
  let results = (outs Prog_HostTensor:$output);
  let assemblyFormat = "($elements^ `:` type($elements))? attr-dict `->` type($output)";
}

def Prog_FromExtentsOp : Prog_Op<"from_extents", [Pure]> {
  let summary = "An integer tensor whose elements are extents";
  let description = [{
    What the Shape stage makes of every value that follows from dims: neither
    side owns it, kernels take its elements as scalars.
  }];
  let arguments = (ins Prog_ExtentArray:$elements);
  let results = (outs Prog_Tensor:$output);
  let assemblyFormat = "$elements attr-dict `->` type($output)";
}

/// Defines symbols that have their values behind it.
class Prog_SymbolOp<string mnemonic>
    : Prog_Op<mnemonic, [DeclareOpInterfaceMethods<Core_SymbolDefiningOp, ["isCheck"]>]>;

def Prog_BindElementsOp : Prog_SymbolOp<"bind_elements"> {
  let summary = "Names the elements of an integer tensor as symbols";
  let description = [{
    The tensor's value decides an extent, so it is needed on the host. Structure
    turns it into one `prog.bind` per element; where a symbol has fewer values
    than the element type, the run checks it.

    `on_device` the symbols are the device's, of which the host has no value, and
    Structure turns it into one `prog.count` per element; an element out of its
    symbol's range is taken for the nearest one in it.
  }];
  let arguments = (ins Prog_Tensor:$tensor, Core_SymbolArray:$symbols, UnitAttr:$on_device);
  let assemblyFormat = [{
    $symbols `=` $tensor (`on_device` $on_device^)? attr-dict `:` type($tensor)
  }];
  let extraClassDeclaration = [{
    /// The values that a symbol has by its element type.
    core::ExtentRange getElementRange();
  }];
}

def Prog_BindOp : Prog_SymbolOp<"bind"> {
  let summary = "Defines a symbol by a host scalar";
  let description = [{
    `const int64_t k = ...;`. Where it is `checked`, a value out of the symbol's
    range ends the run with `code` (a name of status.h) naming the node.
  }];
  let arguments = (ins Core_SymbolAttr:$symbol, I64:$value, UnitAttr:$checked,
                       DefaultValuedStrAttr<StrAttr, "invalid_argument">:$code);
  let assemblyFormat = "$symbol `=` $value (`checked` $checked^)? attr-dict-with-keyword";
}

def Prog_DefineOp : Prog_SymbolOp<"define"> {
  let summary = "Defines a symbol as an extent";
  let description = [{
    What would be long to say wherever it is used is computed once, on the host:
    `int64_t k = 0; CAMEO_TRY(define(k, ..., node));`. A value that does not fit
    64 bits or, where it is `checked`, the symbol's range, ends the run with
    INVALID_ARGUMENT naming the node. Of symbols on the device it is one itself,
    which Plan makes a kernel and a `prog.count` of.
  }];
  let arguments = (ins Core_SymbolAttr:$symbol, Prog_Extent:$extent, UnitAttr:$checked);
  let assemblyFormat = "$symbol `=` $extent (`checked` $checked^)? attr-dict-with-keyword";
}

def Prog_CountOp : Prog_SymbolOp<"count"> {
  let summary = "Defines a symbol by an integer that a kernel has left on the device";
  let description = [{
    The only element of `count`, which is in the symbol's range and at most its
    bound. Kernels on the device read it there when they run; the host has the
    bound, by which it sizes memory and grids. Plan turns it into a readback and
    a `prog.bind` where the host has to know more.
  }];
  let arguments = (ins Core_SymbolAttr:$symbol, Prog_DeviceTensor:$count);
  let assemblyFormat = "$symbol `=` $count attr-dict `:` type($count)";
}

def Prog_ExtentsOp : Prog_Op<"extents"> {
  let summary = "Tells the caller extents of outputs that the device has counted";
  let description = [{
    Element k of `extents` is that of axis `axes[k]` of output `outputs[k]`. One
    copy behind the run, for which nobody waits before asking.
  }];
  let arguments = (ins Prog_DeviceTensor:$extents, DenseI64ArrayAttr:$outputs,
                       DenseI64ArrayAttr:$axes);
  let hasVerifier = 1;
  let assemblyFormat = "$extents `of` $outputs `axes` $axes attr-dict `:` type($extents)";
}

def Prog_RankOp : Prog_Op<"rank"> {
  let summary = "Tells the caller how many dims an output has, where a branch decides that";
  let description = [{
    The last `rank` dims of the type of output `output` are its own; those in front
    of them are 1.
  }];
  let arguments = (ins I64Attr:$output, Prog_Extent:$rank);
  let assemblyFormat = "$output `=` $rank attr-dict";
}

def Prog_CheckOp : Prog_Op<"check"> {
  let summary = "Ends the run with a status unless a condition holds";
  let description = [{
    `CAMEO_CHECK(condition, code, node, got, expected)`. `relation` compares the
    two extents: `eq`, `le`, `ge`, or `broadcast` (equal or either 1). The code
    `assertion` is what a user's assertion ends with: OUT_OF_RANGE, naming it.
  }];
  let arguments = (ins StrAttr:$relation, Prog_Extent:$got, Prog_Extent:$expected, StrAttr:$code,
                       StrAttr:$message);
  let assemblyFormat = "$got $relation $expected `else` $code $message attr-dict";
}

def Prog_AssertOp : Prog_Op<"assert"> {
  let summary = "What the user has said of an integer tensor's elements";
  let description = [{
    Element k is at least `least[k]` and at most `most[k]`; `?` says nothing. The
    location names the assertion. It is read where the tensor is, so it is no
    reason for a copy. Structure makes checks of it on the host, and on the device
    a call that raises an error and goes on.

    With `demanded` the model says it: the condition of an If of which only one branch
    can be run chooses that one, and the location names the operator that says so.
  }];
  let arguments = (ins Prog_Tensor:$tensor, Prog_ExtentArray:$least, Prog_ExtentArray:$most,
                       UnitAttr:$demanded);
  let hasVerifier = 1;
  let assemblyFormat = [{
    (`demanded` $demanded^)? $tensor `in` $least `to` $most attr-dict `:` type($tensor)
  }];
  let extraClassDeclaration = [{
    /// Demands that `condition`, of one element, is `value`, since an operator at
    /// `location` cannot be run otherwise.
    static AssertOp demand(mlir::OpBuilder &builder, mlir::Location location,
                           mlir::Value condition, bool value);
  }];
}

def Prog_KeepOp : Prog_Op<"keep"> {
  let summary = "Reads a tensor for nothing";
  let description = [{
    A call that nobody reads would go, and the error that it may raise with it; an
    operator, and the symbols that it defines.
  }];
  let arguments = (ins Prog_Tensor:$tensor);
  let assemblyFormat = "$tensor attr-dict `:` type($tensor)";
}

//===----------------------------------------------------------------------===//
// Crossings
//===----------------------------------------------------------------------===//

def Prog_FetchOp : Prog_Op<"fetch"> {
  let summary = "Starts an asynchronous copy of a device tensor to the host";
  let arguments = (ins Prog_DeviceTensor:$source);
  let results = (outs Prog_TicketType:$ticket);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($ticket)";
}

def Prog_AwaitOp : Prog_Op<"await", [
    DeclareOpInterfaceMethods<WaitOpInterface, ["isLeftToDevice"]>]> {
  let summary = "Blocks until a fetch has arrived";
  let description = [{
    The one op that blocks the caller.

    `chooses`: what arrives are bools of which each is the condition of one or more
    `prog.if` behind it, or is the next condition of the `prog.loop` around it, and
    that nothing else reads. A captured run reads it on the device and has both
    branches (`cameo-choose-on-device`); of a loop every run leaves it there
    (`cameo-repeat-on-device`).
  }];
  let arguments = (ins Prog_TicketType:$ticket, UnitAttr:$chooses);
  let results = (outs Prog_HostTensor:$output);
  let assemblyFormat = "$ticket (`chooses` $chooses^)? attr-dict `:` type($ticket) `->` type($output)";
  let builders = [OpBuilder<(ins "::mlir::Type":$output, "::mlir::Value":$ticket), [{
    build($_builder, $_state, output, ticket, /*chooses=*/false);
  }]>];
}

def Prog_UploadOp : Prog_Op<"upload", [Pure]> {
  let summary = "A host tensor's copy on the device";
  let description = "The copy is asynchronous.";
  let arguments = (ins Prog_HostTensor:$source);
  let results = (outs Prog_DeviceTensor:$output);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($output)";
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def Prog_IfOp : Prog_Op<"if", [
    DeclareOpInterfaceMethods<RegionBranchOpInterface, ["areTypesCompatible"]>,
    DeclareOpInterfaceMethods<Core_SymbolDefiningOp>,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A branch taken on the host";
  let description = [{
    `symbols` are defined by the branch that is taken: as the extents that it
    yields. Results may have extents that name them. The device has those whose
    numbers the mark `cameo.counted` lists (README of Plan).
  }];
  let arguments = (ins I1:$condition, Core_SymbolArray:$symbols);
  let results = (outs Own<Variadic<AnyType>>:$outputs);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $condition `defines` $symbols attr-dict-with-keyword
    (`:` type($outputs)^)? $then_region `else` $else_region
  }];
  let extraClassDeclaration = [{
    /// The symbols' values behind each branch.
    llvm::ArrayRef<mlir::Attribute> getThenExtents();
    llvm::ArrayRef<mlir::Attribute> getElseExtents();
  }];
}

def Prog_LoopOp : Prog_Op<"loop", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<RegionBranchOpInterface,
                              ["getEntrySuccessorOperands", "areTypesCompatible"]>,
    DeclareOpInterfaceMethods<Core_SymbolDefiningOp>,
    RecursiveMemoryEffects, SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A loop run by the host";
  let description = [{
    Runs at most `trip_count` times (no limit when absent), while the condition
    holds (always, when absent). `iv` is the symbol of the iteration number. The
    body's arguments are the carried values; it yields the next condition (when
    `condition` is given), then the next carried values. `count`, when given, is
    a symbol defined after the loop: how often the body ran; `trip` bounds that
    where a bound is known. Carried symbol k
    starts as `init_extents[k]` and becomes the k-th extent that the body yields
    after each iteration; after the loop it keeps its last value.

    With the mark `cameo.repeats` the device runs the loop, and the symbols are the
    device's; with `cameo.counted` the carried symbols of its numbers are (README of
    Plan).

    ```c++
    bool keep_going = cond;
    for (int64_t i = 0; i < trip_count && keep_going; ++i) { ... }
    ```
  }];
  let arguments = (ins Optional<I64>:$trip_count, Optional<I1>:$condition,
                       Variadic<AnyType>:$inits, Core_SymbolAttr:$iv,
                       OptionalAttr<Prog_Extent>:$trip, OptionalAttr<Core_SymbolAttr>:$count,
                       Core_SymbolArray:$symbols, Prog_ExtentArray:$init_extents);
  let results = (outs Own<Variadic<AnyType>>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $iv (`to` $trip_count^)? (`while` $condition^)? (`trip` $trip^)? (`count` $count^)?
    (`carry` `(` $inits^ `:` type($inits) `)`)?
    `symbols` $symbols `=` $init_extents attr-dict-with-keyword
    (`:` type($outputs)^)? $body
  }];
  let extraClassDeclaration = [{
    /// The carried symbols' values in the next iteration.
    llvm::ArrayRef<mlir::Attribute> getNextExtents();
  }];
}

#endif // CAMEO_DIALECT_PROG_IR_PROGOPS_TD
