// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/CountedDims.h"

#include "Import/Upgrade/Upgrade.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace cameo;
using namespace cameo::importer;

/// `base`, or with a number behind it where that is taken.
static std::string claim(StringRef base, llvm::StringSet<> &taken) {
  std::string name = base.str();
  for (unsigned number = 1; !taken.insert(name).second; ++number)
    name = (base + "_" + Twine(number)).str();
  return name;
}

/// The values that the main graph names.
static llvm::StringSet<> collectNames(const pb::GraphProto &graph) {
  llvm::StringSet<> names;
  for (const pb::ValueInfoProto &input : graph.input())
    names.insert(input.name());
  for (const pb::TensorProto &initializer : graph.initializer())
    names.insert(initializer.name());
  for (const pb::SparseTensorProto &initializer : graph.sparse_initializer())
    names.insert(initializer.values().name());
  for (const pb::NodeProto &node : graph.node())
    names.insert(node.output().begin(), node.output().end());
  return names;
}

static llvm::StringSet<> collectDims(const pb::GraphProto &graph) {
  llvm::StringSet<> names;
  for (const auto *values : {&graph.input(), &graph.output(), &graph.value_info()})
    for (const pb::ValueInfoProto &value : *values)
      for (const auto &dim : value.type().tensor_type().shape().dim())
        names.insert(getDimName(dim));
  return names;
}

LogicalResult cameo::importer::countDims(pb::GraphProto &graph, ArrayRef<std::string> dims,
                                         std::vector<CountedAxis> &counted, Reporter &reporter) {
  if (dims.empty())
    return success();
  llvm::StringSet<> names = collectNames(graph), symbols = collectDims(graph);
  for (const std::string &dim : dims) {
    std::string most = claim(dim + "_most", symbols), count = claim(dim, names);
    size_t before = counted.size();
    for (pb::ValueInfoProto &input : *graph.mutable_input()) {
      Where where{nullptr, input.name(), "input"};
      if (!input.type().tensor_type().has_shape())
        continue;
      bool isFirst = true;
      auto &axes = *input.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim();
      for (int axis = 0; axis < axes.size(); ++axis) {
        bool isCounted = getDimName(axes[axis]) == dim;
        if (isCounted && !isFirst)
          return reporter.unsupported(
              &where, "has dims in front of " + quoteText(dim) +
                          ", which the device counts (--counted-dim): only the first can be, or "
                          "one behind dims of 1");
        if (isCounted) {
          axes[axis].set_dim_param(most);
          counted.push_back({input.name(), axis, count});
        }
        isFirst &= getDimValue(axes[axis]) == 1;
      }
    }
    if (counted.size() == before)
      return reporter.fail(ExitClass::Usage, nullptr,
                           "has no input with the dim " + quoteText(dim) + " (--counted-dim)");
    pb::ValueInfoProto &input = *graph.add_input();
    input.set_name(count);
    pb::TypeProto::Tensor &type = *input.mutable_type()->mutable_tensor_type();
    type.set_elem_type(pb::TensorProto::INT64);
    type.mutable_shape();
  }
  return success();
}

void cameo::importer::limitCount(OpBuilder &builder, Location location, Value count,
                                 core::ExtentAttr most) {
  auto none = core::ExtentAttr::constant(builder.getContext(), 0);
  prog::AssertOp::create(builder, location, count, builder.getArrayAttr({none}),
                         builder.getArrayAttr({most}), /*demanded=*/true);
}

Value cameo::importer::takeCounted(OperationBuilder &operations, Location location,
                                   const Where &where, Value input, int64_t axis, Value count) {
  Node node(location, where);
  Upgrader make(operations, node);
  Value end = make.create("Reshape", {count, make.integers({1})});
  return !end ? end
              : make.create("Slice", {input, make.integers({0}), end, make.integers({axis}),
                                      make.integers({1})});
}
