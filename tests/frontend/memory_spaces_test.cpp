#include "frontend/memory_spaces.h"

#include <gtest/gtest.h>

namespace assay::frontend {
namespace {

using clang::LangAS;

// Metal's memories have the spaces of OpenCL, or of SYCL, for Clang.
TEST(MemorySpaces, BothNamesOfASpaceAreOneMemory) {
  for (const LangAS space : {LangAS::opencl_global_device, LangAS::sycl_global_device}) {
    EXPECT_EQ(metalMemory(space), AddressSpace::Device);
    EXPECT_TRUE(isDevice(space) && !isConstant(space) && !isThreadgroup(space) && !isThread(space));
  }
  for (const LangAS space : {LangAS::opencl_global_host, LangAS::sycl_global_host}) {
    EXPECT_EQ(metalMemory(space), AddressSpace::Constant);
    EXPECT_TRUE(isConstant(space) && !isDevice(space) && !isThreadgroup(space) && !isThread(space));
  }
  for (const LangAS space : {LangAS::opencl_local, LangAS::sycl_local}) {
    EXPECT_EQ(metalMemory(space), AddressSpace::Threadgroup);
    EXPECT_TRUE(isThreadgroup(space) && !isDevice(space) && !isConstant(space) && !isThread(space));
  }
  for (const LangAS space : {LangAS::Default, LangAS::ptr32_sptr, LangAS::ptr64}) {
    EXPECT_EQ(metalMemory(space), AddressSpace::Thread);
    EXPECT_TRUE(isThread(space) && !isDevice(space) && !isConstant(space) && !isThreadgroup(space));
  }
}

TEST(MemorySpaces, PayloadsAreNoneOfThem) {
  for (const LangAS space : {LangAS::opencl_private, LangAS::sycl_private, LangAS::opencl_global,
                             LangAS::sycl_global, LangAS::opencl_constant})
    EXPECT_FALSE(metalMemory(space)) << int(space);
}

} // namespace
} // namespace assay::frontend
