// objc_msgSend for 64-bit ARM, AAPCS64: finds the method and jumps to it with all arguments as they came. A
// result area is passed in x8, apart from the arguments, so that one function serves every type of result.
#if defined(__aarch64__)

#include "support/process/sanitizers.h"
#if defined(ASSAY_TSAN)
#define ASSAY_ALWAYS_SLOW 1
#endif

    .text
    .globl objc_msgSend
    .globl objc_msgSend_fpret
    .globl objc_msgSend_stret
    .type objc_msgSend, %function
    .p2align 5
objc_msgSend:
objc_msgSend_fpret:
objc_msgSend_stret:
    .cfi_startproc
    cbz x0, 3f
#ifndef ASSAY_ALWAYS_SLOW
    ands x10, x0, #7
    b.ne 1f
    ldr x9, [x0]                    // the class
0:  ldr x9, [x9, #64]               // its table
    ldr x10, [x1]                   // the selector's number
    lsr x11, x10, #8
    cmp x11, #255
    b.hi 2f                         // not registered yet
    ldr x9, [x9, x11, lsl #3]       // the page
    and x10, x10, #255
    ldr x9, [x9, x10, lsl #3]       // the method
    cbz x9, 2f
    br x9
1:  adrp x9, :got:_ZN5assay4objc13taggedClassesE
    ldr x9, [x9, :got_lo12:_ZN5assay4objc13taggedClassesE]
    ldr x9, [x9, x10, lsl #3]
    cbnz x9, 0b
#endif
2:  stp x29, x30, [sp, #-224]!
    .cfi_def_cfa_offset 224
    .cfi_offset x29, -224
    .cfi_offset x30, -216
    mov x29, sp
    .cfi_def_cfa_register x29
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    str x8, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    bl assay_slowLookUp
    mov x9, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
    ldp x29, x30, [sp], #224
    .cfi_def_cfa sp, 0
    .cfi_restore x29
    .cfi_restore x30
    br x9
3:  mov x1, #0                      // x0 is nil already
    movi d0, #0
    movi d1, #0
    movi d2, #0
    movi d3, #0
    ret
    .cfi_endproc
    .size objc_msgSend, . - objc_msgSend

#endif
    .section .note.GNU-stack,"",%progbits
