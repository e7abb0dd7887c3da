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

TEST_F(RunTextures, NullIsNoTextureAndNoBuffer) {
  write("optional.metal", R"(#include <metal_stdlib>
using namespace metal;
kernel void tint(texture2d<float> t [[texture(0)]], texture2d<float, access::write> trace [[texture(1)]],
                 device float *out [[buffer(0)]], device float *bias [[buffer(1)]],
                 constant float &gain [[buffer(2)]], uint i [[thread_position_in_grid]]) {
  out[i] = gain * (is_null_texture(t) ? -1 : t.read(uint2(i, 0)).x) + (bias ? bias[i] : 0);
  if (!is_null_texture(trace))
    trace.write(out[i], uint2(i, 0));
}
)");
  const std::string call = " --kernel tint --grid 2 --threads 2 --buffer 0=poison:f32[2] --buffer 2=f32:3 ";
  const std::string nulls = "--texture 0=null --texture 1=null --buffer 1=null ",
                    run = "run optional.metal" + call;
  const Outcome outcome = assay(run + nulls);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::EndsWith("\n          -3 -3\n"));
  EXPECT_THAT(outcome.out, testing::Not(testing::HasSubstr("trace"))); // what is null is not reported
  EXPECT_THAT(assay(run + "--texture 0=r32float[1,2]:1,2 --texture 1=null --buffer 1=f32:10,20").out,
              testing::HasSubstr("\n          13 26\n"));
  EXPECT_EQ(assay(run + nulls + "--check").exitCode, 0);
  EXPECT_THAT(assay("verify optional.metal" + call + nulls).out,
              testing::HasSubstr("no findings, and the same bits in every way"));
  EXPECT_THAT(assay("diff optional.metal optional.metal" + call + nulls + "--trace").out,
              testing::HasSubstr("output    out f32[2]: 2 elements, 2 with equal bits, 0 different\n"));
  EXPECT_EQ(complaint("run optional.metal --kernel tint --grid 2 --threads 2 --buffer 0=poison:f32[2] "
                      "--buffer 2=null " +
                      nulls),
            "2 error: kernel 'tint' needs a buffer at index 2 (constant float &gain), null is bound "
            "[missing-binding]\n  a pointer may be null, a reference may not\n");
  EXPECT_EQ(complaint(run + nulls + "--buffer 3=null"),
            "2 error: null is bound at buffer index 3, kernel 'tint' has no argument there "
            "[surplus-binding]\n");
  EXPECT_EQ(complaint(run + nulls + "--buffer x=null"),
            "2 error: --buffer x: a NAME is for an address, and null has none [bad-spec]\n"
            "  a null address is u64:0 in a SPEC and 0 in --struct\n");
  EXPECT_EQ(complaint(run + nulls + "--out 1=x.npy"),
            "2 error: --out 1=x.npy: buffer 1 is null [bad-option]\n");
  EXPECT_EQ(complaint(run + nulls + "--texture-out 1=x.npy"),
            "2 error: --texture-out 1=x.npy: the texture is null [bad-option]\n");
}

TEST_F(RunTextures, PicturesGoInAndOut) {
  write("invert.metal", R"(#include <metal_stdlib>
using namespace metal;
kernel void invert(texture2d<float, access::read> in [[texture(0)]],
                   texture2d<float, access::write> out [[texture(1)]], uint2 g [[thread_position_in_grid]]) {
  const float4 c = in.read(g);
  out.write(float4(1 - c.rgb, c.a), g);
}
)");
  const std::string run = "run invert.metal --kernel invert --grid 2,1 --threads 2,1 ";
  writeArray("in.npy", ScalarType::UChar, {1, 2, 4}, std::vector<uint8_t>{0, 10, 20, 30, 40, 50, 60, 70});
  EXPECT_THAT(assay(run + "--texture 0=in.npy --texture 1=poison:bgra8unorm[1,2] --texture-out 0=in.png "
                          "--texture-out 1=out.png")
                  .out,
              testing::HasSubstr("235 245 255 30 195 205 215 70\nwrote     in.png (texture 0)\n"
                                 "wrote     out.png (texture 1)\n"));
  EXPECT_THAT(assay(run + "--texture 0=in.png --texture 1=poison:rgba8unorm[1,2]").out,
              testing::HasSubstr("\n          255 245 235 30 215 205 195 70\n"));
  const Outcome floats = assay(run + "--texture 0=out.png:rgba32float --texture 1=poison:rgba32float[1,2] "
                                     "--texture-out 1=again.png");
  EXPECT_THAT(floats.out,
              testing::HasSubstr("wrote     again.png (texture 1, rgba32float limited to 0..1 and "
                                 "rounded to 8 bits)\n"));
  EXPECT_EQ(read("again.png"), read("in.png"));
  EXPECT_EQ(complaint(run + "--texture 0=in.png:r8unorm --texture 1=poison:r8unorm[1,2]"),
            "2 error: --texture 0: 'in.png:r8unorm': a picture of red, green, blue and alpha in 8 bits does "
            "not fit R8Unorm [pixel-format]\n"
            "  formats with as many channels and bits, floats, or no format at all\n");
  EXPECT_EQ(complaint(run + "--texture 0=in.png --texture 1=poison:r32uint[1,2] --texture-out 1=x.png"),
            "2 error: --texture-out 1: a PNG file has no numbers as those of R32Uint [pixel-format]\n"
            "  write FILE.npy\n");
  EXPECT_EQ(complaint(run + "--texture 0=in.png --texture 1=poison:r8unorm[1,2] --texture-out 1=x.jpg"),
            "2 error: --texture-out 1=x.jpg: it should be INDEX=FILE.npy or INDEX=FILE.png [bad-option]\n");
  write("no.png", "no");
  EXPECT_EQ(complaint(run + "--texture 0=no.png"),
            "2 error: --texture 0: 'no.png' cannot be read as PNG: it is cut off [unreadable-file]\n");
}

TEST_F(RunTextures, ASamplerHasNumbersToo) {
  write("lod.metal", R"(#include <metal_stdlib>
using namespace metal;
kernel void lod(texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], device float *o [[buffer(0)]]) {
  o[0] = t.sample(s, float2(0.5f)).x;
}
)");
  const std::string run = "run lod.metal --kernel lod --grid 1 --threads 1 --buffer 0=poison:f32[1] "
                          "--texture 0=r32float[1,2]:0,1 --sampler 0=mag_filter::linear,";
  // From a level of detail above 0 on, the other filter chooses.
  EXPECT_THAT(assay(run + "max_anisotropy=4").out, testing::EndsWith("\n          0.5\n"));
  EXPECT_THAT(assay(run + "lod_min_clamp=0.5,lod_max_clamp=2").out, testing::EndsWith("\n          1\n"));
  const std::string wrong = "2 error: --sampler 0: 'mag_filter::linear,";
  EXPECT_EQ(complaint(run + "max_anisotropy=17"),
            wrong + "max_anisotropy=17': max_anisotropy 17 is no whole number in 1..16 [bad-spec]\n");
  EXPECT_EQ(complaint(run + "lod_mn_clamp=1"),
            wrong + "lod_mn_clamp=1': 'lod_mn_clamp' is no option of a sampler that has a number [bad-spec]\n"
                    "  did you mean 'lod_min_clamp'?\n");
  EXPECT_EQ(complaint(run + "lod_min_clamp=x"),
            wrong + "lod_min_clamp=x': 'x' is no number [bad-spec]\n  for example lod_min_clamp=2\n");
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
