// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler knows of kernel templates: the records of codegen_templates/records, as
// tools/cameo-tblgen writes them. `template.td` there says what the fields mean.

#ifndef CAMEO_DIALECT_PROG_IR_KERNELTEMPLATES_H
#define CAMEO_DIALECT_PROG_IR_KERNELTEMPLATES_H

#include "Dialect/Prog/IR/ProgDialect.h"

namespace cameo::core {
class SymbolAnalysis;
} // namespace cameo::core

namespace cameo::prog {

struct KernelTemplate;

/// The facts of a call, for the expressions of its template's record. These are evaluated only over
/// facts that the verifier has found there before.
class CallFacts {
public:
  CallFacts(CallOp call, const KernelTemplate &kernel) : call(call), kernel(kernel) {}

  //===--- Words of extents ---===//

  /// A member of the params; a flag is 0 or 1.
  core::ExtentAttr extent(llvm::StringRef member) const;
  llvm::SmallVector<core::ExtentAttr> extents(llvm::StringRef member) const;
  core::ExtentAttr constant(int64_t value) const;
  /// How many windows cover an element; unknown where only the run knows.
  core::ExtentAttr covers(llvm::ArrayRef<core::ExtentAttr> kernel,
                          llvm::ArrayRef<core::ExtentAttr> stride,
                          llvm::ArrayRef<core::ExtentAttr> dilation) const;
  core::ExtentAttr volume(llvm::ArrayRef<core::ExtentAttr> extents) const;
  /// `axis` is an integer of the record, never an extent of a model.
  core::ExtentAttr at(llvm::ArrayRef<core::ExtentAttr> extents, core::ExtentAttr axis) const;

  //===--- Words of types ---===//

  /// The type that a type variable of operands stands for, or a type of C++; null where no operand
  /// says it.
  mlir::Type element(llvm::StringRef variable) const;
  /// The type that a load functor yields.
  mlir::Type loaded(llvm::StringRef functor) const;
  /// A template argument, as it is given.
  llvm::StringRef argument(llvm::StringRef name) const;
  mlir::Type accumulator(mlir::Type type) const;
  mlir::Type product(mlir::Type a, mlir::Type b) const;
  mlir::Type position() const;
  mlir::Type float_type() const;
  /// The element type within `combine::sum<float>`.
  mlir::Type combined(llvm::StringRef combine) const;
  mlir::Type pooled(llvm::StringRef kind, mlir::Type type) const;
  mlir::Type sampled(llvm::StringRef mode, mlir::Type type) const;

private:
  mlir::MLIRContext *getContext() const { return call->getContext(); }

  // Reading changes nothing, but ops are handles whose accessors are not const.
  mutable CallOp call;
  const KernelTemplate &kernel;
};

using ExtentExpression = core::ExtentAttr (*)(const CallFacts &);
using TypeExpression = mlir::Type (*)(const CallFacts &);
using Words = llvm::ArrayRef<llvm::StringLiteral>;

struct TemplateArgument {
  llvm::StringLiteral name;
  Words forms;
};

enum class ParamKind { Rank, Int, Array, Flag, Real, Reals, Keyword };

struct TemplateParam {
  llvm::StringLiteral name;
  ParamKind kind;
  bool isStatic, isOptional;
  /// Whether it is no counted extent, since the host launches by it.
  bool isHostOnly;
  /// The name and word of the template argument that the member is there for; empty: it is always.
  llvm::StringLiteral argument, word;
  /// The length of an array.
  ExtentExpression length;
  int64_t least, most;
  /// The C++ type of a keyword.
  llvm::StringLiteral cppType;
  Words words;
};

enum class OperandKind { In, Out, InPlace };
enum class OperandLayout { Dense, Blocks, Planes, Packed, Any };

/// A number, or a member of p, whose default is the number.
struct BlockLength {
  llvm::StringLiteral member;
  int64_t number;
};

struct TemplateOperand {
  llvm::StringLiteral name;
  OperandKind kind;
  /// A type variable, or a type of C++.
  llvm::StringLiteral type;
  Words types;
  bool mayBeNull;
  OperandLayout layout;
  /// The lengths of the last of its blocks, if it has any; any where empty.
  llvm::ArrayRef<BlockLength> lengths;
  /// The array member that has the distances between the parts that it is read in, and the elements
  /// of a part; empty and null where it is read as a whole.
  llvm::StringLiteral distances;
  ExtentExpression part;

