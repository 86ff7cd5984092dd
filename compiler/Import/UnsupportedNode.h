// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an import says of a node whose operator Cameo does not have.

#ifndef CAMEO_IMPORT_UNSUPPORTEDNODE_H
#define CAMEO_IMPORT_UNSUPPORTEDNODE_H

#include <cstdint>
#include <string>

namespace cameo {

/// The ways to compile a model whose operator Cameo does not have.
enum class RemedyKind {
  /// Nobody has looked.
  Unknown,
  /// A declaration and a function of the user's (--external).
  External,
  /// Another export, or a part of the model in the caller.
  Export,
  /// Nothing yet.
  None
};

/// A node whose operator Cameo does not have.
struct UnsupportedNode {
  /// As in diagnostics: `graph/node`.
  std::string where;
  std::string domain;
  std::string opType;
  /// The version of the domain that the model imports.
  int64_t version = 0;
  RemedyKind remedy = RemedyKind::Unknown;
  /// How, or what is in the way.
  std::string advice;
};

} // namespace cameo

#endif // CAMEO_IMPORT_UNSUPPORTEDNODE_H
