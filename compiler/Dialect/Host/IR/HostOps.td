// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statements of a generated program.

#ifndef CAMEO_DIALECT_HOST_IR_HOSTOPS_TD
#define CAMEO_DIALECT_HOST_IR_HOSTOPS_TD

include "Dialect/Host/IR/HostDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Host_Op<string mnemonic, list<Trait> traits = []> : Op<Host_Dialect, mnemonic, traits>;

/// An op with one result, a variable called `name`.
class Host_NamedOp<string mnemonic, list<Trait> traits = []>
    : Host_Op<mnemonic, traits # [DeclareOpInterfaceMethods<HostNamedOpInterface>]> {
  let extraClassDefinition = [{
    llvm::StringRef $cppClass::getNameOf(mlir::Value) { return getName(); }
  }];
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

def Host_SymbolOp : Host_NamedOp<"symbol", [Pure]> {
  let summary = "A symbol that the shape program has computed";
  let description = "Prints as `s.N`.";
  let arguments = (ins StrAttr:$name);
  let results = (outs I64:$output);
  let assemblyFormat = "$name attr-dict";
}

def Host_EvaluateOp : Host_Op<"evaluate", [Pure]> {
  let summary = "The value of an extent";
  let description = [{
    The operands are the extent's symbols, in the order in which it names them.
    Prints as an expression of theirs, checked for overflow where it decides how
    much memory there is: `checked(s.N) * 4`.
  }];
  let arguments = (ins Prog_Extent:$extent, Variadic<I64>:$symbols);
  let results = (outs I64:$output);
  let hasVerifier = 1;
  let assemblyFormat = "$extent `(` $symbols `)` attr-dict";
  let extraClassDeclaration = [{
    /// The value of one of the extent's symbols.
    mlir::Value getValueOf(llvm::StringRef symbol);
  }];
}

def Host_BindOp : Host_NamedOp<"bind", [AllTypesMatch<["value", "output"]>]> {
  let summary = "Gives a scalar a name";
  let description = [{
    `const int64_t k = ...;`; with `entry` a member of what the shape program
    computes, `s.k = ...;`.
  }];
  let arguments = (ins StrAttr:$name, Prog_Scalar:$value, UnitAttr:$entry);
  let results = (outs Prog_Scalar:$output);
  let assemblyFormat = "(`entry` $entry^)? $name `=` $value attr-dict `:` type($value)";
}

def Host_DefineOp : Host_NamedOp<"define", [AllTypesMatch<["value", "output"]>]> {
  let summary = "Gives a number a name, if it fits 64 bits";
  let description = [{
    `int64_t k = 0; CAMEO_TRY(define(k, checked(s.N) * 4, node));`; with `entry`
    the number is a member of what the shape program computes.
  }];
  let arguments = (ins StrAttr:$name, I64:$value, UnitAttr:$entry);
  let results = (outs I64:$output);
  let assemblyFormat = "(`entry` $entry^)? $name `=` $value attr-dict";
}

def Host_ElementOp : Host_Op<"element", [Pure]> {
  let summary = "One element of a host tensor";
  let description = "Prints as `t[offset]`, where it is used.";
  let arguments = (ins Prog_HostTensor:$tensor, I64:$offset);
  let results = (outs Prog_Scalar:$output);
  let assemblyFormat = "$tensor `[` $offset `]` attr-dict `:` type($tensor) `->` type($output)";
}

def Host_CheckOp : Host_Op<"check"> {
  let summary = "Ends the function with a status unless a condition holds";
  let description = [{
    ```c++
    if (k > 64)
      return error_shape_value(node, k, 64);
    ```
  }];
  let arguments = (ins Host_Relation:$relation, I64:$got, I64:$expected, StrAttr:$code);
  let assemblyFormat = "$got $relation $expected `else` $code attr-dict";
}

//===----------------------------------------------------------------------===//
// The shape program
//===----------------------------------------------------------------------===//

def Host_ReadDimsOp : Host_Op<"read_dims"> {
  let summary = "Holds the inputs against the model's table and takes symbols from their dims";
  let description = [{
    ```c++
    int64_t dims[2];
    CAMEO_TRY(check_dims(net_model, in, count, dims));
    s.N = dims[0];
    ```
  }];
  let arguments = (ins StrArrayAttr:$symbols);
  let assemblyFormat = "$symbols attr-dict";
}

