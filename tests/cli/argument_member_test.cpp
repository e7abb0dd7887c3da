// assay run: textures and samplers of an argument buffer, named as ARGUMENT.MEMBER.
#include "program.h"

namespace assay::cli_test {
namespace {

constexpr const char *kSource = R"(#include <metal_stdlib>
using namespace metal;
struct Images { array<texture2d<float>, 2> in; sampler by; texture2d<float, access::write> out; uint n; };
kernel void sum(constant Images &a [[buffer(3)]], uint2 g [[thread_position_in_grid]]) {
  a.out.write(a.in[0].read(g) + a.in[1].sample(a.by, float2(g)), g);
}
)";

class ArgumentMembers : public Program {
protected:
  ArgumentMembers() { write("sum.metal", kSource); }
  static constexpr const char *kRun =
      "run sum.metal --kernel sum --grid 2,1 --threads 2,1 --buffer 3=zeros:u8[40] ";
  std::string complaint(const std::string &command) {
    const Outcome outcome = assay(command);
    return std::to_string(outcome.exitCode) + " " + outcome.err;
  }
};

} // namespace

TEST_F(ArgumentMembers, AreBoundByTheNamesInTheSource) {
  const std::string command = std::string(kRun) +
                              "--texture 'a.in[0]=r32float[1,2]:1,2' --texture 'a.in[1]=r32float[1,2]:10,30' "
                              "--sampler a.by=pixel,linear --texture a.out=poison:r32float[1,2] ";
  // A pixel's own coordinate lies half a pixel before its centre: the edge, then the mean of the two.
  const Outcome outcome = assay(command + "--texture-out a.out=out.npy");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::AllOf(testing::HasSubstr("texture a.out r32float[1,2] digest "),
                                          testing::HasSubstr("\n          11 22\n"),
                                          testing::HasSubstr("wrote     out.npy (texture a.out)\n")));
  const auto json = nlohmann::json::parse(assay(command + "--json").out);
  ASSERT_EQ(json.at("textures").size(), 1u);
  EXPECT_EQ(json.at("textures").at(0).at("name"), "a.out");
  EXPECT_EQ(json.at("textures").at(0).at("values"), nlohmann::json::array({11.0, 22.0}));
}

TEST_F(ArgumentMembers, ThatAreNotThereAreNamedWithThoseThatAre) {
  for (const char *wrong : {"a.on", "b.in[0]", "a.in[2]", "a.in[-1]", "a.in[", "a.by", "a.n"})
    EXPECT_EQ(complaint(std::string(kRun) + "--texture '" + wrong + "=r32float[1,2]:1,2'"),
              std::string("2 error: --texture ") + wrong +
                  ": kernel 'sum' has no such texture in an argument buffer [unknown-member]\n"
                  "  it has a.in[0..1], a.out\n");
  EXPECT_EQ(
      complaint(std::string(kRun) + "--sampler a.in=linear"),
      "2 error: --sampler a.in: kernel 'sum' has no such sampler in an argument buffer [unknown-member]\n"
      "  it has a.by\n");
  EXPECT_EQ(complaint(std::string(kRun) + "--texture-out a.out=x.npy"),
            "2 error: --texture-out a.out=x.npy: no --texture is bound at a.out [missing-binding]\n");
}

TEST_F(ArgumentMembers, NeedABufferWithRoomForThem) {
  const std::string run =
      "run sum.metal --kernel sum --grid 1 --threads 1 --texture a.out=zeros:r32float[1,1] ";
  EXPECT_EQ(complaint(run),
            "2 error: --texture a.out: no --buffer is bound at index 3, where argument 'a' is "
            "[missing-binding]\n  --buffer 3=zeros:u8[40] is room for it\n");
  EXPECT_EQ(complaint(run + "--buffer 3=zeros:u8[31]"),
            "2 error: 31 bytes are bound at buffer index 3, constant Images &a refers to 40 bytes "
            "[buffer-too-small]\n");
}

