// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lookup_strings and strings_at: keys and what lies between and around them, keys that begin alike,
// the empty one, bytes above 127, more strings than one thread takes.
#include "machine.h"

#include CAMEO_TEMPLATE(strings.h)

#include <map>
#include <string>

namespace cameo::test {
namespace {

struct strings_params {
  int64_t elements, count;
};

struct table {
  std::vector<uint8_t> chars;
  std::vector<int64_t> ends;

  explicit table(const std::vector<std::string> &texts) {
    for (const std::string &text : texts) {
      chars.insert(chars.end(), text.begin(), text.end());
      ends.push_back(static_cast<int64_t>(chars.size()));
    }
  }
};

std::vector<int64_t> find(const std::vector<std::string> &keys, const std::vector<std::string> &x) {
  const table texts(keys);
  std::vector<cameo_string> strings;
  for (const std::string &s : x)
    strings.push_back({s.data(), s.size()});
  std::vector<int64_t> values;
  for (size_t k = 0; k <= keys.size(); ++k)
    values.push_back(static_cast<int64_t>(10 * k));
  machine mach;
  array<cameo_string> source(mach, strings);
  array<uint8_t> chars(mach, texts.chars);
  array<int64_t> ends(mach, texts.ends), beside(mach, values);
  array<int64_t> y(mach, static_cast<int64_t>(x.size()));
  const strings_params p = {static_cast<int64_t>(x.size()), static_cast<int64_t>(keys.size())};
  mach.run([&](exec &e) {
    lookup_strings(e, p, source.data(), chars.data(), ends.data(), beside.data(), y.data());
  });
  CHECK(mach.code() == CAMEO_OK);
  return y.values();
}

} // namespace

TEST_CASE("lookup of strings") {
  CHECK(
      find({"", "a", "ab", "b", "\xff"}, {"", "a", "ab", "b", "\xff", "aa", "abc", "c", "\x7f"}) ==
      std::vector<int64_t>{0, 10, 20, 30, 40, 50, 50, 50, 50});
  CHECK(find({"a"}, {"", "b", "a"}) == std::vector<int64_t>{10, 10, 0});
  CHECK(find({}, {"", "a"}) == std::vector<int64_t>{0, 0});
  CHECK(find({"a"}, {}).empty());
}

TEST_CASE("lookup finds every string of a long table") {
  std::map<std::string, int64_t> places;
  for (int n = 0; n < 3000; ++n)
    places[std::to_string(n)] = 0;
  std::vector<std::string> keys, x;
  std::vector<int64_t> want;
  for (auto &[text, place] : places) {
    place = static_cast<int64_t>(10 * keys.size());
    keys.push_back(text);
  }
  for (int n = 0; n < 4000; ++n) {
    x.push_back(std::to_string(n));
    want.push_back(n < 3000 ? places[x.back()] : 30000);
  }
  CHECK(find(keys, x) == want);
}

TEST_CASE("strings at places of a table") {
  const std::vector<std::string> texts = {"one", "", "drei", "4"};
  const table made(texts);
  const std::vector<int64_t> places = {2, 0, 1, 3, 2};
  machine mach;
  array<uint8_t> chars(mach, made.chars);
  array<int64_t> ends(mach, made.ends), source(mach, places);
  std::vector<cameo_string> y(places.size());
  const strings_params p = {static_cast<int64_t>(places.size()), 0};
  mach.run([&](exec &e) { strings_at(e, p, chars.data(), ends.data(), source.data(), y.data()); });
  for (size_t i = 0; i < places.size(); ++i)
    CHECK(std::string(y[i].data, y[i].size) == texts[static_cast<size_t>(places[i])]);
}

} // namespace cameo::test