def Host_InputDataOp : Host_NamedOp<"input_data"> {
  let summary = "The elements of an input that decides extents";
  let description = "Prints as `const auto *k = static_cast<const int64_t *>(in[0].data);`.";
  let arguments = (ins I64Attr:$input, StrAttr:$name);
  let results = (outs Prog_HostTensor:$output);
  let assemblyFormat = "$input $name attr-dict `:` type($output)";
}

def Host_CheckDimOp : Host_Op<"check_dim"> {
  let summary = "Holds a dim of an input to a number";
  let description = [{
    ```c++
    if (in[0].dims[1] != 2 * s.N)
      return error_dim(0, 1, in[0].dims[1], 2 * s.N);
    ```
  }];
  let arguments = (ins I64Attr:$input, I64Attr:$axis, I64:$value);
  let assemblyFormat = "$input `,` $axis `is` $value attr-dict";
}

def Host_CheckDivisorOp : Host_Op<"check_divisor"> {
  let summary = "Holds a symbol to what the user says of its divisor";
  let description = [{
    ```c++
    if (s.N % 8 != 0)
      return error_divisor(s.N, 8);
    ```
  }];
  let arguments = (ins I64:$value, I64Attr:$divisor);
  let assemblyFormat = "$value `by` $divisor attr-dict";
}

