#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# cached_compiler.sh CHECKOUT CCACHE COMPILER ARGUMENT...: the compiler through ccache, which needs to be told that
# - a precompiled header is an input like any other, and records generate headers a moment before they are read;
# - paths below CHECKOUT, unless it is "-", do not tell checkouts apart.
# A precompiled header is made from nothing: with the old one in its place, the preprocessor that ccache asks what has
# changed would read that instead of the headers.
CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
export CCACHE_SLOPPINESS
if [ "$1" != - ]; then
  CCACHE_BASEDIR=$1
  export CCACHE_BASEDIR
fi
shift
before=
for word in "$@"; do
  case $before$word in -o*.gch | -o*.pch) rm -f "$word" ;; esac
  before=$word
done
exec "$@"
