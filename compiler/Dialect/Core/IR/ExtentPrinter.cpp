// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two texts of an extent: the one in IR, which parses back to the same attribute, and a C++
// expression. Both print the first positive term first, so that no text starts with a minus that
// it could avoid.

#include "Dialect/Core/IR/Extent.h"

#include "Dialect/Core/IR/ExtentSyntax.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cameo::core;
using llvm::ArrayRef;
using llvm::StringRef;

namespace {

class ExtentPrinter {
public:
  explicit ExtentPrinter(llvm::raw_ostream &os) : os(os) {}
  virtual ~ExtentPrinter() = default;

  void print(ExtentAttr extent);

protected:
  static constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

  /// One term without its sign, which stands before it if `hasMinus`. The coefficient is positive
  /// or INT64_MIN.
  virtual void printProduct(int64_t coefficient, ArrayRef<ExtentAttr> factors, bool hasMinus) = 0;
  /// A sum that needs no parentheses around it whatever its sign.
  void printSum(ArrayRef<ExtentTerm> terms);

  llvm::raw_ostream &os;
};

void ExtentPrinter::print(ExtentAttr extent) {
  if (extent.isUnknown())
    os << '?';
  else
    printSum(extent.getTerms());
}

void ExtentPrinter::printSum(ArrayRef<ExtentTerm> terms) {
  if (terms.empty()) {
    os << '0';
    return;
  }
  const ExtentTerm *first =
      llvm::find_if(terms, [](const ExtentTerm &term) { return term.coefficient > 0; });
  if (first == terms.end())
    first = terms.begin();
  auto printTerm = [&](const ExtentTerm &term, bool leads) {
    // The magnitude of INT64_MIN is no int64 literal: it prints as a signed factor.
    bool negative = term.coefficient < 0 && term.coefficient != kLowest;
    if (!leads)
      os << (negative ? " - " : " + ");
    else if (negative)
      os << '-';
    printProduct(negative ? -term.coefficient : term.coefficient, term.factors, leads && negative);
  };
  printTerm(*first, true);
  for (const ExtentTerm &term : terms)
    if (&term != first)
      printTerm(term, false);
}

//===----------------------------------------------------------------------===//
// Text in IR
//===----------------------------------------------------------------------===//

class TextPrinter : public ExtentPrinter {
public:
  using ExtentPrinter::ExtentPrinter;

protected:
  void printProduct(int64_t coefficient, ArrayRef<ExtentAttr> factors, bool hasMinus) override;

private:
  void printAtom(ExtentAttr atom);
  /// An operand of an operator that binds tighter than a sum.
  void printOperand(ExtentAttr operand);
  void printCall(StringRef name, ArrayRef<ExtentAttr> operands);
};

void TextPrinter::printProduct(int64_t coefficient, ArrayRef<ExtentAttr> factors, bool hasMinus) {
  ArrayRef<ExtentAttr> atoms =
      factors.take_while([](ExtentAttr f) { return f.getKind() != ExtentKind::Polynomial; });
  ArrayRef<ExtentAttr> sums = factors.drop_front(atoms.size());
  if (coefficient == 1 && factors.size() == 1 && !hasMinus) {
    printAtom(factors[0]);
    return;
  }
  llvm::ListSeparator times(" * ");
  if (coefficient != 1 || factors.empty())
    os << times << coefficient;
  for (ExtentAttr atom : atoms) {
    os << times;
    printOperand(atom);
  }
  if (!sums.empty()) {
    os << times;
    printCall(kProductKeyword, sums);
  }
}

void TextPrinter::printCall(StringRef name, ArrayRef<ExtentAttr> operands) {
  os << name << '(';
  llvm::interleaveComma(operands, os, [&](ExtentAttr operand) { print(operand); });
  os << ')';
}

void TextPrinter::printOperand(ExtentAttr operand) {
  std::optional<int64_t> value = operand.getConstant();
  ExtentKind kind = operand.getKind();
  bool bare = kind == ExtentKind::Symbol || kind == ExtentKind::Min || kind == ExtentKind::Max ||
              (value && *value >= 0);
  if (!bare)
    os << '(';
  print(operand);
  if (!bare)
    os << ')';
}

void TextPrinter::printAtom(ExtentAttr atom) {
  switch (atom.getKind()) {
  case ExtentKind::Symbol: {
    StringRef name = atom.getSymbolName();
    if (isBareSymbolName(name)) {
      os << name;
      return;
    }
    os << '"';
    llvm::printEscapedString(name, os);
    os << '"';
    return;
  }
  case ExtentKind::FloorDiv:
  case ExtentKind::Mod:
    printOperand(atom.getOperands()[0]);
    os << ' ' << (atom.getKind() == ExtentKind::Mod ? kModKeyword : kFloorDivKeyword) << ' ';
    printOperand(atom.getOperands()[1]);
    return;
  case ExtentKind::Min:
    return printCall(kMinKeyword, atom.getOperands());
  case ExtentKind::Max:
    return printCall(kMaxKeyword, atom.getOperands());
  case ExtentKind::Polynomial:
  case ExtentKind::Unknown:
    break;
  }
  llvm_unreachable("not an atom");
}

//===----------------------------------------------------------------------===//
// C++
//===----------------------------------------------------------------------===//

class CppPrinter : public ExtentPrinter {
public:
  CppPrinter(llvm::raw_ostream &os, llvm::function_ref<std::string(StringRef)> symbolName)
      : ExtentPrinter(os), symbolName(symbolName) {}

protected:
  void printProduct(int64_t coefficient, ArrayRef<ExtentAttr> factors, bool hasMinus) override;

private:
  void printFactor(ExtentAttr factor);
  void printCall(StringRef name, ArrayRef<ExtentAttr> operands);