def Host_ReadSymbolsOp : Host_Op<"read_symbols"> {
  let summary = "Runs the shape program";
  let description = [{
    Prints as `CAMEO_TRY(read_symbols(in, 2, s));`; without `count` the caller
    says how many inputs there are.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$count);
  let assemblyFormat = "($count^)? attr-dict";
}

def Host_SetShapeOp : Host_Op<"set_shape"> {
  let summary = "Says what an output needs, in dims";
  let description = "`CAMEO_TRY(infer_shape(net_model, out, output_count, 0, {s.N, 10}));`";
  let arguments = (ins I64Attr:$output, Variadic<I64>:$dims);
  let assemblyFormat = "$output `[` $dims `]` attr-dict";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Host_SizeRowsOp : Host_Op<"size_rows"> {
  let summary = "Sizes the rows of an arena, as far as they are known before the first step";
  let description = [{
    `sizes` has for each of `rows` which of `bytes` it takes, -1 for one that waits for a symbol.
    A table, since many rows are of few sizes:
    ```c++
    static constexpr buffer_life rows[] = {{0, 2, 5}, {0, 3, 4}, {-1, 5, 6}};
    const int64_t bytes[] = {bytes_of(checked(s.N) * 4)};
    size_rows(b, rows, bytes);
    ```
  }];
  let arguments = (ins Core_Side:$side, DenseI64ArrayAttr:$rows, DenseI64ArrayAttr:$sizes,
                       Variadic<I64>:$bytes);
  let hasVerifier = 1;
  let assemblyFormat = "$side `rows` $rows `sizes` $sizes `of` `(` $bytes `)` attr-dict";
}

def Host_PlanOp : Host_Op<"plan"> {
  let summary = "Sizes and places the buffers, unless they were for the same symbols already";
  let description = [{
    ```c++
    if (c.changed(kept.sized, s)) {
      size_buffers(s, b);
      CAMEO_TRY(c.plan(b));
      c.remember(kept.sized, s);
    }
    ```
    and `CAMEO_TRY(c.plan(4096));` for an arena whose places are constants: then
    its length is given.
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$host_bytes, OptionalAttr<I64Attr>:$device_bytes);
  let assemblyFormat = "(`host` $host_bytes^)? (`device` $device_bytes^)? attr-dict";
}

def Host_ReplanOp : Host_Op<"replan"> {
  let summary = "Sizes and places rows that have waited for a symbol";
  let description = [{
    `from` is the first step at which one of them is alive.
    ```c++
    b[3].bytes = bytes_of(checked(k) * 4);
    CAMEO_TRY(c.replan(b, 7));
    ```
  }];
  let arguments = (ins Core_Side:$side, I64Attr:$from, DenseI64ArrayAttr:$rows,
                       Variadic<I64>:$bytes);
  let hasVerifier = 1;
  let assemblyFormat = "$side `from` $from `rows` $rows `bytes` `(` $bytes `)` attr-dict";
}

def Host_AtOp : Host_Op<"at", [Pure, DeclareOpInterfaceMethods<HostNamedOpInterface>]> {
  let summary = "The memory of a row";
  let description = [{
    Prints as `float *h = c.at<float>(b.h);`, without a name where it is used.
  }];
  let arguments = (ins I64Attr:$row, OptionalAttr<StrAttr>:$name);
  let results = (outs Prog_Tensor:$output);
  let assemblyFormat = "$row ($name^)? attr-dict `:` type($output)";
  let extraClassDefinition = [{
    llvm::StringRef $cppClass::getNameOf(mlir::Value) { return getName().value_or(""); }
  }];
}

def Host_ConstantsOp : Host_Op<"constants"> {
  let summary = "The constants of the model on a side";
  let description = [{
    `const weights &w = c.constants<weights>();`: `prog.weight` prints as a
    member of it, `w.fc1_weight`.
  }];
  let arguments = (ins Core_Side:$side);
  let assemblyFormat = "$side attr-dict";
}

def Host_LocalOp : Host_NamedOp<"local"> {
  let summary = "A few elements for the host's own use";
  let description = "Prints as `int64_t t[4];`.";
  let arguments = (ins StrAttr:$name);
  let results = (outs Prog_HostTensor:$output);
  let assemblyFormat = "$name attr-dict `:` type($output)";
}

def Host_ViewOp : Host_Op<"view", [Pure]> {
  let summary = "The same elements under other extents, `offset` elements on";
  let description = "Prints as `pointer + offset`, where it is used.";
  let arguments = (ins Prog_Tensor:$source, Optional<I64>:$offset);
  let results = (outs Prog_Tensor:$output);
  let assemblyFormat = "$source (`[` $offset^ `]`)? attr-dict `:` type($source) `->` type($output)";
}

def Host_DescribeArenaOp : Host_Op<"describe_arena"> {
  let summary = "Tells how long an arena is, and what is in it when it is fullest";
  let description = [{
    With `bytes` it is known: `describe_arena(4096, 1024, "h", *plan);`. Without,
    buffers are sized and packed first.
  }];
  let arguments = (ins Core_Side:$side, OptionalAttr<I64Attr>:$bytes,
                       OptionalAttr<I64Attr>:$peak_row);
  let assemblyFormat = "$side (`bytes` $bytes^)? (`peak` $peak_row^)? attr-dict";
}

def Host_LateSymbolsOp : Host_Op<"late_symbols"> {
  let summary = "Tells how many symbols that sizes depend on become known in the run";
  let description = "Prints as `plan->late_symbols = 2;`.";
  let arguments = (ins I64Attr:$count);
  let assemblyFormat = "$count attr-dict";
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

def Host_BindInputOp : Host_NamedOp<"bind_input"> {
  let summary = "The elements of an input";
  let description = "Prints as `const float *x = c.input<float>(in[0]);`.";
  let arguments = (ins I64Attr:$input, StrAttr:$name);
  let results = (outs Prog_Tensor:$output);
  let assemblyFormat = "$input $name attr-dict `:` type($output)";
}

def Host_BindOutputOp : Host_NamedOp<"bind_output"> {
  let summary = "Where to write an output";
  let description = "Prints as `float *y = c.output<float>(out[0], {s.N, 10});`.";
  let arguments = (ins I64Attr:$number, StrAttr:$name, Variadic<I64>:$dims);
  let results = (outs Prog_Tensor:$output);
  let assemblyFormat = "$number $name `[` $dims `]` attr-dict `:` type($output)";
}

def Host_StridedOp : Host_Op<"strided", [Pure]> {
  let summary = "Whether an output that is bound is written at strides of the caller's";
  let description = "Prints as `c.strided(out[0])`, of several with `||` between, where it is used.";
  let arguments = (ins DenseI64ArrayAttr:$outputs);
  let results = (outs I1:$result);
  let assemblyFormat = "$outputs attr-dict";
}

def Host_StrideOp : Host_Op<"stride", [Pure]> {
  let summary = "The stride of a dim of an output that is bound";
  let description = "Prints as `c.stride(out[0], 1)`, where it is used.";
  let arguments = (ins I64Attr:$output, I64Attr:$dim);
  let results = (outs I64:$result);
  let assemblyFormat = "$output `dim` $dim attr-dict";
}

def Host_ApartOp : Host_Op<"apart", [Pure, SameVariadicOperandSize]> {
  let summary = "Whether outputs are bound elsewhere than the inputs that they update";
  let description = "Prints as `y != x`, of several with `||` between, where it is used.";
  let arguments = (ins Variadic<Prog_Tensor>:$outputs, Variadic<Prog_Tensor>:$inputs);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $outputs `from` $inputs attr-dict `:` type($outputs) `from` type($inputs)
  }];
}

def Host_CopiedOp : Host_Op<"copied"> {
  let summary = "Counts the bytes that a kernel copies from tensor to tensor";
  let description = "Prints as `c.copied(4 * checked(s.N));`.";
  let arguments = (ins I64:$bytes);
  let assemblyFormat = "$bytes attr-dict";
}

def Host_ReadyOp : Host_Op<"ready"> {
  let summary = "Ends the run if a binding has failed";
  let description = "Prints as `CAMEO_TRY(c.ready());`.";
  let assemblyFormat = "attr-dict";
}

def Host_DeliverOp : Host_Op<"deliver"> {
  let summary = "Starts the copy to the host of an output that is complete";
  let description = "Prints as `c.deliver(out[0]);`.";
  let arguments = (ins I64Attr:$output);
  let assemblyFormat = "$output attr-dict";
}

def Host_ShrinkOp : Host_Op<"shrink", [AttrSizedOperandSegments]> {
  let summary = "The extents that an output turned out to have";
  let description = [{
    Prints as `c.shrink(out[0], {count});`. Where the run decides how many there
    are, they are the last `rank` of `dims`.
  }];
  let arguments = (ins I64Attr:$output, Variadic<I64>:$dims, Optional<I64>:$rank);
  let assemblyFormat = "$output `[` $dims `]` (`rank` $rank^)? attr-dict";
}

def Host_RestOp : Host_Op<"rest", [SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "The host's work on what a run has fetched, when the run is finished";
  let description = [{
    Stands in front of `host.done`, and holds nothing but work for the host, on
    memory that has its place.
    ```c++
    auto rest = [=](context &c) -> status {
      ...
      return c.ready();
    };
    ```
  }];
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = "attr-dict-with-keyword $body";
}

def Host_DoneOp : Host_Op<"done"> {
  let summary = "Ends the run";
  let description = "Prints as `return c.done();`, with the `host.rest` in front of it.";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

def Host_StepOp : Host_Op<"step"> {
  let summary = "The comment over what a node became";
  let description = [{
    `// 3. Conv "conv1" + Relu "relu1" -> [N, 16, 8, 8]`. The nodes are its
    location's; `callee` tells apart several steps of one node.
  }];
  let arguments = (ins I64Attr:$number, TypeArrayAttr:$shapes, OptionalAttr<StrAttr>:$callee);
  let assemblyFormat = "$number $shapes (`by` $callee^)? attr-dict";
}

def Host_LaunchOp : Host_Op<"launch", [NoTerminator, SingleBlock]> {
  let summary = "Starts a kernel";
  let description = [{
    The region holds one `prog.kernel` or `prog.call`, the text of a function of
    its own. It writes every result that it has memory for through a destination.
    `symbols` are those that it names, `values` what they are here.

    `strides`, where there are any, has the strides of the memory of each result,
    extents in these symbols: none for what is dense.

    Finish makes a `host.kernel` of the region and a `host.launch_kernel` of the rest.
  }];
  let arguments = (ins Variadic<AnyTypeOf<[I64, Host_CountedType]>>:$values, StrArrayAttr:$symbols,
                       OptionalAttr<ArrayAttr>:$strides);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $symbols `=` `(` ($values^ `:` type($values))? `)` (`strides` $strides^)?
    attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    /// The prog.kernel or prog.call.
    mlir::Operation *getKernel() { return &getBody().front().front(); }
    /// The value of a symbol that it names; null for another.
    mlir::Value getValueOf(llvm::StringRef symbol);
    /// Where a result of the kernel is written.
    mlir::Value getDestination(mlir::OpResult result);
    /// The strides of its memory; empty where that is dense.
    llvm::SmallVector<core::ExtentAttr> getStridesOf(mlir::OpResult result);
  }];
}

def Host_KernelOp : Host_Op<"kernel", [
    IsolatedFromAbove, NoTerminator, SingleBlock, Symbol,
    DeclareOpInterfaceMethods<HostNamedOpInterface>]> {
  let summary = "A function that starts a kernel";
  let description = [{
    The region holds one `prog.kernel` or `prog.call`. Its arguments are what the
    kernel reads and where it writes: tensors, of each of which `spans` has the bytes,
    and scalars. `symbols` are what else a launch passes; those in `counted` are on
    the device, `numbers` are literals in which launches differ. `called` is its name,
    `called_template` what generated code has to know of the template.

    Prints as a function of the files of kernels.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$symbols, StrArrayAttr:$counted,
                       StrArrayAttr:$numbers, StrArrayAttr:$names, Prog_ExtentArray:$spans,
                       TypedArrayAttrBase<Host_MemoryAttr, "memories">:$memories,
                       OptionalAttr<ArrayAttr>:$strides, OptionalAttr<StrAttr>:$called,
                       OptionalAttr<I64Attr>:$file, OptionalAttr<Host_TemplateAttr>:$called_template);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = "$sym_name $symbols attr-dict-with-keyword $body";
  let extraClassDeclaration = [{
    /// The prog.kernel or prog.call.
    mlir::Operation *getKernel() { return &getBody().front().back(); }
    /// Where it computes.
    core::Side getSide();
    /// The values that the kernel reads, in the order of its operands, then of its functors'; host
    /// scalars and masks come last.
    llvm::SmallVector<mlir::Value> getInputs();
    /// Whether it has no memory for a result of the kernel.
    bool isAbsent(mlir::OpResult result);
    /// The strides of a result's memory; empty where that is dense.
    llvm::SmallVector<core::ExtentAttr> getStridesOf(mlir::OpResult result);
    /// The memory that an operand or a result of the kernel lies in, as far as it is known.
    Memory getMemoryOf(mlir::Value value);
    /// Bytes from the first to the last element of an operand or a result.
    core::ExtentAttr getSpanOf(mlir::Value value);
    /// The region's argument that an operand is, or that a result is written to; null for none.
    mlir::BlockArgument getArgumentOf(mlir::Value value);
  }];
}

def Host_LaunchKernelOp : Host_Op<"launch_kernel", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Starts a kernel by its function";
  let description = [{
    `args` and `values` are the kernel's arguments and symbols, `numbers` its numbers
    here. `written` are the types of what it computes, `rows` where that lies.

    Prints as a call: `fc1_relu1(c.compute, x, w.w1, w.b1, h, s.N);`.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<AnyType>:$args,
                       Variadic<AnyTypeOf<[I64, Host_CountedType]>>:$values, ArrayAttr:$numbers,
                       TypeArrayAttr:$written, OptionalAttr<DenseI64ArrayAttr>:$rows);
  let assemblyFormat = [{
    $kernel `(` ($args^ `:` type($args))? `)` `symbols` `(` ($values^ `:` type($values))? `)`
    `numbers` $numbers `writes` $written attr-dict
  }];
}

def Host_ExternalOp : Host_Op<"external", [AttrSizedOperandSegments]> {
  let summary = "Calls a function of the user's";
  let description = [{
    Tensors without memory are `prog.null`. `dims` are the extents of the operands
    that are there, then those of `outs`. The function writes the extents that it
    tells to `counts`. Without `outs` it is asked for these alone: `num_outputs` is
    how many there would be.
    ```c++
    int64_t dims[] = {s.N, 4, s.N};
    const cameo_tensor inputs[] = {external_tensor(x, dims, 2)};
    cameo_tensor outputs[] = {external_tensor(y, dims + 2, 1)};
    CAMEO_TRY(c.external(::example_sums, node, {inputs, 1, outputs, 1, nullptr, 0, nullptr, 0}));
    ```
  }];
  let arguments = (ins StrAttr:$function, Core_Side:$side, Variadic<Prog_Tensor>:$ins,
                       Variadic<Prog_Tensor>:$outs, Optional<Prog_Tensor>:$counts,
                       Variadic<I64>:$dims, I64Attr:$num_outputs, StrArrayAttr:$names,
                       ArrayAttr:$values);
  let assemblyFormat = [{
    $function `on` $side (`ins` `(` $ins^ `:` type($ins) `)`)? `writes` $num_outputs
    (`outs` `(` $outs^ `:` type($outs) `)`)? (`counts` $counts^ `:` type($counts))?
    `dims` `[` $dims `]` `given` $names $values attr-dict
  }];
}

def Host_CountOp : Host_NamedOp<"count"> {
  let summary = "An extent that a kernel has left on the device, and the most that it can be";
  let description = [{
    Prints as `const counted k = {memory, s.N};`, and `{memory, s.N, j}` where it is
    what the extent `beside` leaves: the product of both is at most that too.
  }];
  let arguments = (ins Prog_DeviceTensor:$source, I64:$most, Optional<Host_CountedType>:$beside,
                       StrAttr:$name);
  let results = (outs Host_CountedType:$output);
  let assemblyFormat = [{
    $name `=` $source `most` $most (`beside` $beside^)? attr-dict `:` type($source)
  }];
}

def Host_ExtentsOp : Host_Op<"extents"> {
  let summary = "Has extents of outputs copied to the host behind the run";
  let description = [{
    Element k is that of axis `axes[k]` of output `outputs[k]`:
    `c.extents(memory, {{0, 2}, {1, 2}});`.
  }];
  let arguments = (ins Prog_DeviceTensor:$source, DenseI64ArrayAttr:$outputs,
                       DenseI64ArrayAttr:$axes);
  let assemblyFormat = "$source `of` $outputs `axes` $axes attr-dict `:` type($source)";
}

def Host_FromElementsOp : Host_NamedOp<"from_elements"> {
  let summary = "A host tensor of static length made of scalars";
  let description = "Prints as `const int64_t t[] = {a, b};`.";
  let arguments = (ins StrAttr:$name, Variadic<Prog_Scalar>:$elements);
  let results = (outs Prog_HostTensor:$output);
  let assemblyFormat = "$name `[` $elements (`:` type($elements)^)? `]` attr-dict `->` type($output)";
}

def Host_WriteElementsOp : Host_Op<"write_elements"> {
  let summary = "Writes scalars one behind the other";
  let description = "Prints as `t[0] = a;` and so on.";
  let arguments = (ins Prog_HostTensor:$target, Variadic<Prog_Scalar>:$elements);
  let assemblyFormat = [{
    $target `[` $elements (`:` type($elements)^)? `]` attr-dict `:` type($target)
  }];
}

def Host_FetchOp : Host_NamedOp<"fetch"> {
  let summary = "Starts an asynchronous copy of device memory to the host";
  let description = "Prints as `const fetched t = c.fetch(pointer, bytes);`.";
  let arguments = (ins Prog_DeviceTensor:$source, I64:$bytes, StrAttr:$name);
  let results = (outs Prog_TicketType:$ticket);
  let assemblyFormat = "$name `=` $source `bytes` $bytes attr-dict `:` type($source) `->` type($ticket)";
}

def Host_AwaitOp : Host_Op<"await", [
    DeclareOpInterfaceMethods<WaitOpInterface, ["isLeftToDevice"]>]> {
  let summary = "Waits for a fetch and stores it";
  let description = "Prints as `CAMEO_TRY(c.await(t, target));`. In a `host.rest` nobody waits.";
  let arguments = (ins Prog_TicketType:$ticket, Prog_HostTensor:$target);
  let assemblyFormat = "$ticket `to` $target attr-dict `:` type($ticket) `,` type($target)";
}

def Host_AskOp : Host_NamedOp<"ask"> {
  let summary = "Asks the device for the bools that choices need";
  let description = "Prints as `asked t = c.ask(pointer);`, with their number where it is not 1.";
  let arguments = (ins Prog_DeviceTensor:$source, StrAttr:$name);
  let results = (outs Prog_TicketType:$ticket);
  let assemblyFormat = "$name `=` $source attr-dict `:` type($source) `->` type($ticket)";
}

def Host_UploadOp : Host_Op<"upload"> {
  let summary = "Copies host memory to the device";
  let description = "Prints as `c.upload(target, source, bytes);`.";
  let arguments = (ins Prog_HostTensor:$source, Prog_DeviceTensor:$target, I64:$bytes);
  let assemblyFormat = "$source `to` $target `bytes` $bytes attr-dict `:` type($source) `,` type($target)";
}

def Host_CopyOp : Host_Op<"copy"> {
  let summary = "Copies device memory to device memory";
  let description = "Prints as `c.compute.copy(target, source, bytes);`.";
  let arguments = (ins Prog_DeviceTensor:$source, Prog_DeviceTensor:$target, I64:$bytes);
  let assemblyFormat = "$source `to` $target `bytes` $bytes attr-dict `:` type($source) `,` type($target)";
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def Host_YieldOp : Host_Op<"yield", [Pure, Terminator, ParentOneOf<["IfOp", "ChooseOp", "LoopOp", "WhileOp", "RestOp"]>]> {
  let summary = "What a branch or an iteration leaves";
  let arguments = (ins Variadic<AnyType>:$values);
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, mlir::ValueRange()); }]>];
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def Host_IfOp : Host_Op<"if", [
    SingleBlockImplicitTerminator<"YieldOp">, DeclareOpInterfaceMethods<HostNamedOpInterface>]> {
  let summary = "A branch taken on the host";
  let description = [{
    Results are variables that both branches assign.
    ```c++
    int64_t k{};
    if (cond) {
      k = ...;
    } else {
      k = ...;
    }
    ```
  }];
  let arguments = (ins I1:$condition, StrArrayAttr:$names);
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $condition $names attr-dict-with-keyword (`:` type($outputs)^)? $then_region `else` $else_region
  }];
}

