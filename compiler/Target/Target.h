// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a target is: data. Every stage that has to know something of the machine asks these records
// for it; none asks which target it is. README.md says what adding one touches.

#ifndef CAMEO_TARGET_TARGET_H
#define CAMEO_TARGET_TARGET_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "Target/Machines.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace cameo {

/// A set of kernel templates.
struct KernelSet {
  /// Its folder in codegen_templates, its namespace in `cameo`, and the folder of the `exec` that
  /// its kernels run on, in the runtime's headers.
  llvm::StringLiteral name;
  /// The ending of the files that instantiate its templates; `.cpp` is the host's compiler's.
  llvm::StringLiteral extension;
  /// Whether TEMPLATE_scratch says beforehand what scratch memory a kernel takes, which is then a
  /// part of the arena; else `exec` finds it.
  bool sizesScratch;
  /// Whether its templates take functors that move neighbouring elements by one access.
  bool takesWideFunctors;
};

/// One of the memories that the values of a program live in, and what computes there.
struct TargetSide {
  const KernelSet *kernels;
  /// The machines that run them; what is the same for all is decided by the first.
  llvm::ArrayRef<MachineRecord> machines;
  /// The context's name for its exec.
  llvm::StringLiteral exec;
  /// The beginning of the names that the context and generated code have for this memory.
  llvm::StringLiteral prefix;
  /// The ending of the stems of its kernels' files.
  llvm::StringLiteral suffix;
  /// The cameo_space of inputs and outputs that live here.
  llvm::StringLiteral space;
  /// The namespace of the function that describes its arena.
  llvm::StringLiteral described;
};

/// An instruction set that a build may have a copy of the whole program for.
struct TargetCopy {
  /// As the runtime names it: a level of x86-64, and behind that the extension.
  llvm::StringLiteral isa;
  /// The extension that the set has beyond the level. The copy is for programs that call a kernel
  /// template which is faster by that; where it is empty, for all.
  llvm::StringLiteral extension;
};

struct Target {
  /// The user's name for it; also the runtime's namespace and folder for its context, and in the
  /// names of its skeletons.
  llvm::StringLiteral name;
  /// Where values live that the host reads. The one memory of a target without a device.
  TargetSide host;
  /// Where the other values live, if there is such a place.
  std::optional<TargetSide> device;
  /// The time that it takes to get to the device and back; nothing without one.
  llvm::ArrayRef<MachineNumber> crossing;
  /// Beside the baseline's, best first.
  llvm::ArrayRef<TargetCopy> copies;
  /// Whether a run is given a stream.
  bool hasStreams;
  /// Whether its runtime can be built without a heap and without threads.
  bool hasSwitches;
  /// The folders of the runtime that a program needs, whatever it includes.
  llvm::ArrayRef<llvm::StringLiteral> runtimeFolders;

  /// The memories of the target, the device's first.
  llvm::SmallVector<const TargetSide *, 2> getSides() const {
    return device ? llvm::SmallVector<const TargetSide *, 2>{&*device, &host}
                  : llvm::SmallVector<const TargetSide *, 2>{&host};
  }
  const TargetSide &getSide(core::Side side) const {
    return device && side == core::Side::Device ? *device : host;
  }
};

/// A compiler for what the host's cannot compile; it links such programs too. `NAME=...` in the
/// environment names another.
struct DeviceCompiler {
  llvm::StringLiteral variable, command;
  /// Where it is when it is not on the path.
  llvm::StringLiteral elsewhere;
  /// The language, for diagnostics, and what there is to do without the compiler.
  llvm::StringLiteral language, hint;
  /// Its flags for sources of its own; for what it hands on to the host's compiler, to the linker.
  llvm::ArrayRef<llvm::StringLiteral> flags;
  llvm::StringLiteral toHost, toLinker;
  /// Flags for the device of this machine, and for the oldest one that kernels are for, which they
  /// are built for where there is none.
  llvm::StringLiteral native, oldest;
  /// Arguments for which it does nothing but say `noDevice` where it finds none.
  llvm::ArrayRef<llvm::StringLiteral> query;
  llvm::StringLiteral noDevice;
  /// A part of the error where a kernel is for newer devices.
  llvm::StringLiteral tooOld;
};

/// A way to build and run the programs of a target here: on the machine itself, on an emulator.
struct Platform {
  /// The user's name for it.
  llvm::StringLiteral name;
  const Target *target;
  /// Whether it only stands in for the machine, so that nothing is compiled for it to be kept.
  bool isEmulator;
  /// The folders of the runtime that are built with a program.
  llvm::ArrayRef<llvm::StringLiteral> runtimeFolders;
  /// The compiler of the sources of the device; CXX, if there is none.
  std::optional<DeviceCompiler> deviceCompiler;
  /// The flags that CXX gets for them otherwise.
  llvm::ArrayRef<llvm::StringLiteral> deviceFlags;
  /// Folders of the generated one that every source may include from.
  llvm::ArrayRef<llvm::StringLiteral> includes;
  /// The definitions that the driver is built with (tools/cameo/driver).
  llvm::ArrayRef<llvm::StringLiteral> definitions;
  /// Whether the driver counts the calls of the device's API.
  bool countsCalls;
  /// Whether accesses of kernels can be held against what they declare.
  bool canTrace;
};

/// All platforms, the default one first. Every target has one that is no emulator, of its own name.
llvm::ArrayRef<const Platform *> getPlatforms();
/// Null when there is none of that name.
const Platform *findPlatform(llvm::StringRef name);
const Target &getDefaultTarget();

} // namespace cameo

#endif // CAMEO_TARGET_TARGET_H