  llvm::function_ref<std::string(StringRef)> symbolName;
};

void CppPrinter::printProduct(int64_t coefficient, ArrayRef<ExtentAttr> factors, bool) {
  llvm::ListSeparator times(" * ");
  if (coefficient == kLowest)
    os << times << "(-9223372036854775807 - 1)";
  else if (coefficient != 1 || factors.empty())
    os << times << coefficient;
  for (ExtentAttr factor : factors) {
    os << times;
    printFactor(factor);
  }
}

void CppPrinter::printCall(StringRef name, ArrayRef<ExtentAttr> operands) {
  os << name << '(';
  if (operands.size() > 2)
    printCall(name, operands.drop_back());
  else
    print(operands.front());
  os << ", ";
  print(operands.back());
  os << ')';
}

void CppPrinter::printFactor(ExtentAttr factor) {
  switch (factor.getKind()) {
  case ExtentKind::Symbol:
    os << symbolName(factor.getSymbolName());
    return;
  case ExtentKind::FloorDiv:
    return printCall("floor_div", factor.getOperands());
  case ExtentKind::Mod:
    return printCall("floor_mod", factor.getOperands());
  case ExtentKind::Min:
    return printCall("min", factor.getOperands());
  case ExtentKind::Max:
    return printCall("max", factor.getOperands());
  case ExtentKind::Polynomial:
    os << '(';
    print(factor);
    os << ')';
    return;
  case ExtentKind::Unknown:
    break;
  }
  llvm_unreachable("an unknown extent is part of no other");
}

} // namespace

void ExtentAttr::print(llvm::raw_ostream &os) const { TextPrinter(os).print(*this); }

std::string ExtentAttr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

void cameo::core::printExtent(llvm::raw_ostream &os, ExtentAttr extent,
                              llvm::function_ref<std::string(StringRef)> symbolName) {
  assert(!extent.isUnknown() && "an unknown extent has no C++ text");
  CppPrinter(os, symbolName).print(extent);
}
