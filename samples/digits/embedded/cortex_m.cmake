# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Toolchain: bare Cortex-M, the one that DIGITS_CPU names, with Debian's arm-none-eabi g++ and newlib, or with picolibc
# (-DDIGITS_SPECS=picolibc.specs).
set(CMAKE_SYSTEM_NAME Generic)
set(DIGITS_CPU cortex-m4 CACHE STRING "The processor, for -mcpu=")
set(DIGITS_SPECS "" CACHE STRING "The C library, for -specs=")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DIGITS_CPU DIGITS_SPECS)
set(CMAKE_SYSTEM_PROCESSOR ${DIGITS_CPU})
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_ASM_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)

set(machine "-mcpu=${DIGITS_CPU} -mthumb -mfloat-abi=hard -mfpu=auto -ffunction-sections -fdata-sections")
if(DIGITS_SPECS)
  string(APPEND machine " -specs=${DIGITS_SPECS}")
endif()
set(CMAKE_C_FLAGS_INIT "${machine}")
set(CMAKE_CXX_FLAGS_INIT "${machine} -fno-exceptions -fno-rtti -fno-threadsafe-statics -fno-unwind-tables")
set(CMAKE_ASM_FLAGS_INIT "${machine}")
