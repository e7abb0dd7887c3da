// assay run --struct: what the kernel reads is what the text says, whatever the layout.
#include "program.h"

#include <cstring>

namespace assay::cli_test {
namespace {

// The kernel copies every field to a place that the test knows.
constexpr const char *kSource = R"(#include <metal_stdlib>
using namespace metal;
struct Head { half scale; packed_short3 at; };
struct Params {
  char tag;
  long strides[3];
  float3 centre;
  bool causal;
  Head heads[2];
  half2x3 turn;
  bfloat slope;
};
kernel void copy(constant Params &p [[buffer(4)]], device float *o [[buffer(0)]],
                 device const uint &n [[buffer(1)]]) {
  o[0] = p.tag;
  for (int i = 0; i < 3; ++i) {
    o[1 + i] = p.strides[i];
    o[4 + i] = p.centre[i];
    for (int h = 0; h < 2; ++h) {
      o[10 + 3 * h + i] = p.heads[h].at[i];
      o[16 + 3 * h + i] = p.turn[h][i];
    }
  }
  o[7] = p.causal;
  o[8] = p.heads[0].scale;
  o[9] = p.heads[1].scale;
  o[22] = p.slope;
}
struct Links { device float *data; uint n; texture2d<float> t; };
kernel void follow(constant Links &links [[buffer(0)]], device float *o [[buffer(1)]]) {
  o[0] = links.data[links.n] + links.t.read(uint2(1, 0)).x;
}
struct Count { uint n; };
kernel void count(device Count *counts [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  counts[i].n += 10;
}
)";

class Structs : public Program {
protected:
  Structs() { write("s.metal", kSource); }
  static constexpr const char *kCopy =
      "run s.metal --kernel copy --grid 1 --threads 1 --buffer 0=zeros:f32[23] --buffer 1=u32:1 ";
};

} // namespace

TEST_F(Structs, ReachTheKernelFieldByField) {
  const Outcome outcome =
      assay(std::string(kCopy) +
            "--struct '4=Params:tag=-3,strides=100,200,-1,centre=0.5,1.5,2.5,causal=true,heads[0].scale=0.25,"
            "heads[0].at=1,2,3,heads[1].scale=8,heads[1].at=4,5,6,turn=11,12,13,21,22,23,slope=-0.5' "
            "--out 0=o.bin");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const std::string bytes = read("o.bin");
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  EXPECT_EQ(values, (std::vector<float>{-3, 100, 200, -1, 0.5, 1.5, 2.5, 1,  0.25, 8,  1,   2,
                                        3,  4,   5,   6,  11,  12,  13,  21, 22,   23, -0.5}));
}

TEST_F(Structs, HoldAddressesAndRoomForTextures) {
  const Outcome outcome = assay("run s.metal --kernel follow --grid 1 --threads 1 --buffer w=f32:1,2,4,8 "
                                "--struct 0=Links:data=addr:w+4,n=2 --texture links.t=r32float[1,2]:100,200 "
                                "--buffer 1=zeros:f32[1]");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("\n          208\n"));
  EXPECT_EQ(complaint("run s.metal --kernel follow --grid 1 --threads 1 --buffer w=f32:1 "
                      "--struct 0=Links:data=addr:v,n=2 --buffer 1=zeros:f32[1]"),
            "2 error: --buffer w: no other --buffer holds its address [unreachable-buffer]\n"
            "  --buffer INDEX=SPEC binds a buffer; a NAME is for addr:w in another's SPEC\n");
  EXPECT_EQ(complaint("run s.metal --kernel follow --grid 1 --threads 1 "
                      "--struct 0=Links:data=addr:v,n=2 --buffer 1=zeros:f32[1]"),
            "2 error: --struct 0: no --buffer is given for address 'v' [unknown-buffer]\n"
            "  an address is the NAME or INDEX of another --buffer\n");
}

TEST_F(Structs, CanBeWrittenAndSaved) {
  const Outcome outcome =
      assay("run s.metal --kernel count --grid 3 --threads 3 --struct '0=Count:n=1;n=2;n=3' --out 0=n.bin");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(read("n.bin"), std::string("\13\0\0\0\14\0\0\0\15\0\0\0", 12));
  const Outcome verified = assay("verify s.metal --kernel count --grid 3 --threads 3 --schedules 2 "
                                 "--struct '0=Count:n=1;n=2;n=3'");
  EXPECT_EQ(verified.exitCode, 0) << verified.err;
  EXPECT_THAT(verified.out, testing::HasSubstr("the same bits in every way"));
}

