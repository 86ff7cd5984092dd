# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The one exception of the package."""
from typing import Any


class Error(RuntimeError):
    """What the compiler refuses, or a run ends with.

    `code` is a name of cameo_code ("OUT_OF_RANGE", docs/api.md), or of what the command line ends with: "USAGE", "IO",
    "MALFORMED", "UNSUPPORTED", "LIMIT", "POLICY", "CHECK_FAILED", "INTERNAL". `node` is the node, from the compiler as
    `graph/node`, or the graph where several are at fault; `tensor` an input or output; "" where it is about none.
    """

    def __init__(self, message: str, code: str = "INTERNAL", node: str = "", tensor: str = ""):
        super().__init__(message)
        self.message, self.code, self.node, self.tensor = message, code, node, tensor

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.code, self.node, self.tensor)
