// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One grammar for extents over two sources of tokens: MLIR's parser, for IR, and a string, for
// options. Text comes from users, so nesting is bounded and every error has a position.
//
//   sum     ::= factor-chain ((`+` | `-`) factor-chain)*
//   chain   ::= factor ((`*` | `floordiv` | `ceildiv` | `mod`) factor)*
//   factor  ::= `-` factor | integer | name | string | `?` | `(` sum `)`
//             | (`min` | `max` | `product`) `(` sum (`,` sum)* `)`
//
// Relations (ExtentRelation.h) are sums around a sign, in which a name may be a reference.

#include "Dialect/Core/IR/Extent.h"

#include "Dialect/Core/IR/ExtentBuilder.h"
#include "Dialect/Core/IR/ExtentRelation.h"
#include "Dialect/Core/IR/ExtentSyntax.h"

using namespace cameo::core;
using llvm::FailureOr;
using llvm::StringRef;
using mlir::failed;
using mlir::failure;
using mlir::succeeded;

namespace {

/// Where tokens come from. Every function consumes the token it accepts and nothing else.
class TokenSource {
public:
  virtual ~TokenSource() = default;
  /// One of `-` `+` `*` `?` `(` `)` `,`; outside IR any.
  virtual bool consume(char punctuation) = 0;
  virtual bool consumeKeyword(StringRef keyword) = 0;
  /// An identifier; lent until the source is gone.
  virtual bool consumeName(StringRef &name) = 0;
  virtual bool consumeString(std::string &value) = 0;
  /// An integer without sign; fails, having said so, if it has more than 64 bits.
  virtual FailureOr<bool> consumeInteger(uint64_t &value) = 0;
  /// Reports a problem at the current token.
  virtual void emitError(const llvm::Twine &message) = 0;
};

class ExtentParser {
public:
  /// With `references`, names are references, which are added there.
  ExtentParser(TokenSource &source, mlir::MLIRContext *context,
               llvm::SmallVectorImpl<ExtentReference> *references = nullptr)
      : source(source), builder(context, analysis), references(references) {}

  FailureOr<ExtentAttr> parseSum();
  mlir::LogicalResult parseRelation(ExtentRelation &relation);
  mlir::LogicalResult parseAssignment(ExtentAssignment &assignment);

private:
  mlir::LogicalResult parseLikely(ExtentRelation &relation);
  FailureOr<ExtentAttr> parseChain();
  FailureOr<ExtentAttr> parseFactor();
  FailureOr<ExtentAttr> parseNestedFactor();
  FailureOr<ExtentAttr> parseCall(StringRef name);
  FailureOr<ExtentAttr> parseReference(StringRef name);
  FailureOr<int64_t> parseIndex();
  bool consumeAll(StringRef punctuation);
  FailureOr<ExtentAttr> getInteger(uint64_t magnitude, bool negative);
  mlir::LogicalResult error(const llvm::Twine &message) {
    source.emitError(message);
    return failure();
  }

  static constexpr unsigned kMaxNesting = 4 * kMaxExtentDepth;