TEST_F(Structs, AreListedByCheck) {
  const auto json = nlohmann::json::parse(assay("check s.metal --json").out);
  const auto &arguments = json["entryPoints"][0]["arguments"];
  EXPECT_EQ(arguments[1]["struct"], nullptr);
  const auto &info = arguments[0]["struct"];
  EXPECT_EQ(info["name"], "Params");
  EXPECT_EQ(info["bytes"], 96);
  EXPECT_EQ(info["fields"][1], nlohmann::json::parse(R"({"name": "strides[]", "offset": 8, "type": "long",
                                                         "extents": [{"count": 3, "bytes": 8}]})"));
  EXPECT_EQ(info["unsupported"], nullptr);
}

TEST_F(Structs, MistakesAreNamedWithTheirIndex) {
  EXPECT_EQ(complaint(std::string(kCopy) + "--struct 4=Params:tags=1,...=0"),
            "2 error: --struct 4: Params has no field 'tags' [unknown-field]\n  did you mean 'tag'?\n");
  EXPECT_EQ(complaint(std::string(kCopy) + "--struct 1=Params:tag=1"),
            "2 error: --buffer and --struct are both given for index 1 [bad-option]\n");
  EXPECT_EQ(
      complaint("run s.metal --kernel copy --grid 1 --threads 1 --struct 1=uint:n=1 --struct 4=Params:...=0 "
                "--buffer 0=zeros:f32[23]"),
      "2 error: --struct 1: argument 'n' is const device uint &, which is not a struct [struct]\n"
      "  --buffer takes its values\n");
  EXPECT_EQ(complaint(std::string(kCopy) + "--struct 3=Params:...=0"),
            "2 error: --struct 3: kernel 'copy' has no buffer at this index [struct]\n  it has 4 (Params)\n");
  EXPECT_EQ(complaint(std::string(kCopy) + "--struct 4=Params:...=0 --struct 4=Params:...=0"),
            "2 error: --struct is given twice for index 4 [bad-option]\n");
  EXPECT_EQ(complaint(std::string(kCopy) + "--struct Params:...=0"),
            "2 error: --struct Params:...=0: it should be INDEX=TYPE:FIELD=VALUE,.. [bad-option]\n"
            "  INDEX is the number in [[buffer(INDEX)]] or [[threadgroup(INDEX)]]\n");
}

TEST_F(Structs, OfTwoKernelsAreLaidOutByEachOnesDeclaration) {
  // The same fields in another order, with other types.
  write("a.metal", "#include <metal_stdlib>\nstruct P { char n; float by; };\nkernel void k(constant P &p "
                   "[[buffer(1)]], device float *o [[buffer(0)]]) { o[0] = p.n * p.by; }\n");
  write("b.metal", "#include <metal_stdlib>\nstruct P { float by; long n; };\nkernel void k(constant P &p "
                   "[[buffer(1)]], device float *o [[buffer(0)]]) { o[0] = p.by * p.n; }\n");
  const Outcome outcome =
      assay("diff a.metal b.metal --kernel k --grid 1 --threads 1 --struct 1=P:n=7,by=0.5");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.out << outcome.err;
  EXPECT_THAT(outcome.out, testing::HasSubstr("equal bits: 1 element"));
  write("p.toml", "[sizes]\nrows = 3\n[outputs.o]\nshape = [1]\naxes = [\"i\"]\n"
                  "[A]\nfile = \"a.metal\"\nkernel = \"k\"\ngrid = [1]\nthreads = [1]\n"
                  "[A.buffers]\n1 = { struct = \"P:n={2 * rows},by={1 / 4}\" }\n"
                  "[A.outputs.o]\nbuffer = 0\ntype = \"f32\"\n"
                  "[B]\nfile = \"b.metal\"\nkernel = \"k\"\ngrid = [1]\nthreads = [1]\n"
                  "[B.buffers]\n1 = { struct = [{ f32 = 0.25 }, { i64 = 6 }] }\n"
                  "[B.outputs.o]\nbuffer = 0\ntype = \"f32\"\n");
  const Outcome mapped = assay("diff --mapping p.toml");
  EXPECT_EQ(mapped.exitCode, 0) << mapped.out << mapped.err;
  EXPECT_EQ(complaint("diff a.metal b.metal --kernel k --grid 1 --threads 1"),
            "2 error: buffer 1 of 'k' (constant P & p) is not given and cannot be made up [missing-binding]\n"
            "  --buffer 1=SPEC, or --struct 1=TYPE:FIELD=VALUE,..\n");
}

} // namespace assay::cli_test
