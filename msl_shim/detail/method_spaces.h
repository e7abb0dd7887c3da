// Member functions that give the address of a part of their object, in the memory that the object is in.
//
// What the source view writes into a program for a trailing `device` (method_space_text.cpp in the front end)
// stands here by hand: the annotation, and as many enable_if attributes.
#pragma once
#pragma clang system_header

#define __ASSAY_OVERLOAD __attribute__((enable_if(true, "")))
#define __ASSAY_ON_RAY_DATA                                                                                  \
  __attribute__((annotate("assay.method.ray_data"))) __ASSAY_OVERLOAD __ASSAY_OVERLOAD
#define __ASSAY_ON_OBJECT_DATA                                                                               \
  __attribute__((annotate("assay.method.object_data"))) __ASSAY_OVERLOAD __ASSAY_OVERLOAD __ASSAY_OVERLOAD
#define __ASSAY_ON_DEVICE                                                                                    \
  __attribute__((                                                                                            \
      annotate("assay.method.device"))) __ASSAY_OVERLOAD __ASSAY_OVERLOAD __ASSAY_OVERLOAD __ASSAY_OVERLOAD
#define __ASSAY_ON_CONSTANT                                                                                  \
  __attribute__((annotate("assay.method.constant"))) __ASSAY_OVERLOAD __ASSAY_OVERLOAD __ASSAY_OVERLOAD      \
      __ASSAY_OVERLOAD __ASSAY_OVERLOAD
#define __ASSAY_ON_THREADGROUP                                                                               \
  __attribute__((annotate("assay.method.threadgroup"))) __ASSAY_OVERLOAD __ASSAY_OVERLOAD __ASSAY_OVERLOAD   \
      __ASSAY_OVERLOAD __ASSAY_OVERLOAD __ASSAY_OVERLOAD
#define __ASSAY_ON_THREAD                                                                                    \
  __attribute__((annotate("assay.method.thread"))) __ASSAY_OVERLOAD __ASSAY_OVERLOAD __ASSAY_OVERLOAD        \
      __ASSAY_OVERLOAD __ASSAY_OVERLOAD __ASSAY_OVERLOAD __ASSAY_OVERLOAD

// clang-format off
/// member(qualifiers of the result, what stands after the parameters) for each kind of object.
#define __ASSAY_IN_EACH_SPACE(member)                                                                        \
  member(, __ASSAY_ON_THREAD)                                                                                \
  member(const, const __ASSAY_ON_THREAD)                                                                     \
  member(device, __ASSAY_ON_DEVICE)                                                                          \
  member(const device, const __ASSAY_ON_DEVICE)                                                              \
  member(constant, const __ASSAY_ON_CONSTANT)                                                                \
  member(threadgroup, __ASSAY_ON_THREADGROUP)                                                                \
  member(const threadgroup, const __ASSAY_ON_THREADGROUP)                                                    \
  member(object_data, __ASSAY_ON_OBJECT_DATA)                                                                \
  member(const object_data, const __ASSAY_ON_OBJECT_DATA)                                                    \
  member(ray_data, __ASSAY_ON_RAY_DATA)                                                                      \
  member(const ray_data, const __ASSAY_ON_RAY_DATA)
// clang-format on
