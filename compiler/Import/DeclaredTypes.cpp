// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Import/DeclaredTypes.h"

using namespace cameo;
using namespace cameo::importer;

DeclaredTypes::DeclaredTypes(const pb::GraphProto &main) {
  for (const auto *values : {&main.input(), &main.output(), &main.value_info()})
    for (const pb::ValueInfoProto &value : *values) {
      if (value.type().value_case() == pb::TypeProto::VALUE_NOT_SET)
        continue;
      DeclaredType type;
      if (value.type().has_tensor_type()) {
        const pb::TypeProto::Tensor &tensor = value.type().tensor_type();
        type.element = tensor.elem_type();
        type.rank = tensor.has_shape() ? tensor.shape().dim_size() : -1;
      }
      types[value.name()] = type;
    }
  for (const pb::TensorProto &tensor : main.initializer())
    types[tensor.name()] = {tensor.data_type(), tensor.dims_size()};
}
