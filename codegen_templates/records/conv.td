// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

include "template.td"
include "variant.td"

defvar Channels = (with Int<>:$batch, Int<>:$groups, Int<>:$in_channels, Int<>:$out_channels);

class Convolution<string file, dag more = (with)> : KernelTemplate<file> {
  let groups = [WindowMembers<>];
  let params = !con(Channels, more);
  let operands = (with In<"X">:$x, In<"W">:$w);
  let functors = (with Store<"spatial_rank + 2", "product(X, W)">:$store);
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let scratchTypes = ["x", "w"];
  let takesCounts = 1;
}

def conv : Convolution<"conv.h"> {
  let description = [{
    store({n, oc, o...}). x: batch, in_channels, input...; w: out_channels, in_channels / groups,
    kernel.... A tap outside the input reads 0. Order: ascending (ic, tap row-major).
  }];
}

def conv_tiles : Convolution<"conv_tiles.h", (with Factors:$factors)> {
  let sets = [Cuda];
  let operands = (with In<"T", ["half", "bfloat16", "float"]>:$x, In<"T">:$w);
  let functors = (with Store<"spatial_rank + 2", "accumulator(T)">:$store);
  let scratchIsHostOnly = 0;
  let scratchTypes = ["x"];
  let replaces = "conv";
  let description = [{
    conv on the tensor core, as gemm_tiles has its products: (ic, tap row-major) is k. Up to 4 output channels of a group, and images of 2^28 elements along an axis, are conv's.
    Scratch: for weights that do not begin at a multiple of 16 bytes.
  }];
}

def conv_transpose : Convolution<"conv_transpose.h"> {
  let launches = "volume(stride)";
  let description = [{
    As conv; output and pad are those of the *result*; w: in_channels, out_channels / groups,
    kernel.... out[o] = sum of x[i] * w[t] over i * stride + t * dilation - pad = o, where an i outside
    the input reads 0. One launch per residue of the output modulo the stride. Order as conv; on the
    CPU with strides and 16 input channels of a group or more, a chain over them for each tap, then
    the sum of the taps.
  }];
}

/// Enough output channels of each group for tiles.
def ManyOutputs : Int<> { let example = 10; }
def conv_transpose_tiles : Convolution<"conv_transpose_tiles.h"> {
  let sets = [Cuda];
  let params = (with Int<>:$batch, Int<>:$groups, Int<>:$in_channels, ManyOutputs:$out_channels,
                       Factors:$factors);
  let operands = (with In<"T", ["half", "bfloat16", "float"]>:$x, In<"T">:$w);
  let functors = (with Store<"spatial_rank + 2", "accumulator(T)">:$store);
  let scratchIsHostOnly = 0;
  let scratchTypes = ["x"];
  let launches = "out_channels > 4 * groups ? 2 : volume(stride)";
  let replaces = "conv_transpose";
  let description = [{
    conv_transpose on the tensor core, a product as conv_tiles has it for each residue, all in one launch, behind
    one that brings their taps together. Up to 4 output channels of a group, and images of 2^28 elements along an axis, are
    conv_transpose's. Scratch: the taps.
  }];
}

def conv_integer : Contract {
  let groups = [WindowMembers<2, 2>];
  let params = !con(Channels, (with AnyInt:$pad_value));
  let operands = (with In<"uint8_t">:$x, In<"int8_t">:$w);
  let functors = (with Store<"4", "product(uint8_t, int8_t)">:$store);
  let description = [{
    conv of bytes, whose sums wrap in 32 bits. A tap outside the input reads `pad_value`.
  }];
}

/// Over images in blocks of 16 channels: see "Blocked layout" in README.md.
class InBlocks<string file> : CpuTemplate<file> { let holds = ["channel_block == 16"]; }
/// In blocks of one axis.
class Lanes<Operand base> : Laid<"blocks", base, ["16"]>;
/// Weights in blocks of outputs and of inputs.
class Weights<Operand base> : Laid<"blocks", base, ["16", "16"]>;
/// Along a spatial axis of x, whose planes are rows x cols.
class AlongPlane<int axis, string count = "", string step = "1", string reach = "1">
    : Windows<"x", !add(axis, 2), !if(axis, "cols", "rows"), !if(axis, "left", "top"), count, step, reach>;
class AllAlongPlane<int axis>
    : AlongPlane<axis, "at(output, " # axis # ")", "at(stride, " # axis # ")",
                 "(at(kernel, " # axis # ") - 1) * at(dilation, " # axis # ") + 1">;
