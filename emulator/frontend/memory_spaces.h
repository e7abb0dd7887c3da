// Which of Metal's memories an address space of Clang is. Clang has two names of each, and its mode decides
// between them; thread memory is Clang's default space, and with the word `thread` one of those of pointers
// with a size (method_spaces.h).
#pragma once

#include "support/abi/module_info.h"

#include <clang/Basic/AddressSpaces.h>

#include <optional>

namespace assay::frontend {

/// None for ray_data, object_data, and spaces of other languages.
constexpr std::optional<AddressSpace> metalMemory(clang::LangAS space) {
  using clang::LangAS;
  switch (space) {
  case LangAS::opencl_global_device:
  case LangAS::sycl_global_device: return AddressSpace::Device;
  case LangAS::opencl_global_host:
  case LangAS::sycl_global_host: return AddressSpace::Constant;
  case LangAS::opencl_local:
  case LangAS::sycl_local: return AddressSpace::Threadgroup;
  default: break;
  }
  if (space == LangAS::Default || clang::isPtrSizeAddressSpace(space))
    return AddressSpace::Thread;
  return std::nullopt;
}

constexpr bool isDevice(clang::LangAS space) {
  return metalMemory(space) == AddressSpace::Device;
}
constexpr bool isConstant(clang::LangAS space) {
  return metalMemory(space) == AddressSpace::Constant;
}
constexpr bool isThreadgroup(clang::LangAS space) {
  return metalMemory(space) == AddressSpace::Threadgroup;
}
constexpr bool isThread(clang::LangAS space) {
  return metalMemory(space) == AddressSpace::Thread;
}

} // namespace assay::frontend
