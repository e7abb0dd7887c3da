// What is found by a number.
#include "metal/classes/resource_finder.h"

#include <gtest/gtest.h>

namespace assay::metal {
namespace {

const Device kDevice = Device::systemDefault();

} // namespace

TEST(ResourceFinder, FindsTheBufferThatHasAnAddress) {
  ResourceFinder finder;
  const Buffer buffer = kDevice.newBuffer(100);
  EXPECT_FALSE(finder.bufferAt(buffer.gpuAddress()));
  finder.enter(buffer);
  for (const size_t offset : {size_t(0), size_t(99), size_t(100)}) {
    const auto found = finder.bufferAt(buffer.gpuAddress() + offset);
    ASSERT_TRUE(found) << offset;
    EXPECT_EQ(found->first.gpuAddress(), buffer.gpuAddress());
    EXPECT_EQ(found->second, offset);
  }
  EXPECT_FALSE(finder.bufferAt(buffer.gpuAddress() + 101));
  EXPECT_FALSE(finder.bufferAt(buffer.gpuAddress() - 1));
  finder.leave(buffer);
  EXPECT_FALSE(finder.bufferAt(buffer.gpuAddress()));
}

// As in a heap: one piece of memory, in several buffers.
TEST(ResourceFinder, OfBuffersThatOverlapTheOneWithTheMostLeftIsFound) {
  ResourceFinder finder;
  std::vector<std::byte> memory(100);
  const Buffer all = kDevice.newBufferWithBytesNoCopy(memory.data(), 100),
               begin = kDevice.newBufferWithBytesNoCopy(memory.data(), 40),
               middle = kDevice.newBufferWithBytesNoCopy(memory.data() + 20, 30);
  for (const Buffer &buffer : {begin, all, middle})
    finder.enter(buffer);
  EXPECT_EQ(finder.bufferAt(all.gpuAddress() + 25)->first.length(), 100u);
  EXPECT_EQ(finder.bufferAt(all.gpuAddress() + 25)->second, 25u);
  finder.leave(all);
  EXPECT_EQ(finder.bufferAt(all.gpuAddress() + 25)->first.length(), 30u);
  EXPECT_EQ(finder.bufferAt(all.gpuAddress() + 10)->first.length(), 40u);
}

TEST(ResourceFinder, FindsTexturesTensorsAndSamplersByTheirNumbers) {
  ResourceFinder finder;
  const Texture texture =
      *kDevice.newTexture(TextureDescriptor::texture2DDescriptor(PixelFormat::R32Float, 2, 2, false));
  const Tensor tensor = *kDevice.newTensor({ScalarType::Int, {3}});
  const SamplerState sampler = *kDevice.newSamplerState({});
  EXPECT_FALSE(finder.texture(texture.gpuResourceID()));
  EXPECT_FALSE(finder.tensor(tensor.gpuResourceID()));
  EXPECT_FALSE(finder.sampler(sampler.gpuResourceID()));
  finder.enter(texture);
  finder.enter(tensor);
  finder.enter(sampler);
  EXPECT_EQ(finder.texture(texture.gpuResourceID())->gpuResourceID(), texture.gpuResourceID());
  EXPECT_EQ(finder.tensor(tensor.gpuResourceID())->gpuResourceID(), tensor.gpuResourceID());
  EXPECT_EQ(finder.sampler(sampler.gpuResourceID())->gpuResourceID(), sampler.gpuResourceID());
  finder.leave(texture);
  finder.leave(tensor);
  EXPECT_FALSE(finder.texture(texture.gpuResourceID()));
  EXPECT_FALSE(finder.tensor(tensor.gpuResourceID()));
}

} // namespace assay::metal