class BlockedWindow<dag more = (with), string file = "conv_blocked.h"> : InBlocks<file> {
  let windows = [AllAlongPlane<0>, AllAlongPlane<1>];
  let params = !con(more, (with Int<>:$batch, Int<>:$in_channels, Int<>:$rows, Int<>:$cols, AnyInt:$top,
                                AnyInt:$left, Array<"2">:$kernel, Array<"2">:$output,
                                Array<"2">:$stride, Array<"2">:$dilation));
}
class BlockedConvolution<Operand x, Operand w, dag more = (with), string file = "conv_blocked.h">
    : BlockedWindow<more, file> {
  let operands = (with x:$x, w:$w);
  let functors = (with Store<"5", "float_type()">:$store);
}

def conv_blocked : BlockedConvolution<Lanes<In<"float">>, Weights<In<"float">>,
                                      (with Int<1>:$groups, Int<>:$out_channels,
                                            Optional<Array<"2">, "none">:$halo)> {
  let description = [{
    `rows cols` are x's, halo included; `top left` row and column of x under the first tap of output
    0, 0. `halo`: so many rows and columns at each side of x are zeros, whose taps are left out where
    no output of a tile has another. With several groups each has whole blocks of inputs and of outputs. Every tap of every
    output lies in x. A static stride of 1 or 2 is faster.
    store({n, oc / 16, oy, ox, oc % 16}) for all 16 lanes of every block, those beyond out_channels too
    (their weights are zero), so per-channel operands of the epilogue are padded to 16. Order:
    ascending (ic, kh, kw) within blocks of 16 input channels.
  }];
}
/// Channels in a block of an image.
def ByteLanes : StaticInt<4, 16> { let example = 16; }
def conv_blocked_bytes : BlockedWindow<(with Int<1>:$groups, Int<>:$out_channels,
                                             ByteLanes:$lanes)> {
  let header = "conv_bytes.h";
  let holds = [];
  let operands = (with Laid<"blocks", In<"uint8_t">, ["lanes"]>:$x,
                       Laid<"blocks", In<"int8_t">, ["16", "4"]>:$w);
  let functors = (with Store<"5", "product(uint8_t, int8_t)">:$store);
  let extensions = ["avx512vnni"];
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let description = [{
    conv_blocked of bytes, whose sums wrap in 32 bits: x[n][C/lanes][rows][cols][lanes] with 4 or 16
    `lanes`, where 4 are of one group of up to 4 channels; w[OC/16][IC/4][kh][kw][16][4], missing
    channels zero. A halo is what a tap on padding is to read.
  }];
}
class Patches : BlockedWindow<(with), "patches.h"> { let windows = [AlongPlane<0>, AlongPlane<1>]; }
def pack_patches : Patches {
  let operands = (with Lanes<In<"float">>:$x, Lanes<Out<"float">>:$y);
  let description = [{
    y[n][IC/16][tap][oy][ox][16]: what the taps of each output of a conv_blocked of these members read,
    which is then one of a single tap over neighbouring pixels, of the same weights and order. Lanes
    beyond in_channels become 0, and so does what taps behind the last row or column read.
  }];
}
def pack_plane_patches : Patches {
  let operands = (with Laid<"planes", In<"float">>:$x, Lanes<Out<"float">>:$y);
  let description = [{
    pack_patches for dense x[n][ic][rows][cols], halo and all: y[n][block][oy][ox][16], whose
    channels are those of x, each with all of its taps. Lanes beyond them become 0.
  }];
}

def conv_blocked_groups : BlockedWindow<(with Int<1>:$groups, Int<>:$out_channels), "conv_blocked_groups.h"> {
  let operands = (with Lanes<In<"float">>:$x, Weights<In<"float">>:$w, In<"int32_t">:$channels);
  let functors = (with Store<"5", "float_type()">:$store);
  let description = [{
    conv_blocked in groups of any numbers of channels; channels[ic]: which channel of x each input is,
    the groups' one after the other, `in_channels` of them, as many as x has. Store and order as
    conv_blocked; an element of a group is in no other group's results.
  }];
}
def pick_channels : InBlocks<"conv_blocked_groups.h"> {
  let params = (with Int<>:$batch, Int<>:$in_channels, Int<>:$out_channels, Int<>:$rows, Int<>:$cols,
                     Int<>:$top, Int<>:$left, Array<"2">:$output);
  let operands = (with Lanes<In<"float">>:$x, In<"int32_t">:$channels);
  let functors = (with Store<"5", "float_type()">:$store);
  let windows = [AlongPlane<0, "at(output, 0)">, AlongPlane<1, "at(output, 1)">];
  let description = [{
    channels[out_channels]: which channel of x each one is. x as conv_blocked has it, of which the
    `output` elements from `top left` on are taken. store({n, oc / 16, y, x, oc % 16}), for lanes
    beyond out_channels too, with anything.
  }];
}

