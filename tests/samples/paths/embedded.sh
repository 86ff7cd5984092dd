# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A developer of a device: the model without a heap for a bare Cortex-M, run in QEMU, with its flash and memory.
. /paths/common.sh
debian g++ cmake ninja-build python3 gcc-arm-none-eabi libstdc++-arm-none-eabi-newlib qemu-system-arm
step "install the package" dpkg -i /dist/cameo_*.deb
export CAMEO=cameo
step "compile, build for host and Cortex-M4, run, compare" /samples/digits/embedded/run cortex-m "$PWD/out"
expect "flash [0-9]* bytes"
report
