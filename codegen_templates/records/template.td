// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel template is, for those who do not read C++: the compiler's verifier and builders,
// Emit, fusion, the tables of README.md and the test that instantiates every template follow from
// records of these classes (tools/cameo-tblgen).
//
// Two kinds of strings are expressions. Both are spelled as C++ and checked by its compiler, once
// over the compiler's values and once over the templates' own:
//   extents  members of p, integers, + and *, covers(kernel, stride, dilation), volume(ARRAY), and
//            given(OPERAND), 1 where an operand that may be null is there and else 0; in what only the
//            compiler reads (Windows), also - and at(ARRAY, AXIS);
//   types    type variables of operands, functors (what a load yields), template arguments, and
//            accumulator(T), product(A, B), position(), combined(COMBINE), pooled(KIND, T),
//            sampled(MODE, T): see KernelTemplates.cpp.

#ifndef CAMEO_CODEGEN_TEMPLATES_RECORDS_TEMPLATE_TD
#define CAMEO_CODEGEN_TEMPLATES_RECORDS_TEMPLATE_TD

/// Stands in front of named members of any kind: `(with In<"T">:$x, Out<"T">:$y)`.
def with;

//===----------------------------------------------------------------------===//
// Where a template is
//===----------------------------------------------------------------------===//

/// A folder of headers, and a namespace.
class KernelSet<string folder> { string name = folder; }
def Cpu : KernelSet<"cpu">;
def Cuda : KernelSet<"cuda">;

//===----------------------------------------------------------------------===//
// Template arguments
//===----------------------------------------------------------------------===//

