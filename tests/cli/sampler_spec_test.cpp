// The words of --sampler against the numbers of the host's descriptor.
#include "cli/sampler_spec.h"

#include <gmock/gmock.h>

namespace assay::cli {
namespace {

SamplerState made(const SamplerDescriptor &descriptor) {
  return *Device().newSamplerState(descriptor);
}

TEST(SamplerSpec, SaysWhatADescriptorSays) {
  SamplerDescriptor d;
  EXPECT_EQ(parseSampler(Device(), "")->gpuResourceID(), made(d).gpuResourceID());
  d.minFilter = d.magFilter = SamplerMinMagFilter::Linear;
  d.mipFilter = SamplerMipFilter::Linear;
  d.sAddressMode = d.rAddressMode = SamplerAddressMode::Repeat;
  d.tAddressMode = SamplerAddressMode::ClampToZero;
  d.lodMinClamp = 0.5f;
  d.lodMaxClamp = 3;
  d.maxAnisotropy = 4;
  EXPECT_EQ(parseSampler(Device(), "linear,mip_filter::linear,repeat,t_address::clamp_to_zero,"
                                   "lod_min_clamp=0.5,lod_max_clamp=3,max_anisotropy=4")
                ->gpuResourceID(),
            made(d).gpuResourceID());
}

TEST(SamplerSpec, NamesTheNearestWord) {
  const Result<SamplerState> wrong = parseSampler(Device(), "mip_filter::linaer");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().rule(), "bad-spec");
  EXPECT_EQ(wrong.error().message(),
            "'mip_filter::linaer': 'mip_filter::linaer' is not an option of a sampler");
  EXPECT_EQ(wrong.error().diagnostics.front().hint, "did you mean 'linear'?");
}

} // namespace
} // namespace assay::cli
