// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols of copied ops, and the questions that an analysis of a function answers.

#include "Dialect/Core/IR/SymbolAnalysis.h"
#include "Dialect/Core/IR/SymbolRenaming.h"
#include "Dialect/Prog/IR/ProgDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace mlir;
using namespace cameo::core;
namespace prog = cameo::prog;

namespace {

constexpr llvm::StringLiteral kProgram = R"mlir(
func.func @main(%x: !cameo.tensor<[N], f32, host>, %n: i64) attributes {cameo.symbols = [#cameo.symbol<"N">]} {
  prog.bind <"k" in [0, 9] bound N> = %n checked
  prog.define <"d"> = #cameo.extent<k * N + 1>
  %0 = prog.loop <"i"> to %n trip #cameo.extent<k> carry(%x : !cameo.tensor<[N], f32, host>)
      symbols [#cameo.symbol<"m">] = [#cameo.extent<N>] : !cameo.tensor<[m], f32, host> {
  ^bb0(%y: !cameo.tensor<[m], f32, host>):
    %1 = prog.empty : <[m + 2], f32, host>
    prog.yield %1 : !cameo.tensor<[m + 2], f32, host> extents [#cameo.extent<m + 2>]
  }
  %2 = prog.empty : <[m + d], f32, host>
  func.return
}
)mlir";

struct Program {
  Program() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<prog::ProgDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(kProgram, &context);
    REQUIRE(module);
    function = *module->getOps<func::FuncOp>().begin();
  }
  ExtentAttr extent(llvm::StringRef text) {
    std::string error;
    return *parseExtent(text, &context, error);
  }
  template <class Op> Op find() { return *function.getBody().getOps<Op>().begin(); }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
};

} // namespace

TEST_CASE("an analysis says when symbols are known, and the most that they can be") {
  Program program;
  SymbolAnalysis symbols(program.function);
  auto loop = program.find<prog::LoopOp>();
  Operation *inside = &loop.getBody().front().front(), *define = program.find<prog::DefineOp>();

  CHECK(symbols.getDefiner("N") == nullptr);
  CHECK(symbols.getDefiner("d") == define);
  CHECK(symbols.areKnownBefore(program.extent("k + N"), define));
  CHECK_FALSE(symbols.areKnownBefore(program.extent("d"), define));
  CHECK(symbols.areKnownBefore(program.extent("i + m"), inside));
  CHECK_FALSE(symbols.areKnownBefore(program.extent("m"), loop));
  CHECK_FALSE(symbols.areKnownBefore(program.extent("i"), loop->getNextNode()));
  CHECK(symbols.areKnownBefore(program.extent("m"), loop->getNextNode()));

  CHECK(symbols.getBound(program.extent("4 * d"), define) == program.extent("4 * k * N + 4"));
  CHECK(symbols.getBound(program.extent("k"), program.find<prog::BindOp>()) == program.extent("N"));
  CHECK(symbols.getLoopBound(program.extent("m")) == program.extent("N + 2 * max(k, 0)"));
  CHECK(range(program.extent("k"), symbols.getFacts()) == ExtentRange(0, 9));
}

TEST_CASE("a copy defines symbols of its own, in types and attributes") {
  Program program;
  auto loop = program.find<prog::LoopOp>();
  OpBuilder builder(loop->getNextNode());
  auto copy = cast<prog::LoopOp>(builder.clone(*loop));
  CHECK(failed(verifySymbols(program.function)));

  SymbolRenaming(program.function).renameDefinedIn(copy);
  CHECK(succeeded(verifySymbols(program.function)));
  auto extentOf = [](Value value) { return cast<SymTensorType>(value.getType()).getExtents()[0]; };
  CHECK(copy.getIv().getName() == "i_1");
  CHECK(extentOf(copy.getResult(0)) == program.extent("m_1"));
  CHECK(extentOf(copy.getBody().getArgument(0)) == program.extent("m_1"));
  CHECK(copy.getNextExtents()[0] == program.extent("m_1 + 2"));
  // Symbols that it only names stay.
  CHECK(copy.getTripAttr() == program.extent("k"));
  CHECK(extentOf(loop.getResult(0)) == program.extent("m"));
}

TEST_CASE("what nothing names goes, and what only that has named") {
  Program program;
  program.function.getBody().front().getTerminator()->getPrevNode()->erase();
  eraseUnusedSymbols(program.function);
  CHECK(program.function.getBody().getOps<prog::DefineOp>().empty());
  // It checks its value.
  CHECK_FALSE(program.function.getBody().getOps<prog::BindOp>().empty());
}

TEST_CASE("facts are found in the function while rewrites run") {
  Program program;
  Operation *inside = program.find<prog::LoopOp>();
  {
    SymbolFactsScope scope(program.function);
    CHECK(getSymbolFacts(inside).lookup("k").max == 9);
  }
  CHECK(getSymbolFacts(inside).lookup("k").max == 9);
  CHECK_FALSE(program.function->hasAttr("cameo.facts"));
}