  TokenSource &source;
  ExtentAnalysis analysis;
  ExtentBuilder builder;
  llvm::SmallVectorImpl<ExtentReference> *references;
  unsigned nesting = 0;
};

FailureOr<ExtentAttr> ExtentParser::parseSum() {
  FailureOr<ExtentAttr> sum = parseChain();
  while (succeeded(sum)) {
    int64_t scale = source.consume('+') ? 1 : (source.consume('-') ? -1 : 0);
    if (scale == 0)
      break;
    FailureOr<ExtentAttr> next = parseChain();
    if (failed(next))
      return failure();
    sum = builder.add(*sum, *next, scale);
  }
  return sum;
}

FailureOr<ExtentAttr> ExtentParser::parseChain() {
  FailureOr<ExtentAttr> value = parseFactor();
  while (succeeded(value)) {
    enum { Times, FloorDiv, CeilDiv, Mod } operation;
    if (source.consume('*'))
      operation = Times;
    else if (source.consumeKeyword(kFloorDivKeyword))
      operation = FloorDiv;
    else if (source.consumeKeyword(kCeilDivKeyword))
      operation = CeilDiv;
    else if (source.consumeKeyword(kModKeyword))
      operation = Mod;
    else
      break;
    FailureOr<ExtentAttr> other = parseFactor();
    if (failed(other))
      return failure();
    switch (operation) {
    case Times:
      value = builder.multiply(*value, *other);
      break;
    case FloorDiv:
      value = builder.floorDiv(*value, *other);
      break;
    case CeilDiv:
      value = value->ceilDiv(*other);
      break;
    case Mod:
      value = builder.mod(*value, *other);
      break;
    }
  }
  return value;
}

FailureOr<ExtentAttr> ExtentParser::parseFactor() {
  if (nesting == kMaxNesting)
    return error("extent is nested too deeply");
  ++nesting;
  FailureOr<ExtentAttr> value = parseNestedFactor();
  --nesting;
  return value;
}

FailureOr<ExtentAttr> ExtentParser::parseNestedFactor() {
  bool negative = source.consume('-');
  uint64_t magnitude;
  FailureOr<bool> isInteger = source.consumeInteger(magnitude);
  if (failed(isInteger))
    return failure();
  if (*isInteger)
    return getInteger(magnitude, negative);
  if (negative) {
    FailureOr<ExtentAttr> value = parseFactor();
    return succeeded(value) ? -*value : value;
  }

  if (source.consume('?'))
    return builder.getUnknown();
  if (source.consume('(')) {
    FailureOr<ExtentAttr> value = parseSum();
    if (succeeded(value) && !source.consume(')'))
      return error("expected ')'");
    return value;
  }
  std::string quoted;
  if (source.consumeString(quoted))
    return references ? parseReference(quoted) : builder.getSymbol(quoted);
  StringRef name;
  if (!source.consumeName(name))
    return error("expected an extent");
  if (name == kMinKeyword || name == kMaxKeyword || name == kProductKeyword)
    return parseCall(name);
  if (references)
    return parseReference(name);
  if (!isBareSymbolName(name))
    return error("'" + name + "' is an operator; a symbol of that name needs quotes");
  return builder.getSymbol(name);
}

FailureOr<ExtentAttr> ExtentParser::parseCall(StringRef name) {
  if (!source.consume('('))
    return error("expected '(' after '" + name + "'");
  llvm::SmallVector<ExtentAttr> operands;
  do {
    FailureOr<ExtentAttr> operand = parseSum();
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  } while (source.consume(','));
  if (!source.consume(')'))
    return error("expected ',' or ')'");
  if (name == kProductKeyword)
    return builder.multiplyUnexpanded(operands);
  return builder.minMax(name == kMinKeyword ? ExtentKind::Min : ExtentKind::Max, operands);
}

FailureOr<ExtentAttr> ExtentParser::getInteger(uint64_t magnitude, bool negative) {
  constexpr uint64_t kLimit = uint64_t(1) << 63;
  if (magnitude > kLimit || (magnitude == kLimit && !negative))
    return error("integer does not fit in 64 bits");
  return builder.getConstant(static_cast<int64_t>(negative ? 0 - magnitude : magnitude));
}

//===----------------------------------------------------------------------===//
// Relations
//===----------------------------------------------------------------------===//

FailureOr<ExtentAttr> ExtentParser::parseReference(StringRef name) {
  ExtentReference reference{name.str()};
  // A name may end in letters and points: `x.shape` is one token, `"x".shape` are two.
  bool isExtent = source.consumeKeyword(".shape");
  if (source.consume('[')) {
    StringRef stem = name;
    isExtent |= stem.consume_back(".shape");
    FailureOr<int64_t> index = parseIndex();
    if (failed(index))
      return failure();
    using Kind = ExtentReference::Kind;
    reference = {stem.str(), isExtent ? Kind::Extent : Kind::Element, *index};
  } else if (isExtent) {
    return error("expected '[' after '.shape'");
  }
  auto *known = llvm::find(*references, reference);
  auto number = static_cast<size_t>(known - references->begin());
  if (known == references->end())
    references->push_back(reference);
  return builder.getSymbol(ExtentRelation::getSymbol(number));
}

FailureOr<int64_t> ExtentParser::parseIndex() {
  uint64_t index;
  FailureOr<bool> isInteger = source.consumeInteger(index);
  if (failed(isInteger) || !*isInteger || index > INT32_MAX)
    return error("expected an index from 0 on");
  if (!source.consume(']'))
    return error("expected ']'");
  return static_cast<int64_t>(index);
}

/// A sign of two characters or one.
bool ExtentParser::consumeAll(StringRef punctuation) {
  if (!source.consume(punctuation.front()))
    return false;
  return punctuation.size() == 1 || source.consume(punctuation.back());
}

mlir::LogicalResult ExtentParser::parseRelation(ExtentRelation &relation) {
  FailureOr<ExtentAttr> left = parseSum();
  if (failed(left))
    return failure();
  relation.left = *left;
  if (source.consumeKeyword("likely"))
    return parseLikely(relation);
  bool isRange = source.consumeKeyword("in");
  bool isLess = !isRange && source.consume('<'),
       isMore = !isRange && !isLess && source.consume('>');
  bool orEqual = (isLess || isMore) && source.consume('=');
  if (!isRange && !isLess && !isMore && !consumeAll("=="))
    return error("expected '==', '<=', '<', '>=', '>', 'in' or 'likely'");
  FailureOr<ExtentAttr> right = parseSum();
  if (failed(right))
    return failure();
  if (isRange) {
    if (!consumeAll(".."))
      return error("expected '..'");
    FailureOr<ExtentAttr> last = parseSum();
    if (failed(last))
      return failure();
    relation.least = *right, relation.most = *last;
    return mlir::success();
  }
  if (!isLess)
    relation.least = isMore && !orEqual ? *right + 1 : *right;
  if (!isMore)
    relation.most = isLess && !orEqual ? *right - 1 : *right;
  return mlir::success();
}

mlir::LogicalResult ExtentParser::parseLikely(ExtentRelation &relation) {
  FailureOr<ExtentAttr> value = parseSum();
  if (failed(value))
    return failure();
  relation.likely = value->getConstant();
  return relation.likely ? mlir::success() : error("expected an integer in front");
}

mlir::LogicalResult ExtentParser::parseAssignment(ExtentAssignment &assignment) {
  StringRef name;
  if (!source.consumeString(assignment.name)) {
    if (!source.consumeName(name))
      return error("expected the name of a value");
    assignment.name = name.str();
  }
  if (!source.consume('='))
    return error("expected '='");
  assignment.isList = source.consume('[');
  if (assignment.isList && source.consume(']'))
    return mlir::success();
  do {
    FailureOr<ExtentAttr> element = parseSum();
    if (failed(element))
      return failure();
    assignment.elements.push_back(*element);
  } while (assignment.isList && source.consume(','));
  if (assignment.isList && !source.consume(']'))
    return error("expected ',' or ']'");
  return mlir::success();
}

//===----------------------------------------------------------------------===//
// MLIR's parser as a source
//===----------------------------------------------------------------------===//

class AsmSource : public TokenSource {
public:
  explicit AsmSource(mlir::AsmParser &parser) : parser(parser) {}

