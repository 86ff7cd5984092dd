// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout. The expected texts are clang-format 14's of the same text with the project's style.

#include "Emit/CppWriter.h"

#include "llvm/ADT/SmallVector.h"

#include <catch2/catch.hpp>

using namespace cameo;
using llvm::SmallVector;

TEST_CASE("scopes indent; blank lines do not begin them") {
  CppWriter writer;
  {
    CppWriter::Block scope = writer.block("struct s", "};");
    writer.blank();
    writer.line("int x;");
    writer.blank();
    writer.blank();
    writer.line("int y;");
  }
  CHECK(writer.take() == "struct s {\n  int x;\n\n  int y;\n};\n");
}

TEST_CASE("comments wrap at 100 columns") {
  CppWriter writer(2);
  Code words;
  for (int i = 0; i < 30; ++i)
    words += "word ";
  writer.comment(words + "end");
  CHECK(writer.take() == "  // word word word word word word word word word word word word word "
                         "word word word word word word\n"
                         "  // word word word word word word word word word word word end\n");
}

TEST_CASE("a comment without blanks stays whole") {
  CppWriter writer;
  writer.comment(comment(std::string(150, 'x')) + " y");
  CHECK(writer.take() == "// " + std::string(150, 'x') + "\n// y\n");
}

TEST_CASE("arguments fill lines behind the parenthesis") {
  CppWriter writer;
  SmallVector<Code> parameters{"exec &e"};
  for (int i = 0; i < 8; ++i)
    parameters.push_back("const float *value");
  writer.declaration("void f(", parameters, ");");
  CHECK(
      writer.take() ==
      "void f(exec &e, const float *value, const float *value, const float *value, const float "
      "*value,\n"
      "       const float *value, const float *value, const float *value, const float *value);\n");
}

TEST_CASE("a call breaks behind the parenthesis where that saves lines") {
  CppWriter writer(2);
  writer.list("a_function_of_a_very_long_name_that_goes_on_and_on_that_goes_on_and_on_that_goes(",
              {"c.compute", "x", "c.weight<float>(0)", "c.weight<float>(8192)", "h", "s.N"}, ");");
  CHECK(writer.take() ==
        "  a_function_of_a_very_long_name_that_goes_on_and_on_that_goes_on_and_on_that_goes(\n"
        "      c.compute, x, c.weight<float>(0), c.weight<float>(8192), h, s.N);\n");
}

TEST_CASE("nested braces stand together, or a row each") {
  SmallVector<Code> few{"read(x, N * 64 * 4)", "read(w1, 8192)", "read(b1, 128)",
                        "write(h, N * 32 * 4)"};
  CppWriter writer(2);
  writer.nested("access_scope scope(", {"e", "\"fc1\""}, few, ");");
  CHECK(writer.take() == "  access_scope scope(e, \"fc1\",\n"
                         "                     {read(x, N * 64 * 4), read(w1, 8192), read(b1, "
                         "128), write(h, N * 32 * 4)});\n");
  SmallVector<Code> many(few);
  many.append(few.begin(), few.end());
  CppWriter longer(2);
  longer.nested("access_scope scope(", {"e", "\"fc1\""}, many, ");");
  CHECK(llvm::StringRef(longer.ref())
            .starts_with("  access_scope scope(e, \"fc1\",\n"
                         "                     {\n"
                         "                         read(x, N * 64 * 4),\n"));
}

TEST_CASE("short rows of a table stand in columns") {
  CppWriter writer;
  writer.table("const char *const few[] = {", {"\"a\"", "\"b\""});
  CHECK(writer.take() == "const char *const few[] = {\n    \"a\",\n    \"b\",\n};\n");
  SmallVector<Code> rows;
  for (int i = 0; i < 11; ++i)
    rows.push_back("0x3f800000");
  CppWriter columns;
  columns.table("const uint32_t words[] = {", rows);
  std::string six = "    0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000,\n";
  std::string five = "    0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000,\n";
  CHECK(columns.take() == "const uint32_t words[] = {\n" + six + five + "};\n");
}

TEST_CASE("rows too long for a line continue behind their parenthesis") {
  CppWriter writer;
  SmallVector<Code> items;
  for (int i = 0; i < 12; ++i)
    items.push_back("CAMEO_TENSOR");
  CHECK(writer.getRow("row(", items).str() ==
        "row(CAMEO_TENSOR, CAMEO_TENSOR, CAMEO_TENSOR, CAMEO_TENSOR, CAMEO_TENSOR, CAMEO_TENSOR,\n"
        "        CAMEO_TENSOR, CAMEO_TENSOR, CAMEO_TENSOR, CAMEO_TENSOR, CAMEO_TENSOR, "
        "CAMEO_TENSOR)");
}

TEST_CASE("functions of one statement stand on a line where they fit") {
  CppWriter writer(2);
  writer.wholeFunction("float operator()(", {"const index<1> &i"}, ") const",
                       "    return x[i[0]];\n");
  writer.wholeFunction("void f(", {}, ")", "");
  writer.wholeFunction("void g(", {}, ")", "    a();\n    b();\n");
  CHECK(writer.take() == "  float operator()(const index<1> &i) const { return x[i[0]]; }\n"
                         "  void f() {}\n"
                         "  void g() {\n    a();\n    b();\n  }\n");
}
