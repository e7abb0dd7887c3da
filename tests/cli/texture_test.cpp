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
            "2 error: --texture 0: 'r32float[2,2]:1,2': 2 values are given, [2,2] needs 4 [bad-spec]\n");
  EXPECT_EQ(complaint(run + "--texture 128=zeros:r32float[1,1]"),
            "2 error: --texture 128=zeros:r32float[1,1]: index 128 is more than the largest, 127 "
            "[texture-index]\n");
  EXPECT_EQ(complaint(run + "--sampler 0=linaer"),
            "2 error: --sampler 0: 'linaer': 'linaer' is not an option of "
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
            "2 error: --texture 0: 'no.png' cannot be read as PNG: it is cut off [png]\n");
}

namespace {

constexpr const char *kLevels = R"(#include <metal_stdlib>
using namespace metal;
kernel void look(texture2d<float> t [[texture(0)]], texture2d<float, access::write> small [[texture(1)]],
                 sampler s [[sampler(0)]], device float *out [[buffer(0)]],
                 uint i [[thread_position_in_grid]]) {
  out[i] = i < 3 ? t.sample(s, float2(0.5f), level(i)).x
           : i < 5 ? t.read(uint2(0), i - 2).x
           : i < 7 ? float(t.get_width(i - 4) * 10 + t.get_height(i - 4)) : float(t.get_num_mip_levels());
  if (i == 0)
    small.write(float4(7), uint2(0), 1);
}
)";

} // namespace

TEST_F(RunTextures, HaveTheMipLevelsThatAreGiven) {
  write("look.metal", kLevels);
  const std::string run = "run look.metal --kernel look --grid 8 --threads 8 --buffer 0=poison:f32[8] "
                          "--sampler 0=linear,mip_filter::nearest ";
  const std::string written = "--texture '1=zeros:r32float[2,2];...=zeros' ";
  // Sampled in the middle, first texels and extents of levels 1 and 2, and the number of levels.
  const Outcome given = assay(run + written +
                              "--texture '0=r32float[4,2]:0,0,1,1,3,3,4,4;r32float[2,1]:20,30;"
                              "r32float[1,1]:100'");
  EXPECT_EQ(given.exitCode, 0) << given.err;
  EXPECT_THAT(given.out, testing::HasSubstr("\n          2 25 100 20 100 12 11 3\n"));
  // Means of the level before.
  EXPECT_THAT(assay(run + written + "--texture '0=r32float[4,2]:0,0,1,1,3,3,4,4;...=box'").out,
              testing::HasSubstr("\n          2 2 2 0.5 2 12 11 3\n"));
  EXPECT_THAT(
      assay(run + written + "--texture '0=r32float[4,2]:0,0,1,1,3,3,4,4;r32float[2,1]:20,30;...=box'").out,
      testing::HasSubstr("\n          2 25 25 20 25 12 11 3\n"));
  EXPECT_THAT(assay(run + written + "--texture '0=r32float[4,2]:0,0,1,1,3,3,4,4;...=box:2'").out,
              testing::HasSubstr("\n          2 2 2 0.5 0 12 "));
  // A chosen level as output.
  const std::string both =
      run + "--texture '0=r32float[1,1]:5' --texture '1=zeros:r32float[2,2];...=poison' ";
  const Outcome out = assay(both + "--texture-out 1@1=small.npy --texture-out 1=large.npy");
  EXPECT_EQ(out.exitCode, 0) << out.err;
  EXPECT_THAT(out.out, testing::AllOf(testing::HasSubstr("\ntexture 1 small r32float[2,2] digest "),
                                      testing::HasSubstr("\n          0 0 0 0\n"),
                                      testing::HasSubstr("\ntexture 1 small level 1 r32float[1,1] digest "),
                                      testing::HasSubstr("\n          7\n"),
                                      testing::HasSubstr("wrote     large.npy (texture 1)\n"
                                                         "wrote     small.npy (texture 1 level 1)\n")));
  EXPECT_THAT(parseNpy(read("small.npy"), "small.npy")->shape, testing::ElementsAre(1, 1));
  EXPECT_THAT(parseNpy(read("large.npy"), "large.npy")->shape, testing::ElementsAre(2, 2));
  const auto json = nlohmann::json::parse(assay(both + "--texture-out 1@1=small.npy --json").out);
  EXPECT_EQ(json.at("textures").at(0).at("smallerLevels").at(0).at("values"), nlohmann::json::array({7.0}));
  EXPECT_EQ(json.at("textureOutputs").at(0).at("level"), 1);
  // Writes to a level differ between two runs as any others would.
  const Outcome verified =
      assay("verify " + run.substr(4) +
            "--texture '0=zeros:r32float[4,4];...=box' --texture '1=zeros:r32float[2,2];...=poison' "
            "--schedules 2");
  EXPECT_THAT(verified.out, testing::HasSubstr("the same bits in every way")) << verified.err;
}

