// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that make another dense tensor of a constant; a layout is the last step (ConstantStepInterface). Constants makes
// their bytes. A step that a kernel template takes too is defined by a header of runtime/include/cameo/pack.

#ifndef CAMEO_DIALECT_PROG_IR_CONSTANTSTEPS_TD
#define CAMEO_DIALECT_PROG_IR_CONSTANTSTEPS_TD

include "Dialect/Prog/IR/ProgDialect.td"

class Prog_Step<string name, string stepMnemonic, list<string> methods = []>
    : AttrDef<Prog_Dialect, name, [DeclareAttrInterfaceMethods<ConstantStepInterface, methods>]> {
  let mnemonic = stepMnemonic;
  let assemblyFormat = "`<` struct(params) `>`";
}
/// Computes elements; the other steps move them.
class Prog_Computation<string name, string stepMnemonic>
    : Prog_Step<name, stepMnemonic, ["isMovement"]>;

def Prog_PhasesAttr : Prog_Step<"Phases", "phases"> {
  let summary = "Taps of a convolution that strides, as those of the image's phases";
  let description = [{
    `#prog.phases<stride = 2, block = 16>`: taps [OC, IC, K, K] to [OC, IC', K', K'],
    K' = ceil(K / stride). IC' are the input channels, filled up to blocks, each of
    which is there stride x stride times, for the taps that begin there (cameo/pack/winograd.h,
    patch_channels). Taps that are missing are 0.
  }];
  let parameters = (ins "int64_t":$stride, DefaultValuedParameter<"int64_t", "1">:$block);
  let genVerifyDecl = 1;
}

def Prog_JoinedGroupsAttr : Prog_Step<"JoinedGroups", "joined_groups"> {
  let summary = "Taps of a convolution in groups, as those of one in fewer groups";
  let description = [{
    `#prog.joined_groups<groups = 32, count = 4>`: taps [OC, IC, ...] of 32 groups to
    [OC, 4 * IC, ...] of 8, each of which was four. An output's taps are at the inputs of its
    group, those at the other inputs are 0.
  }];
  let parameters = (ins "int64_t":$groups, "int64_t":$count);
  let genVerifyDecl = 1;
}

def Prog_WinogradAttr : Prog_Computation<"Winograd", "winograd"> {
  let summary = "Taps of a convolution as conv_winograd reads them";
  let description = [{
    `#prog.winograd<tile = 4>`: taps [OC, IC, K, K] of f32 to [(tile + K - 1)^2, OC, IC],
    for tiles of 4 x 4 outputs: the elements of G w G^T (cameo/pack/winograd.h), each
    computed in f64 and rounded once.
  }];
  let parameters = (ins "int64_t":$tile);
}

def Prog_SumAttr : Prog_Computation<"Sum", "sum"> {
  let summary = "Sums of bytes along all axes but the first";
  let description = [{
    `#prog.sum<factor = 3>`: weights [OC, ...] of i8 to [OC] of i32, three times the sum
    for each, which wraps: what a zero point adds to a convolution's results.
  }];
  let parameters = (ins "int64_t":$factor);
}

def Prog_ColumnsAttr : Prog_Computation<"Columns", "columns"> {
  let summary = "A matrix in blocks of columns, several short elements to a number";
  let description = [{
    `#prog.columns<axis = 0, lanes = 16>`: a matrix of floats whose columns are axis 0 to
    [blocks, rows, 16] (cameo/pack/columns.h). With `bits = 4, origin = 8`, integers of
    4 bits become ui32, eight to each: the elements plus 8, of which 4 bits are kept.
  }];
  let parameters = (ins "int64_t":$axis, "int64_t":$lanes,
                        DefaultValuedParameter<"int64_t", "0">:$bits,
                        DefaultValuedParameter<"int64_t", "0">:$origin);
  let genVerifyDecl = 1;
}

#endif // CAMEO_DIALECT_PROG_IR_CONSTANTSTEPS_TD