/// Taps along a side.
def Taps : StaticInt<2, 5> { let example = 3; }
class Winograd : InBlocks<"conv_winograd.h"> {
  let params = (with Int<>:$in_channels, Int<>:$out_channels, StaticInt<2, 5>:$tile, Taps:$taps);
}
def winograd_weights : Winograd {
  let operands = (with Weights<In<"float">>:$w, Weights<Out<"float">>:$u);
  let description = [{
    w[OC/16][IC/16][taps][taps][16][16], as conv_blocked has it, to
    u[(tile + taps - 1)^2][OC/16][IC/16][16][16], as conv_winograd has it; `in_channels` of a group. The
    compiler's own (compiler/Constants/Winograd.cpp) differ in the last bits.
  }];
}
def conv_winograd : Winograd {
  let params = (with Int<1>:$groups, Int<>:$batch, Int<>:$in_channels, Int<>:$out_channels, Int<>:$rows,
                       Int<>:$cols, AnyInt:$top, AnyInt:$left, Array<"2">:$output,
                       StaticInt<2, 5>:$tile, Taps:$taps);
  let operands = (with Lanes<In<"float">>:$x, Weights<In<"float">>:$u);
  let functors = (with Store<"5", "float_type()">:$store);
  let windows = [AlongPlane<0, "at(output, 0)", "1", "taps">, AlongPlane<1, "at(output, 1)", "1", "taps">];
  let takesScratch = 1;
  let scratchIsHostOnly = 1;
  let description = [{
    conv_blocked for taps x taps next to each other, by tiles of tile x tile outputs, each of which takes
    (tile + taps - 1)^2 multiplications, 4^2 or 6^2; the same x, groups, members and store, u
    transformed. Order: products in
    ascending ic, then sums of their tile; errors, by the largest output, to 1e-6 and 2e-5. An infinite
    or NaN element of x makes NaN of the tiles that read it.
  }];
}
def conv_blocked_planes : BlockedConvolution<Laid<"planes", In<"float">>, Lanes<In<"float">>,
                                             (with Int<>:$out_channels)> {
  let description = [{
    conv_blocked for dense x[n][ic][rows][cols], halo and all, w[OC/16][ic][kh][kw][16]. Order: one
    accumulator per output, ic, then taps.
  }];
}
def conv_blocked_depthwise : BlockedConvolution<Lanes<In<"float">>, Lanes<In<"float">>, (with),
                                                "conv_blocked_depthwise.h"> {
  let description = [{
    As conv_blocked, a channel by itself: w[C/16][kh][kw][16]. Lanes beyond in_channels give what x and
    w hold there.
  }];
}

//===----------------------------------------------------------------------===//
// How a convolution over blocks is computed
//===----------------------------------------------------------------------===//

class ConvOverBlocks<KernelTemplate by> : Variant<conv_blocked, by> {
  /// The groups that are computed, the input channels of one, and the lanes of its output channels.
  string parts = "groups";
  string inputs = "(in_channels / groups)";
  string outputs = "align(out_channels / groups, 16)";
}

/// A channel by itself; or groups of whole blocks, which read no list of channels.
defvar isDepthwise = "groups > 1 && in_channels == groups && out_channels == groups";
defvar isWhole = "groups == 1 || (in_channels % (16 * groups) == 0 && out_channels % (16 * groups) == 0)";
defvar Mixing = [isWhole, "!are_listed(x)"];
/// A register tile is a run of neighbouring pixels, which ends with a row of outputs unless rows are one in x.
/// Patches join rows that are shorter than one or two tiles, and the pixels that a single tap strides over
/// are read once and not for each block of channels.
defvar isOfPatches = "known(kernel) && (kernel[0] == 1 && kernel[1] == 1 ? stride[0] > 1 || stride[1] > 1"
                     " : known(output[1]) && output[1] <= 8)";

