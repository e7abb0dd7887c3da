// assay run with textures and samplers, and what their text forms mean.
#include "program.h"
#include "support/files/hash.h"
#include "support/files/npy.h"

namespace assay::cli_test {
namespace {

constexpr const char *kMix = R"(#include <metal_stdlib>
using namespace metal;
kernel void mix(texture2d<float> a [[texture(0)]], texture2d_array<uint, access::read> b [[texture(1)]],
                texture2d<float, access::write> out [[texture(2)]], sampler s [[sampler(0)]],
                uint2 g [[thread_position_in_grid]]) {
  out.write(a.sample(s, float2(g) + 1.0f) + float4(b.read(g, 1)), g);
}
)";

class RunTextures : public Program {
protected:
  RunTextures() { write("mix.metal", kMix); }
  static constexpr const char *kRun =
      "run mix.metal --kernel mix --grid 2,2 --threads 2,2 --schedule canonical "
      "--texture 0=a.npy --texture '1=r8uint[2,2,2]:0,0,0,0,10,20,30,40' "
      "--sampler 0=pixel,linear,clamp_to_zero ";
  void writeArray(const std::string &name, ScalarType type, std::vector<uint64_t> shape, const auto &values) {
    write(name, npyBytes(type, shape,
                         {reinterpret_cast<const char *>(values.data()), values.size() * sizeof values[0]}));
  }
};

} // namespace

TEST_F(RunTextures, ReadsArraysSamplesAndWritesAnArray) {
  writeArray("a.npy", ScalarType::Float, {2, 2, 2}, std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}); // rg32float
  const Outcome outcome =
      assay(std::string(kRun) + "--texture '2=poison:rg16float[2,2]' --texture-out 2=out.npy");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  const Result<NpyArray> array = parseNpy(read("out.npy"), "out.npy");
  ASSERT_TRUE(array) << outcome.out;
  EXPECT_EQ(array->type, ScalarType::Half);
  EXPECT_THAT(array->shape, testing::ElementsAre(2, 2, 2));
  // Pixel (1,1) is the corner between all four texels: their mean, 4 and 5. (2,1): half of it is outside.
  // Means of red: 4; 3,7 and zeros; 5,7 and zeros; 7 and zeros. Green of b is 0.
  EXPECT_THAT(outcome.out,
              testing::HasSubstr("texture 2 out rg16float[2,2,2] digest " + hashBytes(array->data) +
                                 "\n          14 5 22.5 3 33 3.5 41.75 2\nwrote     out.npy (texture 2)\n"));
}

TEST_F(RunTextures, SaysTheSameAsJson) {
  writeArray("a.npy", ScalarType::Float, {2, 2}, std::vector<float>{1, 2, 3, 4});
  const Outcome outcome = assay(std::string(kRun) + "--texture '2=zeros:r32float[2,2]' --json");
  const auto json = nlohmann::json::parse(outcome.out);
  const auto &texture = json.at("textures").at(0);
  EXPECT_EQ(texture.at("index"), 2);
  EXPECT_EQ(texture.at("name"), "out");
  EXPECT_EQ(texture.at("format"), "r32float");
  EXPECT_EQ(texture.at("shape"), nlohmann::json::array({2, 2}));
  EXPECT_EQ(texture.at("values"), nlohmann::json::array({12.5, 21.5, 31.75, 41.0}));
}

TEST_F(RunTextures, AnArrayWithoutAFormatIsWhatTheKernelReads) {
  writeArray("a.npy", ScalarType::UChar, {2, 2}, std::vector<uint8_t>{255, 255, 255, 255}); // r8unorm
  EXPECT_THAT(assay(std::string(kRun) + "--texture '2=zeros:r32float[2,2]'").out,
              testing::HasSubstr("11 20.5 30.5 40.25"));
  EXPECT_THAT(assay("run mix.metal --kernel mix --grid 2,2 --threads 2,2 --texture 0=a.npy --texture 1=a.npy "
                    "--texture '2=zeros:r32float[2,2]' --sampler 0=pixel")
                  .err,
              testing::HasSubstr(
                  "--texture 1: 'a.npy' has shape [2,2], argument 'b' of type texture2d_array<uint, "
                  "access::read> needs [layers,height,width] and channels (1 of r8uint) [texture-shape]"));
}

TEST_F(RunTextures, WhatIsWrongHasOneMessage) {
  const std::string run = "run mix.metal --kernel mix --grid 1 --threads 1 ";
  EXPECT_EQ(complaint(run + "--texture 0=zeros:rgba8unrom[2,2]"),
            "2 error: --texture 0: 'zeros:rgba8unrom[2,2]': no pixel format 'rgba8unrom' [pixel-format]\n"
            "  did you mean 'rgba8unorm'?\n");
  EXPECT_EQ(complaint(run + "--texture 0=zeros:rgba8unorm"),
            "2 error: --texture 0: 'zeros:rgba8unorm': the shape is missing [bad-spec]\n"
            "  for example zeros:rgba8unorm[480,640]: height, then width\n");
  EXPECT_EQ(complaint(run + "--texture '0=r32float[2,2]:1,2,3'"),
            "2 error: --texture 0: 'r32float[2,2]:1,2,3': 3 values are given, [2,2] needs 4 [bad-spec]\n");
  EXPECT_EQ(complaint(run + "--texture '0=r32float[2,2]:1,2;f16:3,4'"),
            "2 error: --texture 0: 'r32float[2,2]:1,2;f16:3,4': the values are of several types [bad-spec]\n"
            "  a texture has one: r32float[2,2]:1,2,3,4\n");
  EXPECT_EQ(complaint(run + "--texture 128=zeros:r32float[1,1]"),
            "2 error: --texture 128=zeros:r32float[1,1]: index 128 is more than the largest, 127 "
            "[texture-index]\n");
  EXPECT_EQ(complaint(run + "--sampler 0=linaer"), "2 error: --sampler 0: 'linaer': 'linaer' is no option of "
                                                   "a sampler [bad-spec]\n  did you mean 'linear'?\n");
  EXPECT_EQ(
      complaint(run + "--sampler 0=pixel,repeat"),
      "2 error: --sampler 0: coordinates in pixels cannot repeat, only be clamped [sampler-descriptor]\n");
  EXPECT_EQ(complaint(run + "--texture-out 2=x.npy"),
            "2 error: --texture-out 2=x.npy: no --texture is bound at index 2 [missing-binding]\n");
  EXPECT_EQ(complaint(run + "--texture 9=zeros:r32float[1,1]"),
            "2 error: a texture is bound at index 9, kernel 'mix' has no argument there [surplus-binding]\n");
}

TEST_F(RunTextures, CheckShowsTypesAndAccess) {
  EXPECT_THAT(assay("check mix.metal").out,
              testing::HasSubstr("    texture 0  a    texture2d<float>                     sample\n"
                                 "    texture 1  b    texture2d_array<uint, access::read>  read\n"
                                 "    texture 2  out  texture2d<float, access::write>      write\n"
                                 "    sampler 0  s    sampler\n"));
  const auto json = nlohmann::json::parse(assay("check mix.metal --json").out);
  const auto &b = json.at("entryPoints").at(0).at("arguments").at(1);
  EXPECT_EQ(b.at("kind"), "texture");
  EXPECT_EQ(b.at("textureType"), "Type2DArray");
  EXPECT_EQ(b.at("element"), "uint");
  EXPECT_EQ(b.at("access"), "read");
  EXPECT_EQ(b.at("count"), 1);
}

} // namespace assay::cli_test
