// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways in which kernels do what a template says, its contract: where each may be taken, what is
// left to choose, what it spends. The compiler takes the cheapest on its machine (compiler/Kernels).
//
// Guards and amounts are expressions, spelled as C++ over numbers: members of the contract's p at
// nominal extents (`output[0]` of an array), choices, and functions of Problem (compiler/Kernels/Problem.h),
// whose arguments may be operands of the contract: `constant(w)`.

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

class Variant<KernelTemplate what, KernelTemplate by> {
  /// The template that says what is computed; expressions name its members and operands.
  KernelTemplate contract = what;
  /// The template that is called; it says which kernel sets have it.
  KernelTemplate function = by;
  /// Conditions, all of which hold where it is taken.
  list<string> guards = [];
  dag choices = (with);
  /// Members of the function that the contract has not, each as Is<...>.
  dag members = (with);
  list<Spends> spends = [];
  /// Constant operands that the compiler transforms for it.
  list<string> packs = [];
  /// The step in front of the call that makes its image, patches or phases (Expansion in
  /// compiler/Kernels/Variants.h); none where empty.
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
