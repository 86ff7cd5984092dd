// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A look at the bytes of a model before protobuf decodes them. protobuf says only that decoding
// failed, recurses, and lets a few bytes become large objects (an empty AttributeProto is 2 bytes
// in a file and 300 in memory). The scan walks the messages without recursion and without
// allocating, says at which byte a file is broken, and counts what decoding it will take.

#ifndef CAMEO_IMPORT_WIRESCAN_H
#define CAMEO_IMPORT_WIRESCAN_H

#include "Import/Reporter.h"
#include "llvm/ADT/ArrayRef.h"

namespace cameo::importer {

/// Graphs in graphs, and types in types.
inline constexpr unsigned kMaxNesting = 64;

struct WireLimits {
  /// Bytes that the decoded messages may take, beyond an allowance for each byte and each node.
  int64_t maxStructureBytes = int64_t(128) << 20;
};

/// Whether `bytes` are a well-formed ModelProto within the limits.
llvm::LogicalResult scanModel(llvm::ArrayRef<char> bytes, const WireLimits &limits,
                              Reporter &reporter);

/// Reads the fields of one message without decoding what is in them.
class WireReader {
public:
  enum Type : uint8_t {
    Varint = 0,
    Fixed64 = 1,
    Bytes = 2,
    GroupBegin = 3,
    GroupEnd = 4,
    Fixed32 = 5
  };
  struct Field {
    uint32_t number = 0;
    Type type = Varint;
    /// The value of a Varint, Fixed32 or Fixed64.
    uint64_t value = 0;
    /// The content of Bytes.
    llvm::ArrayRef<char> bytes;
  };

  explicit WireReader(llvm::ArrayRef<char> bytes)
      : begin(bytes.begin()), next(begin), end(bytes.end()) {}

  bool atEnd() const { return next == end; }
  size_t getOffset() const { return static_cast<size_t>(next - begin); }
  /// The next field; nullopt, with getError(), when the bytes are none.
  std::optional<Field> read();
  llvm::StringRef getError() const { return error; }

private:
  std::optional<uint64_t> readVarint();
  std::optional<uint64_t> readFixed(unsigned size);
  std::nullopt_t fail(llvm::StringRef problem) {
    error = problem;
    return std::nullopt;
  }

  const char *begin, *next, *end;
  llvm::StringRef error;
};

} // namespace cameo::importer

#endif // CAMEO_IMPORT_WIRESCAN_H
