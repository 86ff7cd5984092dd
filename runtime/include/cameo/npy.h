// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NumPy's .npy files for generated main programs and tests: one tensor a file, any dtype of ONNX.
// Types NumPy lacks are stored as it stores those of ml_dtypes: raw bytes (V1, V2), one element
// each; narrow integers as int8 or uint8; and read from any bytes or integers of that size. Uses
// the C++ library and the heap: not for kernels. Files are hostile: every length is checked before
// it is used.
#pragma once

#include "cameo/dense.h"
#include "cameo/floats.h"
#include "cameo/scalar.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace cameo::npy {

/// A tensor that owns its memory. Elements narrower than a byte are packed, as runs want them.
struct array {
  int32_t dtype = CAMEO_UNDEFINED;
  std::vector<int64_t> dims;
  std::vector<unsigned char> data;
  std::vector<std::string> strings; ///< of a string tensor; `data` holds cameo_string then

  /// The struct to bind; valid until this object changes.
  cameo_tensor tensor() {
    cameo_tensor t{};
    t.data = data.data();
    t.bytes = data.size();
    t.dims = dims.data();
    t.rank = static_cast<int32_t>(dims.size());
    t.dtype = dtype;
    return t;
  }
};

/// Copies `count` elements of one byte each to the packed form of `dtype`, or back.
inline void pack(int32_t dtype, unsigned char *packed, const unsigned char *bytes, int64_t count) {
  with_element(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (is_packed_v<T>)
      for (int64_t group = 0; group * packed_elements_v<T> < count; ++group)
        store_packed(packed, reinterpret_cast<const T *>(bytes), group, count);
  });
}
inline void unpack(int32_t dtype, unsigned char *bytes, const unsigned char *packed,
                   int64_t count) {
  with_element(dtype, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (is_packed_v<T>)
      for (int64_t i = 0; i < count; ++i) {
        const T x = load_packed<T>(packed, i);
        memcpy(bytes + i, &x, 1);
      }
  });
}

