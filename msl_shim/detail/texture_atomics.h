// Atomic operations of textures for <metal_texture>. source: MSL specification 3.1, section 6.12; that those
// of 64 bits are of a texture of ulong alone, the probes beside Apple's compiler in kagurasumusun/metal;
// and which access permits which, Apple's header there (32023.883).
//
// The texture has one component; an operand's others are not read. __ASSAY_TEXTURE_ATOMICS(parameters, where)
// takes, each in parentheses, the parameters that name a texel and the x, y, z and layer that they mean.
#pragma once
#pragma clang system_header

#include "texture_access.h"

#define __ASSAY_UNPACK(...) __VA_ARGS__

#define __ASSAY_TEXTURE_ATOMIC(name, operation, parameters, where)                                           \
  METAL_FUNC vec<_T, 4> name(__ASSAY_UNPACK parameters, vec<_T, 4> operand) const {                          \
    return this->atomically(__assay_texture::operation, __ASSAY_UNPACK where, operand.x);                    \
  }
// The texture has two components, the halves of a number.
#define __ASSAY_TEXTURE_MODIFY(name, operation, parameters, where)                                           \
  METAL_FUNC void name(__ASSAY_UNPACK parameters, vec<unsigned long, 4> operand) const                       \
      __attribute__((enable_if(__is_same(_T, unsigned long), "only of a texture of ulong"))) {               \
    this->modify(__assay_texture::operation, __ASSAY_UNPACK where, operand.x);                               \
  }
#if __ASSAY_LIBRARY_HAS(TEXTURE_RELAXED_ORDER_ATOMIC)
#define __ASSAY_TEXTURE_ATOMICS(parameters, where)                                                           \
  __ASSAY_TEXTURE_MODIFY(atomic_min, kAtomicWideMin, parameters, where)                                      \
  __ASSAY_TEXTURE_MODIFY(atomic_max, kAtomicWideMax, parameters, where)                                      \
  METAL_FUNC vec<_T, 4> atomic_load(__ASSAY_UNPACK parameters) const {                                       \
    return this->template atomically < _A !=                                                                 \
           access::write > (__assay_texture::kAtomicLoad, __ASSAY_UNPACK where, 0);                          \
  }                                                                                                          \
  METAL_FUNC void atomic_store(vec<_T, 4> value, __ASSAY_UNPACK parameters) const {                          \
    constexpr bool written = _A == access::write || _A == access::read_write;                                \
    this->template atomically<written>(__assay_texture::kAtomicStore, __ASSAY_UNPACK where, value.x);        \
  }                                                                                                          \
  METAL_FUNC bool atomic_compare_exchange_weak(__ASSAY_UNPACK parameters, thread vec<_T, 4> *expected,       \
                                               vec<_T, 4> desired) const {                                   \
    const vec<_T, 4> before = this->atomically(__assay_texture::kAtomicCompareExchange,                      \
                                               __ASSAY_UNPACK where, desired.x, expected->x);                \
    const bool same = before.x == expected->x;                                                               \
    if (!same)                                                                                               \
      *expected = before;                                                                                    \
    return same;                                                                                             \
  }                                                                                                          \
  __ASSAY_TEXTURE_ATOMIC(atomic_exchange, kAtomicExchange, parameters, where)                                \
  __ASSAY_TEXTURE_ATOMIC(atomic_fetch_add, kAtomicAdd, parameters, where)                                    \
  __ASSAY_TEXTURE_ATOMIC(atomic_fetch_sub, kAtomicSub, parameters, where)                                    \
  __ASSAY_TEXTURE_ATOMIC(atomic_fetch_and, kAtomicAnd, parameters, where)                                    \
  __ASSAY_TEXTURE_ATOMIC(atomic_fetch_or, kAtomicOr, parameters, where)                                      \
  __ASSAY_TEXTURE_ATOMIC(atomic_fetch_xor, kAtomicXor, parameters, where)                                    \
  __ASSAY_TEXTURE_ATOMIC(atomic_fetch_min, kAtomicMin, parameters, where)                                    \
  __ASSAY_TEXTURE_ATOMIC(atomic_fetch_max, kAtomicMax, parameters, where)
#else
#define __ASSAY_TEXTURE_ATOMICS(parameters, where)
#endif
