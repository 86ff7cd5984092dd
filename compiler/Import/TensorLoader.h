// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one way from a TensorProto to bytes, for all that carry one: initializers, both parts of
// sparse ones, attributes with one or many, subgraphs, function bodies, and tensors that nothing
// uses.

#ifndef CAMEO_IMPORT_TENSORLOADER_H
#define CAMEO_IMPORT_TENSORLOADER_H

#include "Import/ModelFile.h"
#include "Import/Proto.h"
#include "Support/CheckedSize.h"
#include "Support/ElementTypes.h"
#include "llvm/ADT/SmallVector.h"

namespace cameo::importer {

/// Bytes that were taken from a message, or a buffer of our own. Stays where it is.
class ByteStore {
public:
  ByteStore() = default;
  explicit ByteStore(std::string taken) : taken(std::move(taken)) {}
  /// A buffer of `size` bytes, all zero if `isZero`; null where there is no memory for it.
  static std::unique_ptr<ByteStore> create(int64_t size, bool isZero = false);

  llvm::MutableArrayRef<char> get() {
    return own ? llvm::MutableArrayRef<char>(own.get(), ownSize)
               : llvm::MutableArrayRef<char>(taken.data(), taken.size());
  }

private:
  struct Free {
    void operator()(char *data) const { std::free(data); }
  };
  std::string taken;
  std::unique_ptr<char[], Free> own;
  size_t ownSize = 0;
};

struct LoadedTensor {
  int32_t dataType = 0;
  llvm::SmallVector<int64_t> dims;
  int64_t count = 0;
  /// The elements as in raw_data: little-endian, those of 4 and 2 bits packed. Null for strings.
  std::unique_ptr<ByteStore> bytes;
  std::vector<std::string> strings;
};

struct TensorSize {
  int64_t count;
  int64_t bytes;
};

class TensorLoader {
public:
  TensorLoader(ExternalFiles &files, int64_t maxWeightBytes, Reporter &reporter)
      : files(files), maxWeightBytes(maxWeightBytes), reporter(reporter) {}

  /// Everything that can be said of a tensor without making its elements. Counts them against the
  /// limits on weights: once for each tensor.
  llvm::LogicalResult check(const pb::TensorProto &tensor, const Where &where);
  llvm::LogicalResult check(const pb::SparseTensorProto &tensor, const Where &where);

  /// Bytes of all tensors that were checked.
  int64_t getWeightBytes() const { return *weightBytes.get(); }

  /// The elements; the message is emptied so that there are never two copies. Only after check().
  llvm::FailureOr<LoadedTensor> take(pb::TensorProto &tensor, const Where &where);
  /// The same, with zeros where the sparse tensor has none.
  llvm::FailureOr<LoadedTensor> take(pb::SparseTensorProto &tensor, const Where &where);

private:
  llvm::LogicalResult checkElements(const pb::TensorProto &tensor, const ElementInfo &type,
                                    const TensorSize &size, const Where &where);
  llvm::LogicalResult countWeight(int64_t size, const Where &where);
  llvm::LogicalResult countSparse(int64_t denseSize, int64_t valueSize, const Where &where);
  llvm::LogicalResult checkTyped(const pb::TensorProto &tensor, const ElementInfo &type,
                                 int64_t count, const Where &where);
  llvm::LogicalResult checkExternal(const pb::TensorProto &tensor, const ElementInfo &type,
                                    int64_t size, const Where &where);
  llvm::FailureOr<ExternalRange> parseRange(const pb::TensorProto &tensor, const Where &where);
  llvm::FailureOr<std::unique_ptr<ByteStore>> allocate(int64_t size, const Where &where,
                                                       bool isZero = false);

  ExternalFiles &files;
  int64_t maxWeightBytes;
  Reporter &reporter;
  CheckedSize weightBytes = 0;
  /// Bytes of all sparse tensors: in dense form, and of their values.
  CheckedSize denseBytes = 0, valueBytes = 0;
};

/// The number of elements and of raw bytes for `dims`; fails with a diagnostic.
llvm::FailureOr<TensorSize> getTensorSize(llvm::ArrayRef<int64_t> dims, const ElementInfo &type,
                                          const Where &where, Reporter &reporter);

} // namespace cameo::importer

#endif // CAMEO_IMPORT_TENSORLOADER_H