namespace detail {

/// How a dtype is named in a file; null for one that is none.
inline const char *descr_of(int32_t dtype) {
  switch (dtype) {
#define CAMEO_ELEMENT_TYPE(number, ONNX, name, type, kind, bits, ir, npy, rtol, atol)              \
  case number:                                                                                     \
    return npy;
#include "cameo/element_types.def"
  default:
    return nullptr;
  }
}

/// Bytes of an item there.
inline int32_t item_bytes(int32_t dtype) { return (cameo_dtype_bits(dtype) + 7) / 8; }

/// Whether items that a file calls `descr` may be elements of a dtype: bytes or integers too, where
/// NumPy has no word for the type.
inline bool holds(const std::string &descr, int32_t dtype) {
  const char *own = descr_of(dtype);
  if (!own || !*own)
    return false;
  if (descr == own)
    return true;
  const bool is_foreign = own[1] == 'V' || cameo_dtype_bits(dtype) < 8;
  if (!is_foreign || descr.size() != 3 || descr[0] == '>' || descr[2] - '0' != item_bytes(dtype))
    return false;
  // ml_dtypes calls its float8_e5m2 f1.
  return descr[1] == 'V' || descr[1] == 'u' || descr[1] == 'i' || descr.compare(1, 2, "f1") == 0;
}

/// A code point as UTF-8; what is none becomes U+FFFD.
inline void append_utf8(std::string &s, uint32_t c) {
  if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
    c = 0xfffd;
  const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr unsigned char lead[] = {0, 0xc0, 0xe0, 0xf0};
  s += static_cast<char>(lead[more] | c >> (6 * more));
  for (int k = more - 1; k >= 0; --k)
    s += static_cast<char>(0x80 | (c >> (6 * k) & 0x3f));
}

/// The code points of UTF-8 text; a byte that is none stands for itself.
inline std::vector<uint32_t> code_points(const cameo_string &s) {
  std::vector<uint32_t> points;
  const auto *p = reinterpret_cast<const unsigned char *>(s.data);
  for (size_t i = 0; i < s.size; ++i) {
    const int more = p[i] < 0xc0 ? 0 : p[i] < 0xe0 ? 1 : p[i] < 0xf0 ? 2 : 3;
    if (more == 0 || i + static_cast<size_t>(more) >= s.size) {
      points.push_back(p[i]);
      continue;
    }
    uint32_t c = p[i] & (0x3fu >> more);
    for (int k = 0; k < more; ++k)
      c = c << 6 | (p[++i] & 0x3f);
    points.push_back(c);
  }
  return points;
}

/// The text between two marks of a header, or "".
inline std::string between(const std::string &text, const char *key, char open, char close) {
  size_t at = text.find(key);
  at = at == std::string::npos ? at : text.find(open, at + strlen(key));
  const size_t end = at == std::string::npos ? at : text.find(close, at + 1);
  return end == std::string::npos ? "" : text.substr(at + 1, end - at - 1);
}

/// The contents of a header.
struct header {
  std::string descr;
  bool fortran_order = false;
  std::vector<int64_t> dims;
};

inline const char *parse(const std::string &text, header &h) {
  h.descr = between(text, "'descr':", '\'', '\'');
  const size_t order = text.find("'fortran_order':");
  const size_t shape = text.find("'shape':");
  if (h.descr.empty() || order == std::string::npos || shape == std::string::npos ||
      text.find('(', shape) == std::string::npos)
    return "the header has no descr, fortran_order or shape";
  h.fortran_order = text.compare(order + 16, 5, " True") == 0;
  int64_t extent = -1;
  for (const char c : between(text, "'shape':", '(', ')') + ",") {
    if (c >= '0' && c <= '9') {
      const checked next = checked(extent < 0 ? 0 : extent) * 10 + (c - '0');
      if (!next.fits())
        return "a dimension is too large";
      extent = next.value();
    } else if (c == ',') {
      if (extent >= 0)
        h.dims.push_back(extent);
      extent = -1;
    } else if (c != ' ') {
      return "the shape is malformed";
    }
  }
  return h.dims.size() > CAMEO_MAX_RANK ? "the rank is too large" : nullptr;
}

/// Reverses the order of the dims' elements: column-major to row-major.
inline std::vector<unsigned char> to_row_major(const std::vector<unsigned char> &columns,
                                               std::vector<int64_t> &dims, int32_t element) {
  std::vector<unsigned char> rows(columns.size());
  std::vector<int64_t> at(dims.size(), 0);
  const auto size = static_cast<size_t>(element);
  for (size_t from = 0; from < columns.size(); from += size) {
    size_t to = 0;
    for (size_t d = 0; d < dims.size(); ++d)
      to = to * static_cast<size_t>(dims[d]) + static_cast<size_t>(at[d]);
    memcpy(rows.data() + to * size, columns.data() + from, size);
    for (size_t d = 0; d < dims.size() && ++at[d] == dims[d]; ++d)
      at[d] = 0;
  }
  return rows;
}

inline void read_strings(const std::vector<unsigned char> &raw, size_t width, array &out) {
  for (size_t i = 0; i + width <= raw.size(); i += width) {
    std::string s;
    for (size_t k = 0; k < width; k += 4) {
      uint32_t c = 0;
      memcpy(&c, raw.data() + i + k, 4);
      if (c != 0)
        append_utf8(s, c);
    }
    out.strings.push_back(s);
  }
  out.data.resize(out.strings.size() * sizeof(cameo_string));
  for (size_t i = 0; i < out.strings.size(); ++i) {
    const cameo_string s = {out.strings[i].data(), out.strings[i].size()};
    memcpy(out.data.data() + i * sizeof s, &s, sizeof s);
  }
}

struct file {
  explicit file(const char *path, const char *mode) : f(fopen(path, mode)) {}
  ~file() {
    if (f)
      fclose(f);
  }
  file(const file &) = delete;
  file &operator=(const file &) = delete;
  bool take(void *to, size_t bytes) { return bytes == 0 || fread(to, 1, bytes, f) == bytes; }
  bool put(const void *from, size_t bytes) {
    return bytes == 0 || fwrite(from, 1, bytes, f) == bytes;
  }
  FILE *f;
};

/// Reads exactly `bytes` bytes up to the end of the file, never allocating much more than there is.
inline bool take_rest(file &in, int64_t bytes, std::vector<unsigned char> &data) {
  constexpr int64_t step = 1 << 24;
  data.clear();
  for (int64_t done = 0; done < bytes;) {
    const int64_t part = bytes - done < step ? bytes - done : step;
    data.resize(static_cast<size_t>(done + part));
    if (!in.take(data.data() + done, static_cast<size_t>(part)))
      return false;
    done += part;
  }
  return fgetc(in.f) == EOF;
}

} // namespace detail

