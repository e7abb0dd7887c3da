// objc_msgSend for x86-64, System V: finds the method and jumps to it with all arguments as they came.
//
// The fast path uses r10 and r11 alone, which no call passes anything in. The slow path keeps every register
// that can hold an argument: six integers, al (the number of vector arguments of a variadic call) and the low
// 128 bits of eight vectors. A message to nil gives zero in every register that a value can come back in.
#if defined(__x86_64__)

#include "support/process/sanitizers.h"
#if defined(ASSAY_TSAN)
#define ASSAY_ALWAYS_SLOW 1
#endif

    .text

// receiver and selector: the registers that hold them.
.macro MESSAGE_SEND name, receiver, receiver8, selector, onNil
    .globl \name
    .type \name, @function
    .p2align 5
\name:
    .cfi_startproc
    testq \receiver, \receiver
    je \onNil
#ifndef ASSAY_ALWAYS_SLOW
    testb $7, \receiver8
    jne 1f
    movq (\receiver), %r10          // the class
0:  movq 64(%r10), %r10             // its table
    movq (\selector), %r11          // the selector's number
    cmpq $0xffff, %r11
    ja 2f                           // not registered yet
    shrq $8, %r11
    movq (%r10,%r11,8), %r10        // the page
    movzbl (\selector), %r11d
    movq (%r10,%r11,8), %r11        // the method
    testq %r11, %r11
    je 2f
    jmpq *%r11
1:  movq \receiver, %r11
    andl $7, %r11d
    movq _ZN5assay4objc13taggedClassesE@GOTPCREL(%rip), %r10
    movq (%r10,%r11,8), %r10
    testq %r10, %r10
    jne 0b
#endif
2:  pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq $192, %rsp
    movaps %xmm0, (%rsp)
    movaps %xmm1, 16(%rsp)
    movaps %xmm2, 32(%rsp)
    movaps %xmm3, 48(%rsp)
    movaps %xmm4, 64(%rsp)
    movaps %xmm5, 80(%rsp)
    movaps %xmm6, 96(%rsp)
    movaps %xmm7, 112(%rsp)
    movq %rdi, 128(%rsp)
    movq %rsi, 136(%rsp)
    movq %rdx, 144(%rsp)
    movq %rcx, 152(%rsp)
    movq %r8, 160(%rsp)
    movq %r9, 168(%rsp)
    movq %rax, 176(%rsp)
    movq \selector, %rax
    movq \receiver, %rdi
    movq %rax, %rsi
    callq assay_slowLookUp
    movq %rax, %r11
    movaps (%rsp), %xmm0
    movaps 16(%rsp), %xmm1
    movaps 32(%rsp), %xmm2
    movaps 48(%rsp), %xmm3
    movaps 64(%rsp), %xmm4
    movaps 80(%rsp), %xmm5
    movaps 96(%rsp), %xmm6
    movaps 112(%rsp), %xmm7
    movq 128(%rsp), %rdi
    movq 136(%rsp), %rsi
    movq 144(%rsp), %rdx
    movq 152(%rsp), %rcx
    movq 160(%rsp), %r8
    movq 168(%rsp), %r9
    movq 176(%rsp), %rax
    leave
    .cfi_def_cfa %rsp, 8
    .cfi_restore %rbp
    jmpq *%r11
    .cfi_endproc
    .size \name, . - \name
.endm

    MESSAGE_SEND objc_msgSend, %rdi, %dil, %rsi, .Lnil
    MESSAGE_SEND objc_msgSend_fpret, %rdi, %dil, %rsi, .Lnil_fpret
    MESSAGE_SEND objc_msgSend_fp2ret, %rdi, %dil, %rsi, .Lnil_fp2ret
    // The caller's result area comes first. It is left as it is for nil:
    // compiled Objective-C clears it itself.
    MESSAGE_SEND objc_msgSend_stret, %rsi, %sil, %rdx, .Lnil_stret

.Lnil:
    .cfi_startproc
    xorl %eax, %eax
    xorl %edx, %edx
    pxor %xmm0, %xmm0
    pxor %xmm1, %xmm1
    retq
    .cfi_endproc
.Lnil_fpret:
    .cfi_startproc
    fldz
    xorl %eax, %eax
    retq
    .cfi_endproc
.Lnil_fp2ret:
    .cfi_startproc
    fldz
    fldz
    xorl %eax, %eax
    retq
    .cfi_endproc
.Lnil_stret:
    .cfi_startproc
    movq %rdi, %rax
    retq
    .cfi_endproc

#endif
    .section .note.GNU-stack,"",@progbits