TEST_F(RunTextures, LevelsThatDoNotFitAreRefused) {
  write("look.metal", kLevels);
  const std::string run =
      "run look.metal --kernel look --grid 1 --threads 1 --buffer 0=poison:f32[1] --sampler "
      "0=linear --texture 1=zeros:r32float[2,2] ";
  EXPECT_EQ(
      complaint(run + "--texture '0=r32float[4,2]:0,0,1,1,3,3,4,4;r32float[2,2]:1,2,3,4'"),
      "2 error: --texture 0: 'r32float[2,2]:1,2,3,4' has 2 x 2 texels, level 1 of 4 x 2 texels has 2 x 1 "
      "[texture-shape]\n  each extent is half of that of the level before, at least 1\n");
  EXPECT_EQ(complaint(run + "--texture '0=zeros:r32float[2,2];zeros:r16float[1,1]'"),
            "2 error: --texture 0: 'zeros:r16float[1,1]', level 1, is r16float, level 0 is r32float "
            "[texture-format]\n  all levels have one format\n");
  EXPECT_EQ(
      complaint(run + "--texture '0=zeros:r32float[2,2];...=mean'"),
      "2 error: --texture 0: 'zeros:r32float[2,2];...=mean': ...=mean: the levels that are left out cannot "
      "be this [bad-spec]\n"
      "  ...=box is means of the level before, ...=zeros and ...=poison are what they say\n");
  EXPECT_EQ(complaint(run + "--texture '0=zeros:r32float[2,2];...=box;zeros:r32float[1,1]'"),
            "2 error: --texture 0: 'zeros:r32float[2,2];...=box;zeros:r32float[1,1]': 'zeros:r32float[1,1]' "
            "follows ...=box [bad-spec]\n  the levels that are left out come last\n");
  EXPECT_EQ(
      complaint(run + "--texture '0=zeros:r32float[2,2];zeros:r32float[1,1];...=box:1'"),
      "2 error: --texture 0: 'zeros:r32float[2,2];zeros:r32float[1,1];...=box:1': 2 levels are given, 1 are "
      "asked for [bad-spec]\n  the number counts all levels\n");
  EXPECT_EQ(
      complaint(run + "--texture '0=zeros:r32float[2,2];...=box:x'"),
      "2 error: --texture 0: 'zeros:r32float[2,2];...=box:x': 'x' is not a number of levels [bad-spec]\n"
      "  for example ...=box:4, four levels in all\n");
  EXPECT_EQ(
      complaint(run + "--texture '0=zeros:r32float[2,2];...=box:3'"),
      "2 error: --texture 0: 3 mip levels of a texture of type Type2D and 2 x 2 x 1 texels are not in 1..2 "
      "[texture-descriptor]\n");
  EXPECT_EQ(complaint(run + "--texture '0=zeros:r32float[2,2]' --texture-out 1@1=x.npy"),
            "2 error: --texture-out 1@1: level 1 of a texture that has 1 [texture-region]\n"
            "  ';...=zeros' at the end of its SPEC gives it all levels\n");
  EXPECT_EQ(complaint(run + "--texture '0=zeros:r32float[2,2]' --texture-out 1@x=x.npy"),
            "2 error: --texture-out 1@x=x.npy: 'x' is not a mip level [bad-option]\n"
            "  INDEX@LEVEL=FILE, for example 1@2=small.png\n");
  EXPECT_EQ(complaint(run + "--texture '0=zeros:r32float[2,2];...=zeros' --texture-out 0@5=x.npy"),
            "2 error: --texture-out 0@5: level 5 of a texture that has 2 [texture-region]\n");
  EXPECT_EQ(complaint("diff look.metal look.metal --kernel look --grid 1 --threads 1 --sampler 0=linear "
                      "--texture 0=zeros:r32float[1,1] --texture '1=zeros:r32float[2,2];...=zeros'"),
            "2 error: assay diff compares textures of one mip level, that of argument 'small' has 2 "
            "[unsupported]\n  --output NAME chooses what is compared\n");
  write("count.metal", R"(#include <metal_stdlib>
using namespace metal;
kernel void count(texture2d<uint> t [[texture(0)]], device uint *o [[buffer(0)]]) {
  o[0] = t.read(uint2(0), 1).x;
}
)");
  EXPECT_EQ(
      complaint("run count.metal --kernel count --grid 1 --threads 1 --buffer 0=zeros:u32[1] "
                "--texture '0=zeros:r32uint[2,2];...=box'"),
      "2 error: --texture 0: mipmaps of a texture of format R32Uint cannot be generated [texture-format]\n"
      "  integers and depths have no filtered levels in Metal\n");
}

