/* The weights of {{name}}, header first, as the assembler reads them from {{name}}_weights.bin. */
#if defined(__APPLE__)
    .section __TEXT,__const
    .private_extern _{{name}}_weights
    .balign 64
_{{name}}_weights:
    .incbin "{{name}}_weights.bin"
#else
    .section .rodata
    .globl {{name}}_weights
    .hidden {{name}}_weights
    .balign 64
{{name}}_weights:
    .incbin "{{name}}_weights.bin"
    .section .note.GNU-stack,"",%progbits
#endif
