// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Emit/CppNames.h"

#include "Support/ElementTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace cameo;
using llvm::StringRef;

namespace {

/// Keywords and alternative tokens of C++20 and C, words of CUDA, lower-case macros of system
/// headers, the types of elements, and the namespaces of the runtime.
bool isReserved(StringRef name) {
  static const llvm::StringSet<> words = {"abs",
                                          "acos",
                                          "alignas",
                                          "alignof",
                                          "and",
                                          "and_eq",
                                          "asked",
                                          "asm",
                                          "assert",
                                          "atomic_cancel",
                                          "auto",
                                          "bitand",
                                          "bitor",
                                          "blockDim",
                                          "blockIdx",
                                          "bool",
                                          "break",
                                          "buffer",
                                          "cameo",
                                          "case",
                                          "catch",
                                          "cdecl",
                                          "char",
                                          "char16_t",
                                          "char32_t",
                                          "char8_t",
                                          "checked",
                                          "choice",
                                          "class",
                                          "co_await",
                                          "co_return",
                                          "co_yield",
                                          "compl",
                                          "complex",
                                          "concept",
                                          "const",
                                          "const_cast",
                                          "consteval",
                                          "constexpr",
                                          "constinit",
                                          "context",
                                          "continue",
                                          "cpu",
                                          "cuda",
                                          "decltype",
                                          "default",
                                          "delete",
                                          "dim3",
                                          "do",
                                          "double",
                                          "dynamic_cast",
                                          "else",
                                          "emit",
                                          "enum",
                                          "environ",
                                          "errno",
                                          "exec",
                                          "explicit",
                                          "export",
                                          "extern",
                                          "false",
                                          "far",
                                          "fetched",
                                          "float",
                                          "for",
                                          "friend",
                                          "gen",
                                          "goto",
                                          "gridDim",
                                          "huge",
                                          "i386",
                                          "if",
                                          "imaginary",
                                          "index",
                                          "inline",
                                          "int",
                                          "interface",
                                          "isfinite",
                                          "isinf",
                                          "isnan",
                                          "isnormal",
                                          "linux",
                                          "log",
                                          "long",
                                          "main",
                                          "major",
                                          "max",
                                          "min",
                                          "minor",
                                          "mips",
                                          "module",
                                          "mutable",
                                          "namespace",
                                          "near",
                                          "new",
                                          "noexcept",
                                          "noreturn",
                                          "not",
                                          "not_eq",
                                          "nullptr",
                                          "operator",
                                          "or",
                                          "or_eq",
                                          "packed",
                                          "pascal",
                                          "private",
                                          "protected",
                                          "public",
                                          "putc",
                                          "reflexpr",
                                          "register",
                                          "reinterpret_cast",
                                          "requires",
                                          "restrict",
                                          "return",
                                          "round",
                                          "short",
                                          "signals",
                                          "signbit",
                                          "signed",
                                          "size_t",
                                          "sizeof",
                                          "slots",
                                          "small",
                                          "sparc",
                                          "static",
                                          "static_assert",
                                          "static_cast",
                                          "status",
                                          "std",
                                          "stderr",
                                          "stdin",
                                          "stdout",
                                          "struct",
                                          "success",
                                          "sun",
                                          "switch",
                                          "symbols",
                                          "synchronized",
                                          "template",
                                          "this",
                                          "threadIdx",
                                          "thread_local",
                                          "throw",
                                          "true",
                                          "try",
                                          "typedef",
                                          "typeid",
                                          "typename",
                                          "typeof",
                                          "union",
                                          "unix",
                                          "unsigned",
                                          "using",
                                          "virtual",
                                          "void",
                                          "volatile",
                                          "warpSize",
                                          "wchar_t",
                                          "while",
                                          "xor",
                                          "xor_eq"};
  return words.contains(name) || llvm::any_of(getElementInfos(), [&](const ElementInfo &info) {
           return info.cppName == name;
         });
}

/// Names that may be identifiers but not the name of a library, which is that of a target of CMake
/// and of a header in front of the system's: targets that CMake makes itself, words and libraries
/// of its target_link_libraries(), and headers of C, POSIX, glibc and CUDA.
bool isTaken(StringRef name) {
  static const llvm::StringSet<> words = [] {
    constexpr StringRef texts[] = {
        "ALL_BUILD INSTALL PACKAGE RUN_TESTS ZERO_CHECK all clean depend edit_cache help install "
        "list_install_components package package_source preinstall rebuild_cache test",
        "CMakeFiles Continuous Experimental Nightly debug general optimized dl pthread rt",
        "ctype fenv inttypes iso646 limits locale math setjmp signal stdalign stdarg stdatomic "
        "stdbit stdbool stdckdint stddef stdint stdio stdlib stdnoreturn string tgmath threads "
        "time uchar wchar wctype",
        "aio cpio dirent dlfcn fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen libintl "
        "monetary mqueue ndbm netdb nl_types poll pwd regex sched search semaphore spawn strings "
        "stropts syslog tar termios trace ulimit unistd utime utmpx wordexp",
        "alloca ar argp argz byteswap crypt elf endian envz err error execinfo features "
        "fpu_control "
        "fstab fts getopt gshadow ieee754 ifaddrs lastlog link malloc mcheck memory mntent obstack "
        "paths printf proc_service pty re_comp regexp resolv shadow sgtty stab syscall sysexits "
        "termio thread_db ttyent ucontext utmp values wait xlocale",
        "builtin_types channel_descriptor common_functions cooperative_groups crt cuda_bf16 "
        "cuda_device_runtime_api cuda_fp16 cuda_fp8 cuda_pipeline cuda_runtime cuda_runtime_api "
        "device_atomic_functions device_functions device_launch_parameters device_types "
        "driver_functions driver_types host_config host_defines library_types math_constants "
        "math_functions mma nvrtc surface_functions surface_types texture_types "
        "vector_functions vector_types"};
    llvm::StringSet<> set;
    for (StringRef text : texts)
      for (StringRef word : llvm::split(text, ' '))
        set.insert(word);
    return set;
  }();
  return words.contains(name);
}

/// `I` of <complex.h>, `F` of Arduino.
bool isMacroLetter(StringRef name) { return name == "I" || name == "F"; }

} // namespace

