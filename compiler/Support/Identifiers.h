// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef CAMEO_SUPPORT_IDENTIFIERS_H
#define CAMEO_SUPPORT_IDENTIFIERS_H

#include <cstddef>

namespace cameo {

/// Longer identifiers of generated code are cut and end in a hash of the whole name. C++ guarantees
/// nothing below 1024, but a line has 100 columns.
inline constexpr size_t kMaxIdentifier = 48;

} // namespace cameo

#endif // CAMEO_SUPPORT_IDENTIFIERS_H
