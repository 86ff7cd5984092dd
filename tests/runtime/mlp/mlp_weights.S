/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The weights blob as it lies in mlp_weights.bin, header first. */
#if defined(__ELF__)
    .section .rodata.mlp_weights, "a", %progbits
#else
    .const
#endif
    .globl mlp_weights
    .balign 64
mlp_weights:
    .incbin "mlp_weights.bin"
#if defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