TEST_F(RunTextures, LayersFacesAndDepthsArePictures) {
  write("turn.metal", R"(#include <metal_stdlib>
using namespace metal;
kernel void turn(texture2d_array<float> a [[texture(0)]], texturecube<float> c [[texture(1)]],
                 texture3d<float> v [[texture(2)]], texture2d_array<float, access::write> o [[texture(3)]],
                 texture3d<float, access::write> w [[texture(4)]], uint i [[thread_position_in_grid]]) {
  const float faces = c.read(uint2(0), i).x;
  o.write(a.read(uint2(0), i % 2) + faces, uint2(0), i % 2);
  w.write(v.read(uint3(0, 0, i % 3)), uint3(0, 0, 2 - i % 3));
}
)");
  const auto grey = [&](const std::string &name, uint8_t value, uint64_t width = 1) {
    writeArray("grey.npy", ScalarType::UChar, {1, width}, std::vector<uint8_t>(width, value));
    write("copy.metal",
          "#include <metal_stdlib>\nkernel void k(metal::texture2d<float> t [[texture(0)]]) {}\n");
    EXPECT_EQ(
        assay("run copy.metal --kernel k --grid 1 --threads 1 --texture 0=grey.npy --texture-out 0=" + name)
            .exitCode,
        0);
  };
  for (int i = 0; i < 6; ++i)
    grey("f" + std::to_string(i) + ".png", uint8_t(i));
  grey("a.png", 10);
  grey("b.png", 20);
  for (int i = 0; i < 3; ++i)
    grey("v-00" + std::to_string(i) + ".png", uint8_t(100 + i));
  const std::string out = "--texture 3=poison:r8unorm[2,1,1] --texture 4=poison:r8unorm[3,1,1] ",
                    run = "run turn.metal --kernel turn --grid 6 --threads 6 --schedule canonical ";
  const Outcome outcome = assay(run + out +
                                "--texture 0=a.png,b.png --texture 1=f#.png --texture 2=v-###.png "
                                "--texture-out 3=l.png,m.png --texture-out '4=w##.png'");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  // The last writer of a layer read face 4 or 5.
  EXPECT_THAT(outcome.out,
              testing::AllOf(testing::HasSubstr("\n          14 25\n"),
                             testing::HasSubstr("\n          102 101 100\n"),
                             testing::HasSubstr("wrote     l.png, m.png (texture 3)\n"
                                                "wrote     w00.png, w01.png, w02.png (texture 4)\n")));
  EXPECT_EQ(read("w00.png"), read("v-002.png"));
  EXPECT_EQ(read("w02.png"), read("v-000.png"));
  const std::string rest = "--texture 2=v-###.png ";
  EXPECT_EQ(
      complaint(run + out + rest + "--texture 0=a.png,b.png --texture 1=a.png,b.png"),
      "2 error: --texture 1: 'a.png,b.png' is 2 pictures, argument 'c' of type texturecube<float> needs "
      "6 faces: +x, -x, +y, -y, +z, -z [texture-shape]\n");
  grey("wide.png", 1, 2);
  EXPECT_EQ(
      complaint(run + out + rest + "--texture 1=f#.png --texture 0=a.png,wide.png"),
      "2 error: --texture 0: 'wide.png' has 2 x 1 texels of 1 x 8 bits, 'a.png' has 1 x 1 texels of 1 x 8 "
      "bits [texture-shape]\n  the pictures of one level are alike\n");
  EXPECT_EQ(complaint(run + out + rest + "--texture 1=f#.png --texture 0=a.png,b.png --texture-out 3=x.png"),
            "2 error: --texture-out 3: 1 PNG file is named for 2 pictures [bad-option]\n"
            "  '#' in the name of one file is the number of the layer, the face or the depth\n");
  EXPECT_EQ(complaint(run + "--texture 0=none#.png"),
            "2 error: --texture 0: cannot read 'none0.png': No such file or directory [no-such-file]\n");
  EXPECT_EQ(
      complaint("run mix.metal --kernel mix --grid 1 --threads 1 --texture 0=a.png,b.png"),
      "2 error: --texture 0: 'a.png,b.png' is 2 pictures, argument 'a' of type texture2d<float> needs 1 "
      "picture [texture-shape]\n");
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
            wrong + "max_anisotropy=17': max_anisotropy 17 is not a whole number in 1..16 [bad-spec]\n");
  EXPECT_EQ(complaint(run + "lod_mn_clamp=1"),
            wrong +
                "lod_mn_clamp=1': 'lod_mn_clamp' is not an option of a sampler that has a number [bad-spec]\n"
                "  did you mean 'lod_min_clamp'?\n");
  EXPECT_EQ(complaint(run + "lod_min_clamp=x"),
            wrong + "lod_min_clamp=x': 'x' is not a number [bad-spec]\n  for example lod_min_clamp=2\n");
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
