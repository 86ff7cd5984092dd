// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the extent tests share: a context with the dialect, and extents by their text.

#ifndef CAMEO_TESTS_DIALECT_CORE_EXTENT_FIXTURE_H
#define CAMEO_TESTS_DIALECT_CORE_EXTENT_FIXTURE_H

#include "Dialect/Core/IR/CoreDialect.h"
#include "Dialect/Core/IR/ExtentFacts.h"

#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

namespace cameo::core {

struct ExtentFixture {
  ExtentFixture() : context(mlir::MLIRContext::Threading::DISABLED) {
    context.loadDialect<CoreDialect>();
  }

  ExtentAttr constant(int64_t value) { return ExtentAttr::constant(&context, value); }
  ExtentAttr symbol(llvm::StringRef name) { return ExtentAttr::symbol(&context, name); }
  /// The extent that `text` says.
  ExtentAttr operator()(llvm::StringRef text) {
    std::string error;
    llvm::FailureOr<ExtentAttr> extent = parseExtent(text, &context, error);
    INFO(text.str() << ": " << error);
    REQUIRE(succeeded(extent));
    return *extent;
  }

  mlir::MLIRContext context;
};

} // namespace cameo::core

namespace Catch {
template <> struct StringMaker<cameo::core::ExtentAttr> {
  static std::string convert(cameo::core::ExtentAttr extent) {
    return extent ? extent.str() : "<null>";
  }
};
} // namespace Catch

#endif // CAMEO_TESTS_DIALECT_CORE_EXTENT_FIXTURE_H