  bool consume(char punctuation) override {
    switch (punctuation) {
    case '-':
      return succeeded(parser.parseOptionalMinus());
    case '+':
      return succeeded(parser.parseOptionalPlus());
    case '*':
      return succeeded(parser.parseOptionalStar());
    case '?':
      return succeeded(parser.parseOptionalQuestion());
    case '(':
      return succeeded(parser.parseOptionalLParen());
    case ')':
      return succeeded(parser.parseOptionalRParen());
    case ',':
      return succeeded(parser.parseOptionalComma());
    default:
      llvm_unreachable("not a token of extents");
    }
  }
  bool consumeKeyword(StringRef keyword) override {
    return succeeded(parser.parseOptionalKeyword(keyword));
  }
  bool consumeName(StringRef &name) override {
    return succeeded(parser.parseOptionalKeyword(&name));
  }
  bool consumeString(std::string &value) override {
    return succeeded(parser.parseOptionalString(&value));
  }
  FailureOr<bool> consumeInteger(uint64_t &value) override {
    llvm::APInt parsed;
    mlir::OptionalParseResult result = parser.parseOptionalInteger(parsed);
    if (!result.has_value())
      return false;
    if (failed(*result))
      return failure();
    if (parsed.getActiveBits() > 64) {
      emitError("integer does not fit in 64 bits");
      return failure();
    }
    value = parsed.getZExtValue();
    return true;
  }
  void emitError(const llvm::Twine &message) override {
    parser.emitError(parser.getCurrentLocation(), message);
  }

private:
  mlir::AsmParser &parser;
};

//===----------------------------------------------------------------------===//
// A string as a source
//===----------------------------------------------------------------------===//

class StringSource : public TokenSource {
public:
  /// In a relation, names have the characters of exporters' too, and errors show the place in the
  /// text by a `^` instead of telling the column.
  StringSource(StringRef text, std::string &message, bool isRelation = false)
      : text(text), rest(text), message(message), isRelation(isRelation) {}

