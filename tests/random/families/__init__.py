# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A file for each kind of operators. Each function adds an operator, or those that exporters write together, to a graph, or raises
DoesNotFit. Seeds depend on the order of functions within a family.
"""
from . import casts, control, elementwise, indexing, movement, normalisations, products, quantisation, reductions  # noqa: F401
from .family import FAMILIES, OPERATORS  # noqa: F401
