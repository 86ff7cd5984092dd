/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Linked into every program of a sanitized build. LLVM's allocators, in its headers, poison memory
 * that they have not given out; the copies of the same functions in LLVM's installed,
 * uninstrumented library give it out without a word to the sanitizer. Every use of an MLIR type
 * would be a finding.
 */
const char *__asan_default_options(void) { return "allow_user_poisoning=0:strict_string_checks=1"; }
