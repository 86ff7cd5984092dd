// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/Expansion/Heads.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;

Value cameo::importer::splitHeads(Expansion &b, Value x, int64_t heads) {
  return b.transpose(b.reshape(x, {0, 0, heads, -1}), {0, 2, 1, 3});
}

Value cameo::importer::joinHeads(Expansion &b, Value x) {
  return b.reshape(b.transpose(x, {0, 2, 1, 3}), {0, 0, -1});
}

Values cameo::importer::cutHeads(Expansion &b, Value x, ArrayRef<int64_t> sizes) {
  Values parts;
  int64_t begin = 0;
  for (int64_t size : sizes) {
    parts.push_back(b.slice(x, -1, begin, begin + size));
    begin += size;
  }
  return parts;
}

Value cameo::importer::countUpTo(Expansion &b, Value extent) {
  Value end = b.make("Squeeze", {extent, b.integers({0})});
  return b.make("Range", {b.integer(0), end, b.integer(1)});
}

Value cameo::importer::countPositions(Expansion &b, Value first, Value batch, Value length) {
  Value places = b.add(b.reshape(first, {-1, 1}),
                       b.make("Unsqueeze", {countUpTo(b, length), b.integers({0})}));
  return b.make("Expand", {places, b.concat({batch, length}, 0)});
}

Value cameo::importer::turnHeads(Expansion &b, Value x, Value cosines, Value sines, Value positions,
                                 int64_t interleaved, int64_t turned, int64_t heads) {
  SmallVector<NamedAttribute> attributes = {b.attribute("interleaved", interleaved),
                                            b.attribute("rotary_embedding_dim", turned)};
  if (heads > 0)
    attributes.push_back(b.attribute("num_heads", heads));
  return b.make("RotaryEmbedding", {x, cosines, sines, positions}, attributes);
}
