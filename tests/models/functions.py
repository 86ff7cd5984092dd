# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Model-local functions: attributes passed through, one function in another, an optional input left out."""
from graph import FLOAT, Case, Graph, normal, random
from onnx import AttributeProto, helper

DOMAIN = "tests"


def build():
    opset = [helper.make_opsetid("", 21), helper.make_opsetid(DOMAIN, 1)]
    leak = helper.make_node("LeakyRelu", ["shifted"], ["y"], name="leak")
    leak.attribute.append(helper.make_attribute_ref("alpha", AttributeProto.FLOAT, ref_attr_name="slope"))
    bend = helper.make_function(DOMAIN, "Bend", ["x", "shift"], ["y"],
                                [helper.make_node("Add", ["x", "shift"], ["shifted"], name="move"), leak], opset,
                                attributes=["slope"])
    once = helper.make_node("Bend", ["x", "x"], ["once"], domain=DOMAIN, name="inner", slope=0.5)
    twice = helper.make_function(DOMAIN, "Twice", ["x", "low"], ["y"],
                                 [once, helper.make_node("Clip", ["once", "low"], ["y"], name="cut")], opset)
    g = Graph("functions")
    g.input("x", FLOAT, ["n"])
    bent = g.op("Bend", "x", g.const([0.25]), domain=DOMAIN, slope=0.1)
    g.op("Twice", bent, "", domain=DOMAIN, out="open")
    g.op("Twice", bent, g.const(-0.1), domain=DOMAIN, out="cut")
    g.output("open", FLOAT, ["n"])
    g.output("cut", FLOAT, ["n"])
    return g.model(functions=[bend, twice], extra_domains=[DOMAIN])


def cases():
    rng = random("functions data")
    for n in (6, 1):
        yield Case({"x": normal(rng, n)})
