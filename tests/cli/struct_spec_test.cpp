// The text of --struct, and the bytes that a declaration makes of it.
#include "cli/struct_spec.h"

#include <cstring>
#include <gmock/gmock.h>

namespace assay::cli {
namespace {

// struct Params { int a; float s; struct { short x; uchar y[2]; } in[2]; long strides[3];
//                 union { float f; uint u; }; device int *p; texture2d<float> t; };
FieldInfo field(const char *name, uint32_t offset, FieldKind kind, ScalarType type,
                std::vector<FieldExtent> extents = {}) {
  FieldInfo info;
  info.name = name, info.offset = offset, info.kind = kind, info.type = type;
  info.extents = std::move(extents);
  return info;
}

StructInfo params() {
  StructInfo info;
  info.name = "n::Params";
  info.bytes = 64;
  info.fields = {field("a", 0, FieldKind::Value, ScalarType::Int),
                 field("s", 4, FieldKind::Value, ScalarType::Float),
                 field("in[].x", 8, FieldKind::Value, ScalarType::Short, {{2, 4}}),
                 field("in[].y[]", 10, FieldKind::Value, ScalarType::UChar, {{2, 4}, {2, 1}}),
                 field("strides[]", 16, FieldKind::Value, ScalarType::Long, {{3, 8}}),
                 field("f", 40, FieldKind::Value, ScalarType::Float),
                 field("u", 40, FieldKind::Value, ScalarType::UInt),
                 field("p", 48, FieldKind::Address, ScalarType::ULong),
                 field("t", 56, FieldKind::Handle, ScalarType::ULong)};
  return info;
}

Result<BufferData> laid(const std::string &text, const StructInfo &info = params()) {
  const Result<StructSpec> spec = parseStructSpec(text);
  if (!spec)
    return spec.error();
  return layStruct(*spec, info);
}

std::string bytesOf(const std::string &text, const StructInfo &info = params()) {
  const Result<BufferData> data = laid(text, info);
  EXPECT_TRUE(data) << text << ": " << renderDiagnostics(data.error().diagnostics);
  return data ? data->bytes : "";
}

std::string mistake(const std::string &text, const StructInfo &info = params()) {
  const Result<BufferData> data = laid(text, info);
  EXPECT_FALSE(data) << text;
  return data ? "" : renderDiagnostics(data.error().diagnostics);
}

template <class T> T at(const std::string &bytes, size_t offset) {
  T value{};
  EXPECT_LE(offset + sizeof value, bytes.size());
  if (offset + sizeof value <= bytes.size())
    std::memcpy(&value, &bytes[offset], sizeof value);
  return value;
}

const char *const kAll =
    "Params:a=-2,s=0.5,in[0].x=7,in[0].y=1,2,in[1].x=-8,in[1].y=3,0xff,strides=5120,-1,64,"
    "u=0x3f800000,p=0";

TEST(StructSpec, PutsEachValueWhereItsFieldIs) {
  const std::string bytes = bytesOf(kAll);
  ASSERT_EQ(bytes.size(), 64u);
  EXPECT_EQ(at<int32_t>(bytes, 0), -2);
  EXPECT_EQ(at<float>(bytes, 4), 0.5f);
  EXPECT_EQ(at<int16_t>(bytes, 8), 7);
  EXPECT_EQ(at<uint8_t>(bytes, 10), 1);
  EXPECT_EQ(at<uint8_t>(bytes, 11), 2);
  EXPECT_EQ(at<int16_t>(bytes, 12), -8);
  EXPECT_EQ(at<uint8_t>(bytes, 14), 3);
  EXPECT_EQ(at<uint8_t>(bytes, 15), 255);
  EXPECT_EQ(at<int64_t>(bytes, 16), 5120);
  EXPECT_EQ(at<int64_t>(bytes, 24), -1);
  EXPECT_EQ(at<int64_t>(bytes, 32), 64);
  EXPECT_EQ(at<float>(bytes, 40), 1.0f);
  for (size_t i = 44; i < 64; ++i)
    EXPECT_EQ(bytes[i], 0) << i;
}

TEST(StructSpec, TheOrderAndElementsOneByOneGiveTheSameBytes) {
  EXPECT_EQ(
      bytesOf("n::Params:p=0, u=1065353216, strides[2]=64, strides[0]=5120, strides[1]=-1, in[1].y[1]=255,"
              "in[1].y[0]=3, in[1].x=-8, in[0].y=1,2 , in[0].x=7, s=0x1p-1, a=-2"),
      bytesOf(kAll));
}

TEST(StructSpec, AnArrayMayHaveTheNameThatTheReportOfCheckHas) {
  EXPECT_EQ(bytesOf("Params:strides[]=1,2,3,...=0"), bytesOf("Params:strides=1,2,3,...=0"));
  EXPECT_EQ(bytesOf("Params:in[1].y[]=1,2,...=0"), bytesOf("Params:in[1].y=1,2,...=0"));
  EXPECT_EQ(mistake("Params:in[].x=1,2,...=0"), "error: field 'in[].x': an index is [NUMBER] [struct]\n");
}

TEST(StructSpec, WhatIsLeftOutIsZeroOnlyIfItIsAskedFor) {
  std::string expected(64, '\0');
  expected[0] = 3;
  EXPECT_EQ(bytesOf("Params:a=3,...=0"), expected);
  EXPECT_EQ(mistake("Params:a=3"),
            "error: 7 fields are left out of n::Params: s, in[0..1].x, in[0..1].y, strides, f, u, p "
            "[missing-field]\n  ...=0 at the end gives every field that is left out the value 0\n");
  EXPECT_EQ(mistake("Params:a=-2,s=0.5,in[0].x=7,in[0].y=1,2,in[1].x=-8,in[1].y[1]=3,strides=1,2,3,u=1,p=0"),
            "error: a field is left out of n::Params: in[1].y[0] [missing-field]\n"
            "  ...=0 at the end gives every field that is left out the value 0\n");
  StructInfo many;
  many.name = "Many";
  many.bytes = 40;
  many.fields = {field("m[]", 0, FieldKind::Value, ScalarType::UInt, {{10, 4}})};
  EXPECT_EQ(mistake("Many:m[9]=1", many),
            "error: 9 fields are left out of Many: m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7] and 1 more "
            "[missing-field]\n  ...=0 at the end gives every field that is left out the value 0\n");
}

TEST(StructSpec, ElementsOfAnArrayFollowEachOther) {
  StructInfo pair;
  pair.name = "Pair<float, 4>";
  pair.bytes = 8;
  pair.fields = {field("a", 0, FieldKind::Value, ScalarType::UInt),
                 field("b", 4, FieldKind::Value, ScalarType::UChar)};
  const std::string bytes = bytesOf("Pair<float,4>:a=1,b=2;a=3,b=4;...=0", pair);
  ASSERT_EQ(bytes.size(), 24u);
  EXPECT_EQ(at<uint32_t>(bytes, 0), 1u);
  EXPECT_EQ(at<uint8_t>(bytes, 4), 2u);
  EXPECT_EQ(at<uint32_t>(bytes, 8), 3u);
  EXPECT_EQ(at<uint8_t>(bytes, 12), 4u);
  EXPECT_EQ(at<uint64_t>(bytes, 16), 0u);
  EXPECT_EQ(mistake("Pair<float,4>:a=1,b=2;a=3", pair),
            "error: element 1: a field is left out of Pair<float, 4>: b [missing-field]\n"
            "  ...=0 at the end gives every field that is left out the value 0\n");
}

TEST(StructSpec, AddressesAreOfOtherBuffers) {
  const Result<BufferData> data = laid("Params:p=addr:weights+64,...=0;p=addr:3,...=0");
  ASSERT_TRUE(data);
  ASSERT_EQ(data->addresses.size(), 2u);
  EXPECT_EQ(data->addresses[0].offset, 48u);
  EXPECT_EQ(data->addresses[0].buffer, "weights");
  EXPECT_EQ(data->addresses[0].plus, 64u);
  EXPECT_EQ(data->addresses[1].offset, 64u + 48);
  EXPECT_EQ(data->addresses[1].buffer, "3");
  EXPECT_EQ(addressesIn(*parseStructSpec("Params:p=addr:weights+64,...=0"))->front().buffer, "weights");
  EXPECT_EQ(mistake("Params:p=17,...=0"), "error: field 'p' is an address: '17' is none [struct]\n"
                                          "  addr:NAME is the address of the --buffer NAME, 0 is none\n");
  EXPECT_EQ(mistake("Params:p=addr:,...=0"),
            "error: field 'p': 'addr:': an address needs the NAME or INDEX of a --buffer [bad-spec]\n"
            "  for example addr:weights,1\n");
  EXPECT_EQ(mistake("Params:a=addr:weights,...=0"),
            "error: field 'a': 'addr:weights' is not a value of type i32 [bad-value]\n");
}

TEST(StructSpec, FieldsThatAreNotThereAreNamedWithTheNearest) {
  EXPECT_EQ(mistake("Params:stride=1,2,3,...=0"), "error: n::Params has no field 'stride' [unknown-field]\n"
                                                  "  did you mean 'strides'?\n");
  EXPECT_EQ(mistake("Params:A=1,...=0"), "error: n::Params has no field 'A' [unknown-field]\n"
                                         "  did you mean 'a'?\n");
  EXPECT_EQ(mistake("Params:in=1,...=0"), "error: 'in' of n::Params has no value of its own [unknown-field]\n"
                                          "  it has in[0..1].x, in[0..1].y\n");
  EXPECT_EQ(mistake("Params:in[0]=1,...=0"),
            "error: 'in[0]' of n::Params has no value of its own [unknown-field]\n"
            "  it has in[0..1].x, in[0..1].y\n");
  EXPECT_EQ(mistake("Params:a[0]=1,...=0").substr(0, 49),
            "error: n::Params has no field 'a[0]' [unknown-fie");
  EXPECT_EQ(mistake("Params:t=1,...=0"),
            "error: field 't' is a texture, a sampler or a function table, and has no value [struct]\n"
            "  --texture, --sampler and --table take ARGUMENT.MEMBER=..\n");
}

TEST(StructSpec, AFieldIsGivenOnce) {
  EXPECT_EQ(mistake("Params:a=1,a=2,...=0"), "error: field 'a' is given twice [struct]\n");
  EXPECT_EQ(mistake("Params:strides=1,2,3,strides[1]=2,...=0"),
            "error: field 'strides[1]' is given twice [struct]\n");
  EXPECT_EQ(mistake("Params:f=1,u=2,...=0"),
            "error: field 'u' shares its bytes with 'f', which is given, too [struct]\n"
            "  of a union one member is given\n");
}

TEST(StructSpec, ValuesFitTheirTypesAndTheirNumber) {
  EXPECT_EQ(
      mistake("Params:a=3000000000,...=0"),
      "error: field 'a': '3000000000' is not in -2147483648..2147483647, the range of i32 [bad-value]\n");
  EXPECT_EQ(mistake("Params:a=1.5,...=0"),
            "error: field 'a': '1.5' is not a value of type i32 [bad-value]\n");
  EXPECT_EQ(mistake("Params:a=,...=0"), "error: field 'a': '' is not a value of type i32 [bad-value]\n");
  EXPECT_EQ(mistake("Params:a=1,2,...=0"), "error: field 'a' takes 1 value, 2 are given [struct]\n");
  EXPECT_EQ(mistake("Params:strides=1,...=0"),
            "error: field 'strides' takes 3 values, 1 is given [struct]\n"
            "  values are given in C's order, or an element at a time: FIELD[0]=VALUE\n");
  EXPECT_EQ(mistake("Params:strides[3]=1,...=0"),
            "error: field 'strides[3]': there is no element 3, 3 elements are declared [struct]\n");
  EXPECT_EQ(mistake("Params:strides[x]=1,...=0"),
            "error: field 'strides[x]': an index is [NUMBER] [struct]\n");
  EXPECT_EQ(mistake("Params:strides[1=1,...=0"), "error: field 'strides[1': an index is [NUMBER] [struct]\n");
}

TEST(StructSpec, TheTextSaysWhichStructItIs) {
  const std::string form = "  a SPEC is TYPE:FIELD=VALUE,FIELD=VALUE,VALUE,..; ...=0 is every other field\n";
  EXPECT_EQ(mistake("Parms:a=1,...=0"), "error: the kernel declares n::Params, not Parms [struct]\n");
  EXPECT_EQ(mistake("arams:a=1,...=0"), "error: the kernel declares n::Params, not arams [struct]\n");
  EXPECT_EQ(mistake("a=1"), "error: 'a=1' has no ':' after the name of the struct [struct]\n" + form);
  EXPECT_EQ(mistake(":a=1"), "error: ':a=1' does not begin with the name of the struct [struct]\n" + form);
  EXPECT_EQ(mistake("Params:1,a=2"), "error: '1' belongs to no field [struct]\n" + form);
  EXPECT_EQ(mistake("Params:=2"), "error: '=2' names no field [struct]\n" + form);
  EXPECT_EQ(mistake("Params:a=1,...=1"),
            "error: ...=1: the fields that are left out can only be 0 [struct]\n");
  EXPECT_EQ(mistake("Params:...=0,a=1"), "error: 'a=1' follows ...=0 [struct]\n"
                                         "  the fields that are left out come last\n");
}

TEST(StructSpec, WhatADeclarationCannotExpressIsRefused) {
  StructInfo bits;
  bits.name = "Bits";
  bits.bytes = 4;
  bits.unsupported = "the bit-field 'b'";
  EXPECT_EQ(mistake("Bits:...=0", bits), "error: --struct cannot give Bits: it has the bit-field 'b' "
                                         "[unsupported]\n  --buffer takes its bytes\n");
  StructInfo large;
  large.name = "Large";
  large.bytes = uint32_t(kMostStructBytes);
  EXPECT_EQ(bytesOf("Large:...=0", large).size(), kMostStructBytes);
  EXPECT_EQ(mistake("Large:...=0;...=0", large),
            "error: 134217728 bytes are more than the 67108864 that --struct gives [struct]\n"
            "  --buffer takes a file\n");
}

} // namespace
} // namespace assay::cli
