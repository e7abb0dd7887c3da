// Barriers: the flags that reach the engine, and every form of call.
// source: MSL specification, section 6.9.1.
#include "engine.h"
#include "signatures.h"

#include <gmock/gmock.h>

using namespace assay::test;

extern "C" {
void shim_barriers();
}

namespace {

TEST(Barriers, PassTheirFlags) {
  calls.clear();
  shim_barriers();
  EXPECT_EQ(barrierFlags, 3u);
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].operation, kBarrier);
}

TEST(ComputeHeader, DeclaresItsBarriersAndFlags) {
  expectSignatures(
      "metal_compute",
      {
          {kOnce,
           "void",
           {"threadgroup_barrier(mem_flags::mem_threadgroup)", "simdgroup_barrier(mem_flags::mem_none)"}},
          {kOnce,
           "mem_flags",
           {"mem_flags::mem_none", "mem_flags::mem_device", "mem_flags::mem_threadgroup",
            "mem_flags::mem_texture", "mem_flags::mem_threadgroup_imageblock", "mem_flags::mem_object_data"}},
      });
}

} // namespace
