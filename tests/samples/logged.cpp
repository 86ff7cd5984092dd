// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what creating a context logs, and its status: which copy of the model runs.
#include "cameo/model.h"
#include MODEL_HEADER

#include <cstdio>

int main() {
  cameo::model model(MODEL);
  model.options().logger.log = [](void *, int32_t, const char *message) { std::puts(message); };
  cameo::session session;
  const cameo::status status = model.open(session);
  char text[256];
  model.format(status, text, sizeof text);
  std::puts(text);
  return status.code == CAMEO_UNSUPPORTED ? 77 : status.code != CAMEO_OK;
}