/// Each weight of each output; lanes that groups share are computed for each of these.
class ConvDirectly<KernelTemplate by, list<string> where> : ConvOverBlocks<by> {
  string weights = parts # " * kernel[0] * kernel[1] * " # inputs # " * " # outputs;
  let guards = where;
  let spends = [Spends<Fma, weights # " * output[0] * output[1]">,
                Spends<TapRow, weights # " * output[0]">];
}
class ConvOfImage<list<string> where>
    : ConvDirectly<conv_blocked, !listconcat(Mixing, where)>;
def conv_as_defined : ConvOfImage<[!strconcat("!(", isOfPatches, ")")]>;
def conv_of_patches : ConvOfImage<["!are_planes(x)", isOfPatches]> { let expansion = "patches"; }
def conv_of_planes : ConvDirectly<conv_blocked_planes, Mixing>;
/// Groups of few channels become whole blocks several at a time, with zeros for one another's inputs: as many
/// multiplications as in lanes that groups share, or more, but by the kernels for whole groups, and by tiles. An
/// infinity or NaN of one group makes NaN of all that are joined with it.
defvar isJoined = "groups % joined == 0 && in_channels / groups * joined % 16 == 0 && "
                  "out_channels / groups * joined % 16 == 0";
defvar JoinedGroups = "(groups / joined)";
defvar JoinedInputs = "(in_channels / groups * joined)";
defvar JoinedOutputs = "(out_channels / groups * joined)";
def JoinGroups : Step<"joined_groups", ["groups", "joined"]>;
def conv_of_joined_groups : ConvDirectly<conv_blocked, []> {
  let guards = ["!are_listed(x)", isJoined, "!exact()", "fits_budget(4 * " # weights # ")"];
  let parts = JoinedGroups;
  let inputs = JoinedInputs;
  let outputs = JoinedOutputs;
  let choices = (with OneOf<[2, 4]>:$joined);
  let members = (with Is<JoinedGroups>:$groups);
  let packs = [Packed<"w", "w", [JoinGroups], [1, 0]>];
}
def conv_of_channels : ConvDirectly<conv_blocked_depthwise, [isDepthwise]>;
def conv_of_groups
    : ConvDirectly<conv_blocked_groups, [!strconcat("!(", isDepthwise, ")"), !strconcat("are_listed(x) || !(", isWhole, ")")]>;

def is_winograd : Function<"cameo/pack/winograd.h">;
/// By tiles of `size` elements along a side. A machine without a heap has no vectors to speak of and
/// little memory, and a tile takes up to four times the weights and all of a plane's tiles in scratch.
class ConvByTiles<list<string> where> : ConvOverBlocks<conv_winograd> {
  /// Along a side. Where it strides: of each of the image's phases, in which the taps of neighbouring
  /// outputs are neighbours.
  string taps = "ceil_div(kernel[0], stride[0])";
  string tile = "(size - " # taps # " + 1)";
  defvar images = inputs # " * stride[0] * stride[0]";
  defvar tiles = "ceil_div(output[0], " # tile # ") * ceil_div(output[1], " # tile # ")";
  defvar area = parts # " * size * size";
  string weights = area # " * " # images # " * " # outputs;
  string lanes = "align(" # images # ", 16)";
  list<string> room = [];
  list<Step> steps = [Step<"phases", ["stride[0]", "are_planes(x) ? 1 : 16"], "stride[0] > 1">,
                      Step<"winograd", [tile]>];
  let guards = !listconcat(where, room, ["!exact()", "fast() || size <= 4", "!bounded()", "known(kernel)",
                                   "kernel[0] == kernel[1]", "stride[0] == stride[1]",
                                   "dilation[0] == 1", "dilation[1] == 1",
                                   "is_winograd(" # tile # ", " # taps # ")"]);
  let choices = (with OneOf<[4, 6]>:$size);
  let members = (with Is<tile>:$tile, Is<taps>:$taps);
  list<Spends> work = [Spends<TileFma, weights # " * " # tiles>,
                       Spends<Transformed, area # " * " # tiles # " * (" # lanes # " + " # outputs # ")">];
  let worth = 95;
}
defvar OfOneImage = !listconcat(Mixing, ["stride[0] == 1"]);

/// Weights are transformed in each call,
def conv_by_tiles_of_call : ConvByTiles<OfOneImage> {
  let packs = [PackedByCall<"w", "u", steps, [2, 1], winograd_weights, (with Is<inputs>:$in_channels)>];
  let spends = !listconcat(work, [Spends<MadeNear, weights # " * fits(4 * " # weights # ")">,
                                  Spends<MadeFar, weights # " * !fits(4 * " # weights # ")">]);
}
/// or by the compiler, which takes the more memory, the larger tiles are.
class ConvByTilesOfCompiler<list<string> where> : ConvByTiles<where> {
  let packs = [Packed<"w", "u", steps, [2, 1]>];
  let room = ["fits_budget(4 * " # weights # ")"];
  let choiceWorth = 95;
}
def conv_by_tiles_of_compiler : ConvByTilesOfCompiler<OfOneImage> {
  let spends = !listconcat(work, [Spends<ReadWeight, weights>]);
}
def conv_by_tiles_of_joined_groups : ConvByTilesOfCompiler<["!are_listed(x)", isJoined, "stride[0] == 1"]> {
  let parts = JoinedGroups;
  let inputs = JoinedInputs;
  let outputs = JoinedOutputs;
  let choices = (with OneOf<[2, 4]>:$joined, OneOf<[4, 6]>:$size);
  let members = (with Is<JoinedGroups>:$groups, Is<tile>:$tile, Is<taps>:$taps);
  let steps = [JoinGroups, Step<"winograd", [tile]>];
  let spends = !listconcat(work, [Spends<ReadWeight, weights>]);
}
def conv_by_tiles_of_phases
    : ConvByTilesOfCompiler<["groups == 1", "!are_listed(x)", "stride[0] > 1 || are_planes(x)"]> {
  let expansion = "phases";
  let spends = !listconcat(work, [Spends<ReadWeight, weights>,
                                  Spends<Phase, "groups * " # lanes # " * output[0] * output[1]">]);
}

/// Prices are of an image, so not by how many there are.
def : Ranged<conv_blocked, ["output"]>;

//===----------------------------------------------------------------------===//
// Convolutions as those of images, which the compiler asks for while they are operators
//===----------------------------------------------------------------------===//

defvar OfEachOutput = "volume(output) * volume(kernel) * (in_channels / groups)";
class AsWritten<KernelTemplate what, list<string> where, list<Spends> how> : Variant<what, what> {
  let sets = [Cpu];
  let guards = where;
  let spends = how;
}
/// By constants that the compiler lays out anew. Lanes beyond the outputs are computed for nothing.
class OfImages<KernelTemplate what, string how, list<string> where, list<Spends> also>
    : Variant<what, conv_blocked> {
  defvar strides = !if(!eq(how, "residues"), " / volume(stride)", "");
  let guards = !listconcat(["constant(w)", "fits_budget(4 * volume(kernel) * (in_channels / groups) * out_channels)"], where);
  let spends = !listconcat([Spends<Fma, OfEachOutput # strides # " * align(out_channels, 16)">], also);
  let expansion = how;
}

/// An output reads every stride-th tap. To put residues in order takes as long as the stores of the kernel that
/// strides. Where extents are open, calls are chosen for images larger than those that have
/// weights beyond a core's cache, and the order of a volume's residues is no constant. Each residue is a call.
def transposed_as_written
    : AsWritten<conv_transpose, [], [Spends<TransposedFma, OfEachOutput # " / volume(stride) * out_channels">]>;
def transposed_of_residues
    : OfImages<conv_transpose, "residues",
               ["spatial_rank > 1", !strconcat("groups == 1 || (", isDepthwise, ")"), "volume(stride) <= 64",
                "known(input) || volume(stride) == 1 || (spatial_rank == 2 && "
                "fits(4 * volume(kernel) * (in_channels / groups) * out_channels))"],
               []>;

/// A volume's image has a channel for each tap along its first axis; of single taps it is a product.
defvar OfPlanes = "(kernel[0] * in_channels * volume(input) + out_channels * volume(output))";
defvar OfVolume = "spatial_rank == 3";
def volume_as_written : AsWritten<conv, [OfVolume], [Spends<VolumeFma, OfEachOutput # " * out_channels">]>;
def volume_of_planes
    : OfImages<conv, "planes",
               [OfVolume, "groups == 1", "volume(kernel) > 1",
                "!known(batch) || !known(input) || fits_budget(4 * kernel[0] * batch * in_channels * volume(input))"],
               [Spends<PlaneNear, OfPlanes # " * fits(4 * out_channels * volume(output))">,
                Spends<PlaneFar, OfPlanes # " * !fits(4 * out_channels * volume(output))">]>;

defvar OfLine = "spatial_rank == 1";
def line_as_written : AsWritten<conv, [OfLine], [Spends<DenseFma, OfEachOutput # " * out_channels">]>;
def line_of_a_row
    : OfImages<conv, "row", [OfLine, "groups == 1"],
               [Spends<Repacked, "in_channels * volume(input) + out_channels * volume(output)">]>;
