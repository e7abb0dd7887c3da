// Kernels that track undefined values, as text, and what they report.
#pragma once

#include "tests/lowering/kernel_runner.h"

namespace assay::lowering::test {

// Variables x, y and a (4 numbers) without a value, as the front end describes them.
inline const std::string kVariables = R"(
!0 = !{!"assay.unwritten\0A3 7 x\0Atest.metal\0A0 4 0 x\0A"}
!1 = !{!"assay.unwritten\0A4 7 y\0Atest.metal\0A0 4 0 y\0A"}
!2 = !{!"assay.unwritten\0A5 7 a\0Atest.metal\0A0 4 0 a[0]\0A4 4 0 a[1]\0A8 4 0 a[2]\0A12 4 0 a[3]\0A"}
)";

// A kernel with the body; %out is a buffer of numbers and %in another.
inline Kernel tracked(const std::string &body, TrackUndefined track = TrackUndefined::Local) {
  Kernel k(R"(
@tile = internal addrspace(3) global [16 x i32] undef, align 4
define void @k() {
  %x = alloca i32, align 4, !assay.unwritten !0
  %y = alloca i32, align 4, !assay.unwritten !1
  %a = alloca [4 x i32], align 4, !assay.unwritten !2
  %out = call ptr addrspace(5) @__assay_buffer_device(i32 0)
  %in = call ptr addrspace(5) @__assay_buffer_device(i32 1)
)" + body + "}\n" +
           kVariables);
  k.options.trackUndefined = track;
  return k;
}

// Binds a buffer whose undefined bytes `shadow` marks; both outlive the run.
inline void bindWithShadow(Kernel &k, uint32_t index, std::vector<uint32_t> &buffer,
                           std::vector<uint8_t> &shadow) {
  k.bind(index, buffer);
  k.shadows.device[index] = int64_t(reinterpret_cast<uintptr_t>(shadow.data())) -
                            int64_t(reinterpret_cast<uintptr_t>(buffer.data()));
}

struct Reports {
  std::vector<std::string> what; // decision, and the name of the birth or the place of the load
  std::vector<uint32_t> out, in{1, 2, 3, 4};
};

inline std::string decisionName(Decision decision) {
  switch (decision) {
  case Decision::Branch: return "branch";
  case Decision::Address: return "address";
  case Decision::Store: return "store";
  case Decision::Atomic: return "atomic";
  case Decision::SimdOperand: return "lane";
  case Decision::Texel: return "texel";
  case Decision::None: break;
  }
  return "none";
}

inline Reports run(Kernel &k) {
  Reports reports;
  reports.out.assign(4, 77);
  k.bind(0, reports.out);
  k.bind(1, reports.in);
  EXPECT_TRUE(k.run());
  for (const Call &call : k.calls)
    if (call.name == "undefined")
      reports.what.push_back(
          decisionName(k.siteOf(call).decision) + " " +
          (ValueOrigin::isLoad(call.origin)
               ? (ValueOrigin::slot(call.origin) == ValueOrigin::kArena ? "tile " : "buffer ") +
                     std::to_string(ValueOrigin::offset(call.origin))
               : k.code().births.at(call.origin - 1).name));
  return reports;
}

inline Reports run(const std::string &body, TrackUndefined track = TrackUndefined::Local) {
  Kernel k = tracked(body, track);
  return run(k);
}

} // namespace assay::lowering::test
