// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of codes and element types, and statuses as text. No stdio: this is linked where there is
// none. Model text (names of tensors and nodes) is escaped to printable ASCII.
#include "cameo/abi.h"

namespace {

constexpr const char *code_names[] = {
    "OK",         "INVALID_ARGUMENT", "OUT_OF_RANGE", "LIMIT",     "OUT_OF_MEMORY", "UNSUPPORTED",
    "WRONG_ARCH", "LOAD_ERROR",       "BUSY",         "NOT_READY", "DEVICE_LOST",   "INTERNAL"};

struct dtype_info {
  const char *name;
  int32_t bits;
};
constexpr dtype_info dtypes[] = {
    {"undefined", 0},
#define CAMEO_ELEMENT_TYPE(number, ONNX, name, type, kind, bits, ir, npy, rtol, atol) {name, bits},
#include "cameo/element_types.def"
};
constexpr int32_t dtype_count = sizeof dtypes / sizeof dtypes[0];

constexpr const char *space_names[] = {"host", "pinned", "device", "managed", "null"};
constexpr const char *kind_names[] = {"tensor", "sequence", "optional", "map"};

template <size_t N> const char *name_of(const char *const (&names)[N], int64_t i) {
  return i >= 0 && i < int64_t{N} ? names[i] : "unknown";
}

/// Writes into a bounded buffer and counts what did not fit.
class line {
public:
  line(char *text, size_t bytes) : text_(text), bytes_(bytes) {}

  void put(char c) {
    if (length_ + 1 < bytes_)
      text_[length_] = c;
    ++length_;
  }
  void put(const char *s) {
    while (*s)
      put(*s++);
  }
  /// Text of the model, between quotes: printable ASCII as it is, all else as \xNN.
  void put_escaped(const char *s) {
    constexpr char digits[] = "0123456789abcdef";
    for (; *s; ++s) {
      const auto c = static_cast<unsigned char>(*s);
      if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
        put(*s);
      } else {
        put("\\x");
        put(digits[c >> 4]);
        put(digits[c & 15]);
      }
    }
  }
  void put(int64_t v) {
    char reversed[20];
    int n = 0;
    auto u = v < 0 ? 0 - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
    do {
      reversed[n++] = static_cast<char>('0' + u % 10);
      u /= 10;
    } while (u != 0);
    if (v < 0)
      put('-');
    while (n > 0)
      put(reversed[--n]);
  }
  size_t end() {
    if (bytes_ > 0)
      text_[length_ < bytes_ ? length_ : bytes_ - 1] = '\0';
    return length_;
  }

private:
  char *text_;
  size_t bytes_;
  size_t length_ = 0;
};

void put_tensor(line &out, const cameo_model *model, int64_t i) {
  if (model && i >= 0 && i < model->input_count) {
    out.put("input \"");
    out.put_escaped(model->inputs[i].name);
    out.put('"');
  } else if (model && i >= 0 && i - model->input_count < model->output_count) {
    out.put("output \"");
    out.put_escaped(model->outputs[i - model->input_count].name);
    out.put('"');
  } else {
    out.put("tensor ");
    out.put(i);
  }
}

void put_node(line &out, const cameo_model *model, int64_t i) {
  out.put("node ");
  if (model && i >= 0 && i < model->node_count) {
    out.put('"');
    out.put_escaped(model->nodes[i]);
    out.put('"');
  } else {
    out.put(i);
  }
}

void put_symbol(line &out, const cameo_model *model, int64_t i) {
  if (model && i >= 0 && i < model->symbol_count)
    out.put_escaped(model->symbols[i]);
  else
    out.put("it");
}

/// Whether `text` starts with `word`; moves behind it.
bool skip(const char *&text, const char *word) {
  const char *p = text;
  for (; *word; ++word, ++p)
    if (*p != *word)
      return false;
  text = p;
  return true;
}

} // namespace

extern "C" const char *cameo_code_name(int32_t code) { return name_of(code_names, code); }

extern "C" const char *cameo_dtype_name(int32_t dtype) {
  return dtype >= 0 && dtype < dtype_count ? dtypes[dtype].name : "unknown";
}

extern "C" int32_t cameo_dtype_bits(int32_t dtype) {
  if (dtype == CAMEO_STRING)
    return 8 * static_cast<int32_t>(sizeof(cameo_string));
  return dtype >= 0 && dtype < dtype_count ? dtypes[dtype].bits : 0;
}

extern "C" size_t cameo_format(const cameo_status *status, const cameo_model *model, char *text,
                               size_t bytes) {
  line out(text, bytes);
  if (!status || !status->message)
    return out.end();
  out.put(cameo_code_name(status->code));
  out.put(": ");
  for (const char *p = status->message; *p;) {
    if (*p != '{') {
      out.put(*p++);
      continue;
    }
    // {WORD} or {WORDn}: n selects a value; a bare {n} prints it.
    ++p;
    if (skip(p, "weights}")) {
      out.put_escaped(model && model->weights.file ? model->weights.file : "");
      continue;
    }
    enum { number, tensor, node, dtype, space, kind, symbol } what = number;
    if (skip(p, "tensor"))
      what = tensor;
    else if (skip(p, "node"))
      what = node;
    else if (skip(p, "dtype"))
      what = dtype;
    else if (skip(p, "space"))
      what = space;
    else if (skip(p, "kind"))
      what = kind;
    else if (skip(p, "symbol"))
      what = symbol;
    int64_t value = what == tensor ? status->tensor : status->node;
    if (*p >= '0' && *p <= '3')
      value = status->values[*p++ - '0'];
    if (*p == '}')
      ++p;
    switch (what) {
    case number:
      out.put(value);
      break;
    case tensor:
      put_tensor(out, model, value);
      break;
    case node:
      put_node(out, model, value);
      break;
    case dtype:
      out.put(cameo_dtype_name(static_cast<int32_t>(value)));
      break;
    case space:
      out.put(name_of(space_names, value));
      break;
    case kind:
      out.put(name_of(kind_names, value));
      break;
    case symbol:
      put_symbol(out, model, value);
      break;
    }
  }
  return out.end();
}
