// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body (of a prog.kernel, prog.load or prog.store) as a functor: a struct of pointers, scalars
// and extents with an operator(). The operator() is printed first; it shows which members are
// needed. A wide form (codegen_templates/cuda/wide.h) follows where the set of templates takes some
// and neighbours along the last coordinate are neighbours in memory.

#ifndef CAMEO_EMIT_FUNCTORPRINTER_H
#define CAMEO_EMIT_FUNCTORPRINTER_H

#include "Emit/CppWriter.h"
#include "Emit/ElementOffset.h"
#include "Emit/KernelNames.h"
#include "Emit/ScalarPrinter.h"
#include "Emit/WideAccess.h"

#include <map>

namespace cameo {

class FunctorPrinter {
public:
  /// `rank` is that of the index, `dims` the numbers that the dims of the body have in it; none if
  /// they are the same.
  FunctorPrinter(KernelNames &names, prog::BodyOpInterface functor, unsigned rank,
                 llvm::ArrayRef<unsigned> dims);

  /// `inputs` and `outputs` are the offsets of the body's operands and of what it stores; those of
  /// host scalars are not looked at.
  mlir::LogicalResult print(llvm::ArrayRef<ElementOffset> inputs,
                            llvm::ArrayRef<ElementOffset> outputs);

  struct Member {
    Code type, name;
    /// The value that the kernel function puts there.
    Code value;
  };
  llvm::ArrayRef<Member> getMembers() const { return members; }
  /// `struct NAME {...};`
  void printStruct(const Code &name, CppWriter &writer);

private:
  OffsetCode getExtent(core::ExtentAttr extent);
  Code getMember(llvm::StringRef base, const Code &type, const Code &value);
  /// The literal of a number, or the member that holds it where kernels share the function.
  Code getNumber(llvm::StringRef base, const Code &type, const Code &literal);
  /// Text for a constant: a bound is a member, whose value the compiler does not know.
  Code getConstant(prog::SConstantOp op, const Code &literal);
  bool isOnHost();
  void addTemplateValues();
  void addInputs(llvm::ArrayRef<ElementOffset> inputs);
  void printReturn(mlir::Value value);
  void printStores(llvm::ArrayRef<Code> pointers, llvm::ArrayRef<ElementOffset> outputs,
                   mlir::OperandRange values);
  /// Whether a byte is computed of something else and stored: kernels may compute many at once.
  bool isNarrowing();
  /// Whether `argument`, an element of an input, is a byte that such kernels read many of at once.
  bool isReadApart(mlir::BlockArgument argument);
  void printNarrowing(const Code &pointer, const ElementOffset &output, mlir::Value value);
  void printCalls(CppWriter &writer);
  void printNarrowingCalls(CppWriter &writer);
  void printCall(CppWriter &writer, const Code &head, bool namesIndex,
                 llvm::ArrayRef<Code> parameters, llvm::StringRef text);
  OffsetPrinter makeOffsets();
  Code getPointer(mlir::Value input, mlir::Type element);

  bool mayBeWide();
  /// Whether chunks of so many neighbours move as one access each, by which operands walk on.
  bool takesChunks(int64_t count, llvm::ArrayRef<ElementOffset> inputs,
                   llvm::ArrayRef<ElementOffset> outputs);
  mlir::LogicalResult printWide(llvm::ArrayRef<Code> outputPointers);
  void defineWideInputs(CppWriter &writer, CppScope &own, ScalarPrinter &elements);
  void printWideCalls(CppWriter &writer);

  KernelNames &names;
  prog::BodyOpInterface functor;
  unsigned rank;
  llvm::ArrayRef<unsigned> dims;
  CppWriter body{4};
  /// A statement of a method beside the one that `body` is of.
  struct Part {
    std::string text;
    bool usesIndex = false;
  };
  Part makePart(const Code &head, const ElementOffset &offset, const Code &tail);
  /// Stores what `body` returns; empty where `body` stores.
  Part put;
  /// Return what `body` has as its last parameters.
  llvm::SmallVector<Part> reads;
  CppScope scope;
  llvm::SmallVector<Member> members;
  std::map<std::string, Code> memberNames;
  OffsetPrinter offsets;
  ScalarPrinter scalars;
  llvm::SmallVector<Code> parameters;

  /// The wide form: neighbours at most, 1 if there is none; how inputs walk; the offsets of inputs
  /// and outputs as `operator()` has them; the constants of the body; pointers that may begin at
  /// any element; what the method says.
  int64_t widest = 1;
  llvm::SmallVector<Walk> walks;
  llvm::SmallVector<Code> inputOffsets, outputOffsets;
  llvm::DenseMap<mlir::Operation *, Code> constants;
  llvm::SmallVector<Code> unaligned;
  std::string wideText;
};

} // namespace cameo

#endif // CAMEO_EMIT_FUNCTORPRINTER_H
