// What names a resource in memory: Metal's MTLResourceID, and what a kernel may store of a function.
// source: MSL specification, sections 6.18.5 and 6.18.7; for the member _impl, and that a handle of a
//         function compares and may be null, the probes beside Apple's compiler in kagurasumusun/metal.
#pragma once
#pragma clang system_header

namespace metal {

#if __ASSAY_LIBRARY_HAS(MTL_RESOURCE_ID)
struct MTLResourceID {
  unsigned long _impl;
};
#endif

#if __ASSAY_LIBRARY_HAS(FUNCTION_HANDLES)
/// A function, as an intersection function buffer has it: eight bytes that no kernel looks into.
struct __ASSAY_OBJECTS_OF_HANDLES function_handle {
  METAL_FUNC function_handle() : __assay_handle(0) {}
  METAL_FUNC function_handle(decltype(nullptr)) : __assay_handle(0) {}
  friend METAL_FUNC bool operator==(function_handle a, function_handle b) {
    return a.__assay_handle == b.__assay_handle;
  }
  friend METAL_FUNC bool operator!=(function_handle a, function_handle b) { return !(a == b); }

private:
  unsigned long __assay_handle;
};
METAL_FUNC bool is_null_function_handle(function_handle handle) {
  return handle == function_handle();
}
#endif

} // namespace metal