/// Reads a file that should hold a tensor of `dtype`. Returns why it could not, or null.
inline const char *read(const char *path, int32_t dtype, array &out) {
  out = {};
  out.dtype = dtype;
  detail::file in(path, "rb");
  if (!in.f)
    return "cannot be opened";
  unsigned char start[12] = {};
  if (!in.take(start, 10) || memcmp(start, "\x93NUMPY", 6) != 0)
    return "is not a .npy file";
  const bool wide = start[6] >= 2;
  if (start[6] < 1 || start[6] > 3 || (wide && !in.take(start + 10, 2)))
    return "is of an unknown .npy version";
  size_t length = static_cast<size_t>(start[8] | start[9] << 8);
  if (wide)
    length |= static_cast<size_t>(start[10]) << 16 | static_cast<size_t>(start[11]) << 24;
  if (length > 1 << 16)
    return "has too long a header";
  std::string text(length, ' ');
  if (!in.take(&text[0], length))
    return "is cut short";
  detail::header h;
  if (const char *why = detail::parse(text, h))
    return why;
  out.dims = h.dims;

  int64_t element = 0;
  if (dtype == CAMEO_STRING) {
    checked characters = 0;
    if (h.descr.compare(0, 2, "<U") != 0 || h.descr.size() < 3)
      return "holds another element type";
    for (const char c : h.descr.substr(2)) {
      if (c < '0' || c > '9')
        return "holds another element type";
      characters = characters * 10 + (c - '0');
    }
    const checked bytes = characters * 4;
    if (!bytes.fits() || bytes.value() == 0)
      return "holds strings of no possible length";
    element = bytes.value();
  } else {
    if (!detail::holds(h.descr, dtype))
      return "holds another element type";
    element = detail::item_bytes(dtype);
  }
  checked count = 1;
  for (const int64_t extent : h.dims)
    count = count * checked(extent);
  for (const int64_t extent : h.dims)
    count = extent == 0 ? checked(0) : count;
  const checked bytes = count * checked(element);
  if (!bytes.fits())
    return "is too large";
  std::vector<unsigned char> raw;
  if (!detail::take_rest(in, bytes.value(), raw))
    return "is cut short, or too long";
  if (h.fortran_order && h.dims.size() > 1 && !raw.empty())
    raw = detail::to_row_major(raw, h.dims, static_cast<int32_t>(element));
  if (dtype == CAMEO_STRING) {
    detail::read_strings(raw, static_cast<size_t>(element), out);
    return nullptr;
  }
  if (cameo_dtype_bits(dtype) >= 8) {
    out.data.swap(raw);
  } else {
    out.data.resize(static_cast<size_t>(
        dense_bytes(dtype, h.dims.data(), static_cast<int32_t>(h.dims.size()))));
    pack(dtype, out.data.data(), raw.data(), count.value());
  }
  return nullptr;
}

/// Writes a dense tensor in host memory. Returns why it could not, or null.
inline const char *write(const char *path, const cameo_tensor &t) {
  const char *own = detail::descr_of(t.dtype);
  if (!own || t.kind != CAMEO_TENSOR)
    return "no .npy file can hold this type";
  const int64_t count = element_count(t);
  std::string descr = t.dtype == CAMEO_STRING ? "<U" : own;
  std::vector<unsigned char> bytes;
  const auto *elements = static_cast<const unsigned char *>(t.data);
  if (t.dtype == CAMEO_STRING) {
    const auto *strings = static_cast<const cameo_string *>(t.data);
    std::vector<std::vector<uint32_t>> points;
    size_t longest = 1;
    for (int64_t i = 0; i < count; ++i) {
      points.push_back(detail::code_points(strings[i]));
      longest = points.back().size() > longest ? points.back().size() : longest;
    }
    descr += std::to_string(longest);
    for (std::vector<uint32_t> &p : points) {
      p.resize(longest, 0);
      const auto *raw = reinterpret_cast<const unsigned char *>(p.data());
      bytes.insert(bytes.end(), raw, raw + 4 * longest);
    }
  } else if (cameo_dtype_bits(t.dtype) < 8) {
    bytes.resize(static_cast<size_t>(count));
    unpack(t.dtype, bytes.data(), elements, count);
  } else if (count > 0) {
    bytes.assign(elements, elements + dense_bytes(t.dtype, t.dims, t.rank));
  }
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (int32_t d = 0; d < t.rank; ++d)
    text += std::to_string(t.dims[d]) + (t.rank == 1 ? "," : d + 1 < t.rank ? ", " : "");
  text += "), }";
  while ((10 + text.size() + 1) % 64 != 0)
    text += ' ';
  text += '\n';
  const unsigned char start[] = {0x93,
                                 'N',
                                 'U',
                                 'M',
                                 'P',
                                 'Y',
                                 1,
                                 0,
                                 static_cast<unsigned char>(text.size() & 255),
                                 static_cast<unsigned char>(text.size() >> 8)};
  detail::file out(path, "wb");
  if (!out.f)
    return "cannot be created";
  if (!out.put(start, sizeof start) || !out.put(text.data(), text.size()) ||
      !out.put(bytes.data(), bytes.size()) || fflush(out.f) != 0)
    return "cannot be written";
  return nullptr;
}

/// The same for raw elements without any header, whose shape the caller knows: `out.dims` and
/// `out.dtype` are set.
inline const char *read_raw(const char *path, array &out) {
  detail::file in(path, "rb");
  if (!in.f)
    return "cannot be opened";
  const int64_t bytes =
      dense_bytes(out.dtype, out.dims.data(), static_cast<int32_t>(out.dims.size()));
  if (bytes < 0 || out.dtype == CAMEO_STRING)
    return "cannot hold this type or shape";
  return detail::take_rest(in, bytes, out.data) ? nullptr : "is cut short, or too long";
}
inline const char *write_raw(const char *path, const cameo_tensor &t) {
  detail::file out(path, "wb");
  if (!out.f)
    return "cannot be created";
  const int64_t bytes = dense_bytes(t.dtype, t.dims, t.rank);
  if (t.dtype == CAMEO_STRING || !out.put(t.data, static_cast<size_t>(bytes)) || fflush(out.f) != 0)
    return "cannot be written";
  return nullptr;
}

} // namespace cameo::npy