std::string cameo::cleanName(StringRef text, StringRef fallback) {
  // A name of a megabyte is not read to its end but for its hash.
  std::string name;
  bool gap = false, hasLower = false;
  for (char c : text.take_front(4 * kMaxIdentifier)) {
    if (!llvm::isAlnum(c)) {
      gap = !name.empty();
      continue;
    }
    if (gap)
      name += '_';
    gap = false;
    name += c;
    hasLower |= llvm::isLower(c);
  }
  if (name.empty())
    name = fallback.str();
  if (llvm::isDigit(name.front()))
    name = fallback.str() + name;
  // Names in capitals are macros in somebody's header.
  if (!hasLower && name.size() > 1)
    name = StringRef(name).lower();
  if (name.size() > kMaxIdentifier || text.size() > 4 * kMaxIdentifier) {
    std::string hash;
    llvm::raw_string_ostream(hash)
        << llvm::format_hex_no_prefix(llvm::xxh3_64bits(text) & 0xffffffff, 8);
    name = StringRef(name).take_front(kMaxIdentifier - 9).rtrim('_').str() + "_" + hash;
  }
  if (isReserved(name) || isMacroLetter(name))
    name += '_';
  return name;
}

bool cameo::isLibraryName(StringRef text) {
  return !text.empty() && text.size() <= kMaxIdentifier && llvm::isAlpha(text.front()) &&
         text.back() != '_' && !text.contains("__") && !isReserved(text) && !isTaken(text) &&
         llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

void CppScope::reserve(llvm::ArrayRef<StringRef> names) {
  for (StringRef name : names)
    taken.insert(name);
}

bool CppScope::contains(StringRef name) const {
  for (const CppScope *scope = this; scope; scope = scope->outer)
    if (scope->taken.contains(name))
      return true;
  return false;
}

Code CppScope::addUnique(std::string name) {
  unsigned &number = next[name];
  std::string unique = name;
  while (contains(unique))
    unique = name + (llvm::StringRef(name).ends_with("_") ? "" : "_") + std::to_string(++number);
  taken.insert(unique);
  return Code(std::move(unique));
}

Code CppScope::add(StringRef text, StringRef fallback) {
  return addUnique(cleanName(text, fallback));
}

Code CppScope::add(const Code &base, StringRef suffix) {
  return addUnique(base.str() + suffix.str());
}