TEST_F(ArgumentMembers, AreInEachOfTheStructsThatAPointerLeadsTo) {
  write("many.metal", R"(#include <metal_stdlib>
using namespace metal;
struct Material { texture2d<float> color; sampler by; float gain; };
kernel void shade(device Material *m [[buffer(0)]], device float *out [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
  out[i] = is_null_texture(m[i].color) ? -1 : m[i].gain * m[i].color.sample(m[i].by, float2(1)).x;
}
)");
  const std::string run = "run many.metal --kernel shade --grid 3 --threads 3 --buffer 1=poison:f32[3] "
                          "--struct '0=Material:gain=1;gain=2;gain=3' --sampler m.by=pixel "
                          "--sampler 'm[2].by=pixel,linear' --texture 'm[0].color=r32float[1,2]:10,30' ";
  EXPECT_THAT(assay(run + "--texture 'm[1].color=null' --texture 'm[2].color=r32float[1,2]:10,30'").out,
              testing::HasSubstr("\n          30 -1 60\n"));
  EXPECT_EQ(complaint(run + "--texture 'm[3].color=null'"),
            "2 error: --texture m[3].color: it lies at byte 72 of buffer 0, which has 72 bytes "
            "[buffer-too-small]\n");
  EXPECT_EQ(complaint(run + "--texture 'm[-1].color=null'"),
            "2 error: --texture m[-1].color: kernel 'shade' has no such texture in an argument buffer "
            "[unknown-member]\n  it has m[..].color\n");
  EXPECT_THAT(complaint(std::string(kRun) + "--texture 'a[1].out=r32float[1,2]:1,2'"),
              testing::HasSubstr("it has a.in[0..1], a.out\n")); // a reference leads to one
}

namespace {

// Two structs that pointers lead to, one from the other.
constexpr const char *kScene = R"(#include <metal_stdlib>
using namespace metal;
struct Mesh { device float *data; uint count; };
struct Material { float gain; texture2d<float> photo; sampler by; constant Mesh *mesh; };
struct Scene { uint n; device Material *materials; constant Mesh *meshes[2]; };
kernel void draw(constant Scene &a [[buffer(0)]], device float *out [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  device const Material &m = a.materials[i];
  out[i] = m.gain * m.photo.sample(m.by, float2(0.5f)).x + m.mesh[1].data[i] +
           a.meshes[1]->data[m.mesh->count];
}
)";

class ThroughPointers : public Program {
protected:
  ThroughPointers() { write("scene.metal", kScene); }
  static constexpr const char *kRun =
      "run scene.metal --kernel draw --grid 2 --threads 2 --buffer 1=poison:f32[2] ";
  static constexpr const char *kStructs =
      "--struct 0=Scene:n=2,...=0 --struct 'a.materials=Material:gain=2,...=0;gain=3,...=0' "
      "--struct 'a.materials[0].mesh=Mesh:count=1,...=0;count=9,...=0' "
      "--struct 'a.materials[1].mesh=Mesh:count=0,...=0;...=0' --struct 'a.meshes[1]=Mesh:...=0' ";
  static constexpr const char *kBuffers =
      "--buffer 'a.materials->mesh[1].data=f32:100,200' --buffer 'a.materials[1].mesh[1].data=f32:300,400' "
      "--buffer 'a.meshes[1]->data=f32:1000,2000' ";
  static constexpr const char *kTextures =
      "--texture 'a.materials->photo=r32float[1,2]:0,1' --texture 'a.materials[1].photo=r32float[1,1]:10' "
      "--sampler 'a.materials[0].by=linear' --sampler a.materials[1].by=nearest ";
};

} // namespace

TEST_F(ThroughPointers, AreBoundAsTheSourceReachesThem) {
  const Outcome outcome = assay(std::string(kRun) + kStructs + kBuffers + kTextures);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("\n          2101 1430\n"));
  // The same buffers by addresses.
  const Outcome named =
      assay(std::string(kRun) +
            "--struct '0=Scene:n=2,materials=addr:mats,meshes=0,addr:last' --buffer 'last=addr:d;u32:0,0' "
            "--struct 'mats=Material:gain=2,mesh=addr:m0;gain=3,mesh=addr:m1' "
            "--struct 'm0=Mesh:data=0,count=1;data=addr:x,count=9' --struct "
            "'m1=Mesh:data=0,count=0;data=addr:y,count=0' "
            "--buffer x=f32:100,200 --buffer y=f32:300,400 --buffer d=f32:1000,2000 " +
            kTextures);
  EXPECT_EQ(named.exitCode, 0) << named.err;
  EXPECT_THAT(named.out, testing::HasSubstr("\n          2101 1430\n"));
}

TEST_F(ThroughPointers, AreWrittenToFilesByTheirNames) {
  const Outcome outcome = assay(std::string(kRun) + kStructs + kBuffers + kTextures +
                                "--out 'a.meshes[1]->data=d.npy' --texture-out 'a.materials[1].photo=p.npy'");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("wrote     d.npy (buffer a.meshes[1]->data)\n"
                                              "wrote     p.npy (texture a.materials[1].photo)\n"));
  const Outcome verified =
      assay("verify " + std::string(kRun).substr(4) + kStructs + kBuffers + kTextures + "--schedules 2");
  EXPECT_THAT(verified.out, testing::HasSubstr("the same bits in every way")) << verified.err;
}

TEST_F(ThroughPointers, WhatIsWrongIsNamed) {
  const std::string run = std::string(kRun) + kStructs + kBuffers;
  EXPECT_EQ(complaint(run + "--texture 'a.materials->photos=r32float[1,1]:1'"),
            "2 error: --texture a.materials->photos: kernel 'draw' has no such texture in an argument buffer "
            "[unknown-member]\n  it has a.materials[..].photo\n");
  EXPECT_EQ(
      complaint(run + "--sampler 'a.materials[2].by=linear'"),
      "2 error: --sampler a.materials[2].by: it lies at byte 80 of buffer 'a.materials', which has 64 bytes "
      "[buffer-too-small]\n");
  EXPECT_EQ(complaint(run + "--buffer 'a.meshes[0]->data=f32:1'"),
            "2 error: --buffer a.meshes[0]->data: 'a.meshes[0]' is a null pointer [missing-binding]\n"
            "  --buffer 'a.meshes[0]=SPEC' or --struct 'a.meshes[0]=TYPE:..' is what it points to\n");
  EXPECT_EQ(
      complaint(run + "--buffer a.mesh=f32:1"),
      "2 error: --buffer a.mesh: kernel 'draw' has no such pointer in an argument buffer [unknown-member]\n"
      "  it has a.materials, a.meshes[0..1], a.materials[..].mesh, a.materials[..].mesh[..].data, "
      "a.meshes[0..1][..].data\n");
  EXPECT_EQ(complaint(std::string(kRun) + "--struct 0=Scene:...=0 --struct a.materials=Materials:gain=1"),
            "2 error: --struct a.materials: no argument leads to a struct Materials [struct]\n"
            "  did you mean 'Material'?\n");
}

TEST_F(ThroughPointers, AreShownByCheck) {
  EXPECT_THAT(assay("check scene.metal").out,
              testing::AllOf(testing::ContainsRegex("materials->photo +texture2d<float> +byte 8\n"),
                             testing::ContainsRegex("materials->mesh->data +address +byte 0\n")));
}

} // namespace assay::cli_test
