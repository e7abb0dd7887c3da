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
  EXPECT_EQ(
      complaint(run + "--buffer 3=zeros:u8[31]"),
      "2 error: --texture a.out: it lies at byte 24 of buffer 3, which has 31 bytes [buffer-too-small]\n");
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

} // namespace assay::cli_test