  bool isInput() const { return kind == OperandKind::In; }
  /// Whether its elements may be of a type.
  bool takes(mlir::Type type) const;
};

/// How windows over an input lie along an axis; `count` is null where they may reach beyond it.
struct TemplateWindows {
  llvm::StringLiteral input;
  int64_t axis;
  ExtentExpression length, first, count, step, reach;
};

enum class FunctorKind { Load, Apply, Store };

struct TemplateFunctor {
  llvm::StringLiteral name;
  FunctorKind kind;
  /// C++ names of what a load may yield; any where empty.
  Words types;
  ExtentExpression indexRank;
  /// Null for loads.
  TypeExpression value;
  ExtentExpression times;
  bool isOptional;
};

/// Where a call says a type: in its template arguments, by an input's elements, by what a load
/// yields.
struct ScratchType {
  enum { Argument, Input, Load } source;
  unsigned number;
};

/// The part that calls of a template have, by which passes find it.
enum class TemplateRole {
  None,
  Product,
  ProductOfCodes,
  ProductOfCodesByBytes,
  Softmax,
  Attention
};

struct KernelTemplate {
  llvm::StringLiteral name;
  /// Its file in the folder of each set.
  llvm::StringLiteral header;
  Words sets;
  llvm::ArrayRef<TemplateArgument> arguments;
  llvm::ArrayRef<TemplateParam> params;
  llvm::ArrayRef<TemplateOperand> operands;
  llvm::ArrayRef<TemplateFunctor> functors;
  llvm::ArrayRef<TemplateWindows> windows;
  /// Whether NAME_scratch<scratchTypes> says what scratch memory it takes.
  bool takesScratch;
  llvm::ArrayRef<ScratchType> scratchTypes;
  bool mayRaise;
  /// Whether members of p may be counted extents.
  bool takesCounts;
  /// Whether it takes scratch memory where kernels run on a device.
  bool takesDeviceScratch;
  /// Extensions of an instruction set that it is faster by.
  Words extensions;
  /// The template whose calls it takes over; empty where it is called itself.
  llvm::StringLiteral replaces;
  TemplateRole role;

  bool isIn(llvm::StringRef set) const { return llvm::is_contained(sets, set); }
  const TemplateParam *findParam(llvm::StringRef name) const;
  /// Null where it has no functor of that name.
  const TemplateFunctor *findFunctor(llvm::StringRef name) const;
  /// The length of the innermost blocks of an operand that its record has a number for.
  int64_t getBlockOf(llvm::StringRef operand) const;
};

/// The template of that name; null when no record declares one.
const KernelTemplate *findTemplate(llvm::StringRef name);
/// The template of a set that has a role; null when none does.
const KernelTemplate *findTemplate(TemplateRole role, llvm::StringRef set);
/// That of the template that `op` calls; None for what is no call.
TemplateRole getRole(mlir::Operation *op);
/// The template of a set that takes over a call of these types of operands; null when none does.
const KernelTemplate *findReplacement(CallOp call, llvm::StringRef set);
/// Whether `kernel` can be called with these params while the device alone has those that are
/// counted. The host sizes scratch memory by the most of each member of p, which is too much
/// for counts that are bounded together.
bool takesCountsOf(const KernelTemplate &kernel, mlir::DictionaryAttr params,
                   const core::SymbolAnalysis &symbols);

/// The element type that C++ calls so; null when there is none.
mlir::Type parseElement(mlir::MLIRContext *context, llvm::StringRef name);
/// The type that templates accumulate sums of `type` in.
mlir::Type getAccumulatorType(mlir::Type type);

/// Whether a template writes the result even where nobody reads it, as a count that is known to be
/// 0.
bool needsMemory(mlir::OpResult result);

/// Holds a call against its template's record.
mlir::LogicalResult verifyAgainstTemplate(CallOp call);

} // namespace cameo::prog

#endif // CAMEO_DIALECT_PROG_IR_KERNELTEMPLATES_H