def Host_ChooseOp : Host_Op<"choose", [
    SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<WaitOpInterface, ["isLeftToDevice"]>]> {
  let summary = "A branch taken by a bool of the device";
  let description = [{
    A run waits for the bool. A captured run, or the body of a `host.while`, has both branches, as the bodies of a
    conditional node, of which each launch of the graph takes one; so they hold
    nothing but work for the device.
    ```c++
    for (choice b = t.choose(number); b.next();) {
      if (b.taken()) {
        ...
      } else {
        ...
      }
    }
    CAMEO_TRY(t.end());
    ```
  }];
  let arguments = (ins Prog_TicketType:$ticket, ConfinedAttr<I64Attr, [IntNonNegative]>:$number);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $ticket `[` $number `]` attr-dict-with-keyword `:` type($ticket) $then_region `else` $else_region
  }];
}

def Host_LoopOp : Host_Op<"loop", [
    AttrSizedOperandSegments, SingleBlockImplicitTerminator<"YieldOp">,
    DeclareOpInterfaceMethods<HostNamedOpInterface>]> {
  let summary = "A loop run by the host";
  let description = [{
    Runs at most `trip_count` times, while the condition holds; without limit
    where one is absent. The body's arguments are the number of the iteration and
    the carried values; it yields the next condition, if there is one, and the
    next carried values. Two buffers that change places are two carried values
    that the body yields the other way round. Results are the last carried values
    and how often the body ran.
    ```c++
    float *x = a;
    bool keep_going = cond;
    for (int64_t i = 0; i < trip_count && keep_going; ++i) { ... }
    ```
    `limited`: the iterations of all such loops of a run are held against the context's limit.
  }];
  let arguments = (ins Optional<I64>:$trip_count, Optional<I1>:$condition, Variadic<AnyType>:$inits,
                       StrAttr:$iteration, StrArrayAttr:$names, UnitAttr:$limited);
  let results = (outs Variadic<AnyType>:$outputs, I64:$count);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $iteration (`to` $trip_count^)? (`while` $condition^)? (`limited` $limited^)?
    $names (`=` `(` $inits^ `:` type($inits) `)`)? attr-dict-with-keyword $body
    (`->` type($outputs)^)?
  }];
}

