# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cmake -DSOURCE=FOLDER -DFILE=FILE -P Commit.cmake: writes the source that says of which commit of SOURCE a program is
# built, and whether its files were changed since; nothing where SOURCE is no repository. The same text touches nothing.
cmake_minimum_required(VERSION 3.25)
set(text "")
find_program(git git)
if(git AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND "${git}" -C "${SOURCE}" rev-parse --short=12 HEAD
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND "${git}" -C "${SOURCE}" diff --quiet HEAD RESULT_VARIABLE differs OUTPUT_QUIET ERROR_QUIET)
  if(commit AND differs EQUAL 1)
    set(text " (${commit}, changed)")
  elseif(commit)
    set(text " (${commit})")
  endif()
endif()
file(CONFIGURE OUTPUT "${FILE}" CONTENT "namespace cameo::cli {
extern const char *const commit;
const char *const commit = \"${text}\";
} // namespace cameo::cli
")
