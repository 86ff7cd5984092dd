// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Model text as strings, comments and identifiers.

#include "Emit/CppCode.h"
#include "Emit/CppNames.h"

#include <catch2/catch.hpp>

#include <set>

using namespace cameo;
using llvm::StringRef;

TEST_CASE("str keeps every byte and writes only plain ones") {
  CHECK(str("fc1").str() == "\"fc1\"");
  CHECK(str("a\"b\\c").str() == "\"a\\042b\\134c\"");
  CHECK(str("100%?").str() == "\"100\\045\\077\"");
  // A digit behind an escape does not become part of it.
  CHECK(str(StringRef("\0"
                      "7",
                      2))
            .str() == "\"\\0007\"");
  CHECK(str("\xe2\x80\xa8").str() == "\"\\342\\200\\250\"");
  for (int byte = 0; byte < 256; ++byte) {
    char c = static_cast<char>(byte);
    std::string printed = str(StringRef(&c, 1)).str();
    for (char written : printed)
      CHECK((written >= ' ' && written <= '~'));
  }
}

TEST_CASE("comments cannot end, open or continue anything") {
  CHECK(comment("conv1").str() == "conv1");
  CHECK(comment("/encoder/layers.0/MatMul").str() == "/encoder/layers.0/MatMul");
  CHECK(comment("a*/b").str() == "a*\\x2fb");
  CHECK(comment("a//b").str() == "a\\x2f\\x2fb");
  CHECK(comment("/*").str() == "\\x2f*");
  CHECK(comment("line\nint x;").str() == "line\\x0aint x;");
  CHECK(comment("tail\\").str() == "tail\\x5c");
  CHECK(comment("?\?/").str() == "\\x3f\\x3f\\x2f");
  CHECK(comment("\xe2\x80\xae").str() == "\\xe2\\x80\\xae");
  CHECK(comment(std::string(1000000, 'x')).size() < 300);
}

TEST_CASE("legal names stay, others are cleaned") {
  CHECK(cleanName("h") == "h");
  CHECK(cleanName("layer1_relu") == "layer1_relu");
  CHECK(cleanName("/model/conv.1/Conv_output_0") == "model_conv_1_Conv_output_0");
  CHECK(cleanName("463") == "v463");
  CHECK(cleanName("") == "v");
  CHECK(cleanName("...", "t") == "t");
  CHECK(cleanName("_x__y_") == "x_y");
  CHECK(cleanName("N") == "N");
  CHECK(cleanName("\xc3\xa9t\xc3\xa9") == "t");
}

TEST_CASE("keywords and macros are no identifiers") {
  for (StringRef word : {"int", "and", "restrict", "co_await", "linux", "errno", "stdin", "min",
                         "threadIdx", "half", "std", "cameo", "int64_t", "index", "I", "F"})
    CHECK(cleanName(word) == word.str() + "_");
  CHECK(cleanName("MAX") == "max_");
  CHECK(cleanName("EOF") == "eof");
  CHECK(cleanName("BATCH_SIZE") == "batch_size");
  CHECK(cleanName("__global__") == "global");
  CHECK(cleanName("__attribute__((x))") == "attribute_x");
}

TEST_CASE("long names end in a hash of the whole") {
  std::string a(1000000, 'a'), b = a;
  b.back() = 'b';
  CHECK(cleanName(a).size() == kMaxIdentifier);
  CHECK(cleanName(a) != cleanName(b));
  CHECK(cleanName(a) == cleanName(a));
}

TEST_CASE("names of a scope are distinct") {
  CppScope scope;
  std::set<std::string> seen;
  for (StringRef name :
       {"a.b", "a_b", "a/b", "A_B", "a_b_1", "a__b", "int", "int_", "INT", "", "v"})
    CHECK(seen.insert(scope.add(name).str()).second);
  CHECK(scope.add("c").str() == "c");
  CHECK(scope.add("c").str() == "c_1");
  CHECK(scope.add("c").str() == "c_2");
  CHECK(scope.add("int").str() == "int_3");
}

TEST_CASE("inner scopes avoid names of outer ones, not of each other") {
  CppScope outer;
  outer.reserve({"gemm"});
  CHECK(outer.add("fc").str() == "fc");
  CppScope first(&outer), second(&outer);
  CHECK(first.add("fc").str() == "fc_1");
  CHECK(first.add("gemm").str() == "gemm_1");
  CHECK(first.add("x").str() == "x");
  CHECK(second.add("x").str() == "x");
  CHECK(first.add(first.add("y"), "_next").str() == "y_next");
}

TEST_CASE("a thousand equal names are cheap") {
  CppScope scope;
  for (int i = 0; i < 20000; ++i)
    scope.add("x");
  CHECK(scope.add("x").str() == "x_20000");
}

TEST_CASE("names of libraries") {
  CHECK(isLibraryName("mlp"));
  CHECK(isLibraryName("net_2"));
  for (StringRef bad :
       {"", "2net", "a b", "a-b", "../x", "_a", "a_", "a__b", "int", "cameo", "-rf"})
    CHECK_FALSE(isLibraryName(bad));
  CHECK_FALSE(isLibraryName(std::string(49, 'a')));
  // Targets of CMake, words of target_link_libraries(), and headers that a -I would put ours
  // before.
  for (StringRef taken : {"all", "clean", "help", "install", "test", "package", "rebuild_cache",
                          "debug", "dl", "math", "time", "string", "features", "cuda_runtime"})
    CHECK_FALSE(isLibraryName(taken));
  // They are identifiers all the same.
  CHECK(cleanName("all") == "all");
}
