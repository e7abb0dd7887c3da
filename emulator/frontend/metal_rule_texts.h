// The rules of metal_rules.h, and what is said to a program that breaks one.
#pragma once

#include <array>
#include <cstddef>

namespace assay::frontend {

// source: MSL specification 4, 1.5.4 (C++ features that Metal lacks), chapter 4 (address spaces), and 4.5.
enum class Rule : unsigned char {
  PointerSpace,
  ReferenceSpace,
  ThreadSpace,
  ThreadAuto,
  GlobalSpace,
  GlobalConst,
  GlobalWritten,
  StaticLocal,
  ArgumentSpace,
  DeviceGlobal,
  ThreadgroupExtern,
  ThreadgroupGlobal,
  ThreadgroupHelper,
  ThreadgroupInitialiser,
  ThreadLocal,
  VariableLength,
  ZeroLength,
  FlexibleArray,
  QueryMember,
  MatrixElement,
  VectorElement,
  PixelSampler,
  Goto,
  Label,
  Assembler,
  LongLong,
  Int128,
  Keyword,
  Noexcept,
  DynamicCast,
  Register,
  LiteralSuffix,
  Variadic,
  KernelMember,
  Main,
  NotDefined,
  ValueSpace,
  Virtual,
  VirtualBase,
  New,
  Delete,
  Exception,
  Misspelt,
  Misplaced,
  Arguments,
  AttributeTwice,
  StageInTwice,
  IndexType,
  ThreadsType,
  OneIndex,
  OneName,
  ConstantInitialised,
  Count
};

/// Of Rule::ThreadSpace. memory_overloads.h looks for it.
inline constexpr const char *kGivenOtherMemory =
    "'%0' is declared thread, and this instantiation gives it other memory: pass a copy in a variable";

// %0 is a name.
constexpr std::array<const char *, size_t(Rule::Count)> kTexts = {
    "pointer type of '%0' has no address space: write device, constant, threadgroup or thread",
    "reference type of '%0' has no address space: write device, constant, threadgroup or thread",
    kGivenOtherMemory,
    "'%0' is declared thread, and is initialised with other memory: write that memory, or pass a copy in a "
    "variable",
    "program-scope variable '%0' must be constant: Metal has no mutable variables outside of functions",
    "program-scope variable '%0' has no address space: write constant",
    "program-scope variable '%0' is constant, and cannot be written",
    "'%0' cannot be static or in constant memory inside of a function: declare it const or constexpr, or at "
    "program scope",
    "variable '%0' cannot be in this address space: at program scope write constant, in a function thread",
    "variable '%0' cannot be in device memory: what threads change at program scope is a buffer of the "
    "host's, "
    "an argument such as device T *p [[buffer(0)]]",
    "threadgroup variable '%0' cannot be extern: memory whose length the host sets is an argument, "
    "threadgroup T *p [[threadgroup(0)]]",
    "threadgroup variable '%0' must be declared in a kernel, not in a class or at program scope",
    "threadgroup variable '%0' must be declared in a kernel: pass it to this function as a pointer or a "
    "reference",
    "threadgroup variable '%0' cannot have an initialiser other than zero: threadgroup memory holds what was "
    "there before; assign to it, and put a barrier before it is read",
    "'%0' cannot be thread_local: Metal has no thread-local storage",
    "array '%0' must have a size that is known when it is compiled: Metal has no variable-length arrays",
    "array '%0' must have an element",
    "member '%0' must have a size: Metal has no flexible array members",
    "'%0' cannot be a member of a class: declare an intersection_query in a function",
    "the elements of a matrix are half, bfloat or float",
    "the elements of a vector are numbers or bool",
    "sampler '%0' has coord::pixel, so its min_filter and mag_filter must be the same, mip_filter and "
    "compare_func none, and its addresses clamp",
    "goto is not supported in Metal",
    "labels are not supported in Metal",
    "asm is not supported in Metal",
    "long long is not supported in Metal: long has 64 bits",
    "__int128 is not supported in Metal: long has 64 bits",
    "'%0' is the name of a type in Metal",
    "the operator noexcept is not supported in Metal",
    "dynamic_cast is not supported in Metal",
    "'%0' cannot be register: Metal has no such storage class",
    "invalid suffix 'q' on a floating-point literal",
    "kernel '%0' cannot have a variable number of arguments",
    "kernel '%0' cannot be a member of a class: declare it in a namespace",
    "no function can have the name '%0': give it another one",
    "function '%0' is called and has no body",
    "parameter '%0' is passed by value and has no address space from Metal 4.1 on: leave out the word thread",
    "'%0' cannot be virtual: Metal has no virtual functions",
    "'%0' cannot have a virtual base class: Metal has none",
    "new is not supported in Metal",
    "delete is not supported in Metal",
    "exceptions are not supported in Metal",
    "unknown attribute '%0'",
    "[[%0]] cannot stand here: write it before the function, and before the word kernel",
    "[[%0]] takes no arguments",
    "[[%0]] cannot be written more than once on a declaration",
    "argument '%0' is the second that is [[stage_in]]: a function may have one",
    "the index of [[%0]] must be an int or a uint",
    "[[%0]] takes numbers of threads, which are integers",
    "[[%0]] takes one argument, an index",
    "[[%0]] of an argument takes one argument, the name of a function constant",
    "function constant '%0' cannot have an initialiser: the host gives its value",
};

} // namespace assay::frontend