def Host_WhileOp : Host_Op<"while", [SingleBlockImplicitTerminator<"YieldOp">]> {
  let summary = "A loop that the device runs";
  let description = [{
    The body is the body of a conditional node of a graph, so it holds nothing but
    work for the device. Whether it begins at all the host knows; it yields a bool
    of the device, whether to go on. At the end of the body `trips` has the number
    of iterations so far; there are no more than `trip_count`.
    ```c++
    auto r = c.repeat(trips, cond, trip_count);
    while (r.next()) {
      ...
      r.again(goes_on);
    }
    CAMEO_TRY(r.end());
    ```
    `host.confirm` stands in front of the first op that may not run in vain.
  }];
  let arguments = (ins Prog_DeviceTensor:$trips, I1:$condition, Optional<I64>:$trip_count);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
  let assemblyFormat = [{
    $condition (`to` $trip_count^)? `counts` $trips attr-dict-with-keyword `:` type($trips) $body
  }];
}

def Host_ConfirmOp : Host_Op<"confirm", [HasParent<"WhileOp">]> {
  let summary = "Where an iteration has to be one";
  let description = [{
    Ops in front of it may run once more than there are iterations: their results
    are the body's own. Where the host enqueues each iteration, it
    looks here at the condition of the one before.
    ```c++
    if (!r.confirmed())
      break;
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif // CAMEO_DIALECT_HOST_IR_HOSTOPS_TD
