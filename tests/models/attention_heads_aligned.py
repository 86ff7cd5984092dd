# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""attention_heads with heads whose rows are whole chunks of 16 bytes, which the tensor core takes."""
from attention_heads import HEADS, attend, data

SIZE = 24


def build():
    return attend("attention_heads_aligned", SIZE)


def cases():
    return data(HEADS * SIZE)
