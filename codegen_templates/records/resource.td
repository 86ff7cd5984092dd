// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resources that kernels spend. A machine says what one unit costs (compiler/Target/Machines.td).

#ifndef CAMEO_CODEGEN_TEMPLATES_RECORDS_RESOURCE_TD
#define CAMEO_CODEGEN_TEMPLATES_RECORDS_RESOURCE_TD

include "template.td"

/// A number that every machine with kernels of these sets says; the compiler calls it by its name in snake
/// case.
class Number<list<KernelSet> of> { list<KernelSet> sets = of; }
/// Prices of one kernel set are in one unit.
class Resource<KernelSet of, string priceUnit> : Number<[of]> { string unit = priceUnit; }

/// A multiply-add of conv_blocked, of conv over an image or a line, of conv over a volume, of conv_transpose, and
/// of conv_winograd.
def Fma : Resource<Cpu, "ps">;
def DenseFma : Resource<Cpu, "ps">;
def VolumeFma : Resource<Cpu, "ps">;
def TransposedFma : Resource<Cpu, "ps">;
def TileFma : Resource<Cpu, "ps">;
/// A weight that conv_blocked reads again for a row of outputs.
def TapRow : Resource<Cpu, "ps">;
/// An element of a tile's inputs or outputs, transformed.
def Transformed : Resource<Cpu, "ps">;
/// An element of the transformed weights: read from memory; or made and read in each call, where all
/// of them fit into a cache of the core and where they do not.
def ReadWeight : Resource<Cpu, "ps">;
def MadeNear : Resource<Cpu, "ps">;
def MadeFar : Resource<Cpu, "ps">;
/// An element of a volume's planes, or of the outputs that are put in its order: where all of the outputs fit into a cache of
/// the core, and where they do not.
def PlaneNear : Resource<Cpu, "ps">;
def PlaneFar : Resource<Cpu, "ps">;
/// An element of an image's phases, made and read.
def Phase : Resource<Cpu, "ps">;
/// An element that goes into blocks or out of them, one that only gets a halo, and a lane that a
/// kernel which is no convolution computes for nothing.
def Repacked : Resource<Cpu, "ps">;
def Copied : Resource<Cpu, "ps">;
def Lane : Resource<Cpu, "ps">;
/// A call beside its elements.
def Call : Resource<Cpu, "ps">;

#endif // CAMEO_CODEGEN_TEMPLATES_RECORDS_RESOURCE_TD
