// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a word that names nothing may be a slip of: values, dims, verbs and flags.

#ifndef CAMEO_SUPPORT_NEARNAMES_H
#define CAMEO_SUPPORT_NEARNAMES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace cameo {

/// The names of `known` that `name` may be a slip of: `'a', 'b' or 'c'`, escaped; "" where none is
/// near.
std::string listNear(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known);
/// The same as a hint, `did you mean 'a' or 'b'?`; `otherwise` where none is near.
std::string suggestNear(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> known,
                        llvm::StringRef otherwise);

} // namespace cameo

#endif // CAMEO_SUPPORT_NEARNAMES_H