/// An argument that a call names. `forms` are what it may be: `combine::sum<T>`, where T stands for
/// an element type and LAST, as every other word of capitals, for a bool.
class Argument<string type, list<string> allowed> {
  string cppType = type;
  list<string> forms = allowed;
}
/// Words of an enumeration.
class Enumerated<string type, list<string> words>
    : Argument<type, !foreach(word, words, type # "::" # word)>;
def Bool : Argument<"bool", ["true", "false"]>;

//===----------------------------------------------------------------------===//
// Members of p
//===----------------------------------------------------------------------===//

class Param<string what> {
  string kind = what;
  /// Whether the member must be `static constexpr`; others may be.
  bit isStatic = 0;
  /// Whether the host launches by it, so that it is no counted extent.
  bit isHostOnly = 0;
  /// The value of a member that is absent; empty where it may not be.
  string defaultText = "";
  /// The template argument that the member is there for, and with which word; always where empty.
  string argument = "";
  string word = "";
  /// How many elements an array has, an expression of extents. It is absent when that is 0.
  string length = "";
  /// Bounds of an integer.
  int least = 0;
  int most = 0x7fffffffffffffff;
  /// The value in the test of records, of an array's elements.
  int example = 2;
  /// The enumeration of a keyword.
  string cppType = "";
  list<string> words = [];
}
/// A number of axes; a tensor has at most 64.
class Rank<int from = 0, int to = 64> : Param<"Rank"> {
  let isStatic = 1;
  let least = from;
  let most = to;
}
class StaticInt<int from, int to> : Param<"Int"> {
  let isStatic = 1;
  let least = from;
  let most = to;
}
/// An axis, counted from the front.
def Axis : Param<"Int"> {
  let example = 1;
  let isHostOnly = 1;
}
/// An integer, which may be an extent.
class Int<int from = 0> : Param<"Int"> { let least = from; }
class HostInt<int from = 0> : Int<from> { let isHostOnly = 1; }
def AnyInt : Param<"Int"> { let least = -9223372036854775808; }
class Array<string count> : Param<"Array"> { let length = count; }
class HostArray<string count> : Array<count> { let isHostOnly = 1; }
def Flag : Param<"Flag">;
def StaticFlag : Param<"Flag"> { let isStatic = 1; }
def Real : Param<"Real">;
/// Floats or doubles that the host computes.
class Reals<string count> : Param<"Reals"> { let length = count; }
class Keyword<string type, list<string> all> : Param<"Keyword"> {
  let isStatic = 1;
  let cppType = type;
  let words = all;
}

class CopyOf<Param base> : Param<base.kind> {
  let isStatic = base.isStatic;
  let length = base.length;
  let least = base.least;
  let most = base.most;
  let example = base.example;
  let cppType = base.cppType;
  let words = base.words;
}
class Optional<Param base, string otherwise> : CopyOf<base> { let defaultText = otherwise; }
/// The factors that the tensor core has in the place of floats. Calls whose inputs are floats get the word of
/// --precision, where it is one.
def Factors : Optional<Keyword<"factor_type", ["parts", "tf32", "bf16", "fp16"]>, "factor_type::parts">;
/// There when the template argument is that word, and only then.
class For<string name, string is, Param base> : CopyOf<base> {
  let argument = name;
  let word = is;
}

/// Members that several templates have. `method` is what builders call them.
class Group<string builderMethod, string builderType, dag all> {
  string method = builderMethod;
  string cppType = builderType;
  dag members = all;
}
/// Members of a row template: an index is (outer..., reduced...).
class RowMembers<int least = 1, int most = 64>
    : Group<"rows", "const Rows &",
            (with Rank<>:$outer_rank, Array<"outer_rank">:$outer, Rank<least, most>:$reduced_rank,
                    Array<"reduced_rank">:$reduced)>;
defvar RowIndex = "outer_rank + reduced_rank";
/// For row templates that can work across rows.
def AcrossRows : Optional<Flag, "false">;
/// Members of a window that slides over spatial axes. `pad` is in front; the pads behind follow
/// from output.
class WindowMembers<int least = 1, int most = 3>
    : Group<"window", "llvm::ArrayRef<onnx::WindowAxis>",
            (with Rank<least, most>:$spatial_rank, Array<"spatial_rank">:$input,
                    HostArray<"spatial_rank">:$kernel, Array<"spatial_rank">:$output,
                    HostArray<"spatial_rank">:$stride, HostArray<"spatial_rank">:$dilation,
                    HostArray<"spatial_rank">:$pad)>;
/// A list of extents, which may be empty: NAME_rank and NAME.
class ExtentsMembers<string name>
    : Group<name, "llvm::ArrayRef<core::ExtentAttr>",
            !con(!dag(with, [Rank<>], [name # "_rank"]),
                 !dag(with, [Array<name # "_rank">], [name]))>;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

class Operand<string what, string variable, list<string> allowed> {
  string kind = what;
  /// The type variable of its elements: operands of one variable have one type. Lower-case words
  /// are types themselves.
  string type = variable;
  /// C++ names of the element types it may have; any where empty.
  list<string> types = allowed;
  bit mayBeNull = 0;
  /// How the elements lie: dense, in blocks of channels (with or without a halo), as planes with or
  /// without a halo, or packed below a byte.
  string layout = "dense";
  /// How long blocks are, if there are any: those of the last of the axes that are cut, in their
  /// order, integers or members of p; any length where empty.
  list<string> lengths = [];
  /// The array member of p that has the distances between the parts in which it is read, and how
  /// many elements a part has, an expression of extents: they lie together, and anything may lie
  /// between parts. Empty where it is read as a whole.
  string distances = "";
  string part = "";
}
/// Elements that are read, written, or updated.
class In<string variable, list<string> types = []> : Operand<"In", variable, types>;
class Out<string variable> : Operand<"Out", variable, []>;
class InPlace<string variable> : Operand<"InPlace", variable, []>;
class OptionalIn<string variable> : In<variable> { let mayBeNull = 1; }
class OptionalOut<string variable> : Out<variable> { let mayBeNull = 1; }
class Laid<string how, Operand base, list<string> blocks = []>
    : Operand<base.kind, base.type, base.types> {
  let mayBeNull = base.mayBeNull;
  let layout = how;
  let lengths = blocks;
}
class Apart<string member, string elements, Operand base>
    : Operand<base.kind, base.type, base.types> {
  let mayBeNull = base.mayBeNull;
  let distances = member;
  let part = elements;
}
/// How windows over an input lie along an axis: the elements that it has in memory there, its halo included; the
/// first that a window reads; how many windows there are, how far apart, and how many elements each spans.
/// Without a count, windows may reach beyond the last element. Expressions of extents.
class Windows<string operand, int along, string all, string from, string windows = "", string distance = "1",
              string span = "1"> {
  string input = operand;
  int axis = along;
  string length = all;
  string first = from;
  string count = windows;
  string step = distance;
  string reach = span;
}
defvar IndexTypes = ["int32_t", "int64_t"];
defvar FloatTypes = ["half", "bfloat16", "float", "double"];

//===----------------------------------------------------------------------===//
// Functors
//===----------------------------------------------------------------------===//

class Functor<string what, string rank> {
  string kind = what;
  /// Rank of the index it gets, an expression of extents.
  string indexRank = rank;
  /// C++ names of the types a load may yield; any where empty.
  list<string> types = [];
  /// Type of the value it gets, an expression of types.
  string value = "";
  /// How often a load may be called for one element, an expression of extents.
  string times = "1";
  /// Whether a call may do without.
  bit isOptional = 0;
}
class Load<string rank, string count = "1", list<string> yielded = []> : Functor<"Load", rank> {
  let times = count;
  let types = yielded;
}
class Apply<string rank, string type> : Functor<"Apply", rank> { let value = type; }
class Store<string rank, string type> : Functor<"Store", rank> { let value = type; }
class OptionalStore<string rank, string type> : Store<rank, type> { let isOptional = 1; }

//===----------------------------------------------------------------------===//
// Templates
//===----------------------------------------------------------------------===//

/// `void NAME<arguments>(exec &e, const P &p, operands, functors)`; in-place and other outputs stand
/// behind inputs, stores behind loads.
class KernelTemplate<string file> {
  /// In the folder of each set that has it.
  string header = file;
  list<KernelSet> sets = [Cpu, Cuda];
  dag arguments = (with);
  /// Members of p: of the groups, then its own.
  list<Group> groups = [];
  dag params = (with);
  dag operands = (with);
  dag functors = (with);
  list<Windows> windows = [];
  /// Whether NAME_scratch<scratchTypes>(p, threads) says what scratch memory it takes. Types are
  /// template arguments, inputs (their elements) or loads (what they yield), by name.
  bit takesScratch = 0;
  /// Whether that is none where kernels run on a device.
  bit scratchIsHostOnly = 0;
  list<string> scratchTypes = [];
  /// Whether it reports an index out of range through e.
  bit mayRaise = 0;
  /// Whether members of p may be counted, where kernels run on a device: they read p there, and the
  /// host only for grids and scratch.
  bit takesCounts = 0;
  /// How many kernels a call launches on a device at most, an expression of extents: that many
  /// where nothing is empty.
  string launches = "1";
  /// Extensions of an instruction set, as compilers call them, by which its kernels are faster than
  /// by what the levels of x86-64 have: programs that call it may have copies for these.
  list<string> extensions = [];
  /// The template whose calls it takes over, where operands have its types and --precision is not
  /// exact; it has the same members, operands and functors. Empty: it is called by its own name.
  string replaces = "";
  /// The part that its calls have: Product, ProductOfCodes, ProductOfCodesByBytes, Softmax or Attention
  /// (TemplateRole in KernelTemplates.h); none where empty. One template of a set has a role.
  string role = "";
  /// Facts of the record that are built into its kernels: conditions of C++, in their namespace. The test
  /// of records holds both to it.
  list<string> holds = [];
  /// Prose for README.md.
  string description = ?;
}
/// A contract that no set has a function for: Select puts calls of templates in the place of its calls.
class Contract : KernelTemplate<""> { let sets = []; }
class CpuTemplate<string file> : KernelTemplate<file> { let sets = [Cpu]; }

#endif // CAMEO_CODEGEN_TEMPLATES_RECORDS_TEMPLATE_TD
