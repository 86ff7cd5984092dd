// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See cuda/port_table.h.
#include "cameo/cuda/port_table.h"

namespace cameo::cuda {

void port_table::use(const cameo_model &model, void *ports, void *bound) {
  ports_ = static_cast<port *>(ports);
  bound_ = static_cast<int64_t *>(bound);
  inputs_ = model.input_count;
  outputs_ = model.output_count;
}

void port_table::begin_pass() {
  for (int32_t i = 0; i < inputs_ + outputs_; ++i)
    ports_[i].data = nullptr;
  for (int32_t k = 0; k < outputs_; ++k)
    bound_[k] = -1;
  abandon();
}

void port_table::abandon() {
  for (int32_t i = 0; i < inputs_ + outputs_; ++i) {
    ports_[i].slot = -1;
    ports_[i].left = port::nothing;
  }
}

bool port_table::has_staged() const {
  bool staged = false;
  for (int32_t k = 0; k < outputs_; ++k)
    staged |= output(k).left == port::staged;
  return staged;
}

void port_table::close(device_memory &memory) {
  for (int32_t i = 0; i < inputs_ + outputs_; ++i) {
    port &p = ports_[i];
    memory.release(p.lent.data, p.lent.bytes);
    memory.release(p.device.data, p.device.bytes);
    if (p.complete)
      api::destroy_event(p.complete);
  }
}

} // namespace cameo::cuda
