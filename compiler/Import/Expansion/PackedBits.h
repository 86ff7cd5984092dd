// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors whose elements ONNX Runtime packs into bytes, as tensors of elements of so few bits.

#ifndef CAMEO_IMPORT_EXPANSION_PACKEDBITS_H
#define CAMEO_IMPORT_EXPANSION_PACKEDBITS_H

#include "Import/Expansion/Expansion.h"

namespace cameo::importer {

/// The unsigned elements of `bits` bits (2, 4 or 8) of a constant of bytes, of which each row of
/// the last of `dims` begins with a byte. Null, with a diagnostic, where `packed` (called `name`)
/// is no constant or has another number of bytes. The result has the first `kept` of each row,
/// all where it is negative.
mlir::Value unpackCodes(Expansion &b, mlir::Value packed, llvm::StringRef name, unsigned bits,
                        llvm::ArrayRef<int64_t> dims, int64_t kept = -1);

/// As many elements that are all `code`.
mlir::Value makeCodes(Expansion &b, unsigned bits, llvm::ArrayRef<int64_t> dims, uint8_t code);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_EXPANSION_PACKEDBITS_H
