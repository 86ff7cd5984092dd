// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways in which kernels do what a template says, its contract: where each may be taken, what is
// left to choose, what it spends. The compiler takes the cheapest on its machine (compiler/Kernels).
//
// Guards and amounts are expressions, spelled as C++ over numbers: members of the contract's p at
// nominal extents (`output[0]` of an array), choices, functions of Problem (compiler/Kernels/Problem.h),
// whose arguments may be operands of the contract: `constant(w)`, and those that a record of class Function names.

#ifndef CAMEO_CODEGEN_TEMPLATES_RECORDS_VARIANT_TD
#define CAMEO_CODEGEN_TEMPLATES_RECORDS_VARIANT_TD

include "resource.td"

/// So many units of a resource.
class Spends<Resource what, string count> {
  Resource resource = what;
  string amount = count;
}
/// A number that follows from others.
class Is<string expression> { string text = expression; }
/// A number that is chosen, one of these.
class OneOf<list<int> these> { list<int> values = these; }
/// A function over int64_t of namespace cameo, in a header that kernels have too.
class Function<string file> { string header = file; }

/// A step that a constant goes through, by its name in compiler/Dialect/Prog/IR/ConstantSteps.td, with the
/// expressions of its parameters; left out where its condition, if it has one, does not hold.
class Step<string what, list<string> numbers, string where = ""> {
  string name = what;
  list<string> parameters = numbers;
  string condition = where;
}
/// An operand of the contract that the function reads as an image of it: what steps make of its elements, of which these
/// axes lie in the blocks that the function's operand has. The compiler makes it of a constant, so it is a guard
/// that the operand is one.
class Packed<string what, string as, list<Step> steps, list<int> blocked> {
  string operand = what;
  string image = as;
  list<Step> through = steps;
  list<int> axes = blocked;
  /// The template that makes the image in each call instead, of the operand as it lies.
  KernelTemplate call = ?;
  /// Members of that template which are other than the function's, each as Is<...>.
  dag members = (with);
}
class PackedByCall<string what, string as, list<Step> steps, list<int> blocked, KernelTemplate by, dag others>
    : Packed<what, as, steps, blocked> {
  let call = by;
  let members = others;
}

class Variant<KernelTemplate what, KernelTemplate by> {
  /// The template that says what is computed; expressions name its members and operands.
  KernelTemplate contract = what;
  /// The template that is called.
  KernelTemplate function = by;
  /// The kernel sets that choose it, of those that have the function.
  list<KernelSet> sets = by.sets;
  /// Conditions, all of which hold where it is taken. That an image lies in blocks or in planes, as the function takes
  /// it, is one unless a step makes the image.
  list<string> guards = [];
  dag choices = (with);
  /// Members of the function that the contract has not, or that are other ones, each as Is<...>.
  dag members = (with);
  list<Spends> spends = [];
  list<Packed> packs = [];
  /// How the images come about that its calls read (Expansion in compiler/Kernels/Variants.h); empty: they are there.
  string expansion = "";
  /// It is taken instead of a variant in front of it, in the order of the records, where it costs less than
  /// so many per cent of that; and a later choice instead of an earlier one of its own.
  int worth = 100;
  int choiceWorth = 100;
}

/// Calls of a contract whose extents are open may have several variants, each for a range of one number: the
/// product of all elements of these members.
class Ranged<KernelTemplate what, list<string> factors> {
  KernelTemplate contract = what;
  list<string> members = factors;
}

#endif // CAMEO_CODEGEN_TEMPLATES_RECORDS_VARIANT_TD