  bool isAtEnd() {
    rest = rest.ltrim();
    return rest.empty();
  }
  bool consume(char punctuation) override {
    return !isAtEnd() && rest.consume_front(StringRef(&punctuation, 1));
  }
  bool consumeKeyword(StringRef keyword) override {
    if (peekName() != keyword)
      return false;
    rest = rest.drop_front(keyword.size());
    return true;
  }
  bool consumeName(StringRef &name) override {
    name = peekName();
    rest = rest.drop_front(name.size());
    return !name.empty();
  }
  bool consumeString(std::string &value) override;
  FailureOr<bool> consumeInteger(uint64_t &value) override {
    if (isAtEnd() || !llvm::isDigit(rest.front()))
      return false;
    if (rest.take_while(llvm::isDigit).getAsInteger(10, value)) {
      emitError("integer does not fit in 64 bits");
      return failure();
    }
    rest = rest.drop_while(llvm::isDigit);
    return true;
  }
  void emitError(const llvm::Twine &problem) override {
    if (!message.empty())
      return;
    size_t column = text.size() - rest.size();
    if (isRelation)
      message = (problem + " at '" + text.take_front(column) + "^" + rest + "'").str();
    else
      message = (problem + " at column " + llvm::Twine(column + 1)).str();
  }

private:
  StringRef peekName() {
    if (isAtEnd() || llvm::isDigit(rest.front()))
      return {};
    return rest.take_while(
        [&](char c) { return isSymbolCharacter(c) || (isRelation && (c == '/' || c == ':')); });
  }

  StringRef text, rest;
  std::string &message;
  bool isRelation;
};

/// Escapes as MLIR has them: \\ \" \n \t and two hexadecimal digits. A string that is not closed
/// or has another escape is not consumed.
bool StringSource::consumeString(std::string &value) {
  if (isAtEnd() || rest.front() != '"')
    return false;
  std::string result;
  for (size_t i = 1; i < rest.size(); ++i) {
    char c = rest[i];
    if (c == '"') {
      value = result;
      rest = rest.drop_front(i + 1);
      return true;
    }
    if (c != '\\') {
      result += c;
      continue;
    }
    StringRef escape = rest.substr(i + 1, 2);
    if (escape.size() == 2 && llvm::isHexDigit(escape[0]) && llvm::isHexDigit(escape[1])) {
      result += static_cast<char>(llvm::hexFromNibbles(escape[0], escape[1]));
      i += 2;
      continue;
    }
    size_t simple = escape.empty() ? StringRef::npos : StringRef("\\\"nt").find(escape[0]);
    if (simple == StringRef::npos)
      return false;
    result += "\\\"\n\t"[simple];
    ++i;
  }
  return false;
}

} // namespace

FailureOr<ExtentAttr> cameo::core::parseExtent(mlir::AsmParser &parser) {
  AsmSource source(parser);
  return ExtentParser(source, parser.getContext()).parseSum();
}

FailureOr<ExtentAttr> cameo::core::parseExtent(StringRef text, mlir::MLIRContext *context,
                                               std::string &error) {
  error.clear();
  StringSource source(text, error);
  FailureOr<ExtentAttr> extent = ExtentParser(source, context).parseSum();
  if (succeeded(extent) && !source.isAtEnd()) {
    source.emitError("expected an operator");
    return failure();
  }
  return extent;
}

template <class Parsed>
static FailureOr<Parsed> parseWhole(StringRef text, mlir::MLIRContext *context, std::string &error,
                                    mlir::LogicalResult (ExtentParser::*parse)(Parsed &)) {
  error.clear();
  StringSource source(text, error, /*isRelation=*/true);
  Parsed parsed;
  parsed.text = text.str();
  ExtentParser parser(source, context, &parsed.references);
  if (failed((parser.*parse)(parsed)))
    return failure();
  if (!source.isAtEnd()) {
    source.emitError("expected an operator or the end");
    return failure();
  }
  return parsed;
}

FailureOr<ExtentRelation>
cameo::core::parseExtentRelation(StringRef text, mlir::MLIRContext *context, std::string &error) {
  return parseWhole(text, context, error, &ExtentParser::parseRelation);
}

FailureOr<ExtentAssignment>
cameo::core::parseExtentAssignment(StringRef text, mlir::MLIRContext *context, std::string &error) {
  return parseWhole(text, context, error, &ExtentParser::parseAssignment);
}
