// A mistake in a kernel's signature stands before the errors of bodies that come from it.
#include "compiled_messages.h"

#include <gmock/gmock.h>

using namespace assay;
using namespace assay::frontend;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

TEST(KernelSignatures, APointerWithoutASpaceStandsBeforeTheErrorsOfTheBody) {
  const std::string text = messagesOf("kernel void k(float *x [[buffer(0)]],\n"
                                      "              device float *o) {\n"
                                      "  const device float *row = x + 1;\n"
                                      "  o[0] = row[0];\n"
                                      "}\n");
  EXPECT_THAT(text,
              StartsWith("k.metal:3:22: error: pointer 'x' of a kernel has no address space: write device, "
                         "constant or threadgroup"));
  EXPECT_THAT(text, HasSubstr("k.metal:5:23: error: cannot initialize"));
}

TEST(KernelSignatures, AnErrorOfAnEarlierPlaceStaysBeforeIt) {
  const std::string text =
      messagesOf("inline float f() { return nothing; }\n"
                 "kernel void k(const float &x, device float *o) { o[0] = x + missing; }\n");
  EXPECT_THAT(text, StartsWith("k.metal:3:27: error: use of undeclared identifier 'nothing'"));
  EXPECT_LT(text.find("reference 'x' of a kernel has no address space"), text.find("'missing'"));
}

TEST(KernelSignatures, OtherParametersAndOtherFunctionsAreNotNamed) {
  EXPECT_THAT(messagesOf("template <typename T> float f(T *p) { return *p; }\n"
                         "kernel void k(device float *o, constant int &n, threadgroup float *t,\n"
                         "              uint i [[thread_position_in_grid]]) { o[i] = missing; }\n"),
              Not(HasSubstr("address space")));
}

} // namespace
