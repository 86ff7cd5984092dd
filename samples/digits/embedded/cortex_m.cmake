# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Toolchain: bare Cortex-M4F with Debian's arm-none-eabi g++ and newlib.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR cortex-m4)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(machine "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 -ffunction-sections -fdata-sections")
set(CMAKE_C_FLAGS_INIT "${machine}")
set(CMAKE_CXX_FLAGS_INIT "${machine} -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-unwind-tables")
set(CMAKE_ASM_FLAGS_INIT "${machine}")
