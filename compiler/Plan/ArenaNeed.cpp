// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Plan/ArenaNeed.h"

#include "Dialect/Prog/IR/ProgDialect.h"
#include "Plan/PackBuffers.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::core;
using namespace cameo::prog;

static bool arePlaced(ArrayRef<PackedBuffer> buffers) {
  return llvm::all_of(buffers, [](const PackedBuffer &buffer) { return buffer.offset >= 0; });
}

std::optional<ArenaNeed> cameo::getArenaNeed(func::FuncOp main,
                                             const std::map<std::string, int64_t> &symbols) {
  DenseMap<StringRef, ExtentAttr> values;
  for (const auto &[name, value] : symbols)
    values[name] = ExtentAttr::constant(main.getContext(), value);
  SmallVector<PackedBuffer> sides[2];
  auto table = main->getAttrOfType<ArrayAttr>("prog.buffers");
  for (Attribute attribute : table ? table.getValue() : ArrayRef<Attribute>()) {
    auto row = cast<BufferAttr>(attribute);
    if (row.isOutput())
      continue;
    std::optional<int64_t> bytes = row.getBytes().substitute(values).getConstant();
    if (!bytes)
      return std::nullopt;
    sides[row.getSide() == Side::Device ? 1 : 0].push_back(
        {*bytes, row.getFirst(), row.getLast(), row.getOffset()});
  }
  ArenaNeed need;
  for (SmallVector<PackedBuffer> &buffers : sides) {
    std::optional<int64_t> bytes = arePlaced(buffers) ? getEnd(buffers) : packBuffers(buffers);
    if (!bytes)
      return std::nullopt;
    need.bytes += *bytes;
    need.lowerBound += getLiveBytes(buffers);
  }
  return need;
}
