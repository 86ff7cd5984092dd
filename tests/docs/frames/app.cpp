// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program `app` of the page on embedding: it has the model's table, and so all of the model.
#include "net.h"

int main() { return net_describe()->input_count == 1 ? 0 : 1; }
