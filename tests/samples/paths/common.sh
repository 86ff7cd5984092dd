# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the paths share: each is run by `run`, as root of a bare Debian 12, in an empty folder, with /dist (the wheel and the
# packages) and /samples. It ends with its seconds, as `run` reads them.
set -euo pipefail
fetched=0 used=0 steps=''

timed() { # NAME CMD...: adds its microseconds to the variable
  local -n sum=$1
  local start=${EPOCHREALTIME/./}
  shift
  "$@" >last.log 2>&1 || { cat last.log >&2; echo "failed: $*" >&2; exit 1; }
  sum=$((sum + ${EPOCHREALTIME/./} - start))
}
seconds() { printf '%d.%d' $(($1 / 1000000)) $(($1 / 100000 % 10)); }
# What comes from the network, or is Debian's to install.
fetch() { timed fetched "$@"; }
# What the user does with Cameo: step WORDS CMD...
step() {
  local words=$1 own=0
  shift
  timed own "$@"
  used=$((used + own))
  steps+="${steps:+, }$words $(seconds "$own")"
}
# What the last command has printed.
expect() { grep -q "$1" last.log || { cat last.log >&2; echo "does not print: $1" >&2; exit 1; }; }
debian() { # PACKAGE...
  export DEBIAN_FRONTEND=noninteractive
  fetch apt-get update -qq
  fetch apt-get install -y -qq --no-install-recommends "$@"
}
# A virtual environment with the wheel, and what it is asked to bring: python_env EXTRA PACKAGE...
python_env() {
  local wheel extra=$1
  shift
  wheel=$(echo /dist/cameo_onnx-*.whl)
  debian g++ python3-venv
  fetch python3 -m venv env
  fetch env/bin/pip download --quiet --dest wheels "$wheel$extra" "$@"
  export PATH=$PWD/env/bin:$PATH
  step "install the wheel" pip install --quiet --no-index --find-links wheels "$wheel$extra" "$@"
}
report() { echo "$(seconds "$fetched") | $(seconds "$used") | $steps"; }
