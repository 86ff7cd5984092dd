/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The test images, file as it is, in read-only memory. */
        .section .rodata.images, "a"
        .global images_npy, images_npy_end
        .balign 16
images_npy:
        .incbin "images.npy"
images_npy_end:
#ifdef __linux__
        .section .note.GNU-stack, "", %progbits
#endif
