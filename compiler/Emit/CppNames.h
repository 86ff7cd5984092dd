// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of the model to C++ identifiers. A legal name stays as it is, others are cleaned; within a
// scope and the scopes around it no two names get one identifier, whatever they are. Identifiers
// avoid keywords of C, C++ and CUDA, macros of common system headers, and everything that C++
// reserves.

#ifndef CAMEO_EMIT_CPPNAMES_H
#define CAMEO_EMIT_CPPNAMES_H

#include "Emit/CppCode.h"
#include "Support/Identifiers.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace cameo {

/// `text` with only letters, digits and single underscores, starting with a letter; `fallback`
/// where nothing is left of it. Names that clean to the same are told apart by a CppScope.
std::string cleanName(llvm::StringRef text, llvm::StringRef fallback = "v");
/// Whether `text` may be the name of a generated library, and with it of files, C symbols and a
/// namespace: 1 to 48 letters, digits and single underscores, starting with a letter, no reserved
/// word, no target of CMake's and no header of the system's.
bool isLibraryName(llvm::StringRef text);

/// One scope of C++.
class CppScope {
public:
  explicit CppScope(const CppScope *outer = nullptr) : outer(outer) {}

  /// Names that the text printed into this scope uses itself.
  void reserve(llvm::ArrayRef<llvm::StringRef> names);
  /// An identifier for a new thing called `text`.
  Code add(llvm::StringRef text, llvm::StringRef fallback = "v");
  /// The same for a thing named after others, `suffix` being ours: `conv1_params`.
  Code add(const Code &base, llvm::StringRef suffix);

private:
  bool contains(llvm::StringRef name) const;
  Code addUnique(std::string name);

  const CppScope *outer;
  llvm::StringSet<> taken;
  /// The number to try next, per name; keeps a thousand equal names linear.
  llvm::StringMap<unsigned> next;
};

} // namespace cameo

#endif // CAMEO_EMIT_CPPNAMES_H
