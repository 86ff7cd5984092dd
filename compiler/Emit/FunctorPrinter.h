// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A body (of a prog.kernel, prog.load or prog.store) as a functor: a struct of pointers, scalars
// and extents with an operator(). The operator() is printed first; it shows which members are
// needed. A wide form (codegen_templates/cuda/wide.h) follows where the set of templates takes some
// and neighbours along the last coordinate are neighbours in memory.

#ifndef CAMEO_EMIT_FUNCTORPRINTER_H
#define CAMEO_EMIT_FUNCTORPRINTER_H

#include "Emit/CppWriter.h"
#include "Emit/KernelNames.h"
#include "Emit/OffsetPrinter.h"
#include "Emit/ScalarPrinter.h"

#include <map>

namespace cameo {

/// Names that wide forms are spelled with.
inline constexpr llvm::StringRef kWideNames[] = {
    "advance", "are_aligned", "load_wide", "load_wide_constant", "neighbours", "store_wide"};

class FunctorPrinter {
public:
  FunctorPrinter(KernelNames &names, prog::BodyOpInterface functor);

  mlir::LogicalResult print();

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
  /// Text for a constant: a member where launches differ in it, or where the C++ compiler is not to
  /// know it.
  Code getConstant(prog::SConstantOp op, const Code &literal);
  void addTemplateValues();
  void addInputs();
  void printReturn(mlir::Value value);
  void printStores(llvm::ArrayRef<Code> pointers, mlir::OperandRange values);
  /// Whether a byte is computed of something else and stored: kernels may compute many at once.
  bool isNarrowing() { return functor->hasAttr("host.apart"); }
  /// Whether such kernels read many elements of an operand at once.
  bool isReadApart(size_t operand);
  void printNarrowing(const Code &pointer, mlir::Value value);
  void printCalls(CppWriter &writer);
  void printNarrowingCalls(CppWriter &writer);
  void printCall(CppWriter &writer, const Code &head, bool namesIndex,
                 llvm::ArrayRef<Code> parameters, llvm::StringRef text);
  host::CrosswiseAttr getCrosswise() {
    return functor->getAttrOfType<host::CrosswiseAttr>("host.crosswise");
  }
  /// Whether tiles of an operand are turned before its elements are asked for.
  bool isCrossed(size_t operand);
  void addCrossed(mlir::BlockArgument argument, const Code &pointer, mlir::AffineMap map);
  void printCrosswiseCalls(CppWriter &writer);
  OffsetPrinter makeOffsets();
  Code getPointer(mlir::Value input, mlir::Type element);

  host::WideAttr getWide() { return functor->getAttrOfType<host::WideAttr>("host.wide"); }
  mlir::LogicalResult printWide(llvm::ArrayRef<Code> outputPointers);
  void defineWideInputs(CppWriter &writer, CppScope &own, ScalarPrinter &elements);
  void printWideCalls(CppWriter &writer);

  KernelNames &names;
  prog::BodyOpInterface functor;
  CppWriter body{4};
  /// A statement of a method beside the one that `body` is of.
  struct Part {
    std::string text;
    bool usesIndex = false;
  };
  Part makePart(const Code &head, mlir::AffineMap offset, const Code &tail);
  /// Stores what `body` returns; empty where `body` stores.
  Part put;
  /// Return what `body` has as its last parameters.
  llvm::SmallVector<Part> reads;
  /// Operands of a crosswise kernel: where an element lies, and how far behind it the next along
  /// the last dim.
  struct Crossed {
    Code type;
    Part line;
    Code apart;
  };
  llvm::SmallVector<Crossed> crossed;
  CppScope scope;
  llvm::SmallVector<Member> members;
  std::map<std::string, Code> memberNames;
  OffsetPrinter offsets;
  ScalarPrinter scalars;
  llvm::SmallVector<Code> parameters;

  /// For the wide form: the offsets of inputs and outputs as `operator()` has them; the constants
  /// of the body; pointers that may begin at any element; what the method says.
  llvm::SmallVector<Code> inputOffsets, outputOffsets;
  llvm::DenseMap<mlir::Operation *, Code> constants;
  llvm::SmallVector<Code> unaligned;
  std::string wideText;
};

} // namespace cameo

#endif // CAMEO_EMIT_FUNCTORPRINTER_H
