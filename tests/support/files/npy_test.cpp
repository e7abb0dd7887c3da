#include "../../host/temporary_folder.h"
#include "../mangle.h"
#include "support/files/npy.h"

#include <gmock/gmock.h>

#include <fstream>

namespace assay {
namespace {

using testing_support::TemporaryFolder;

// A file as NumPy writes it; the expected bytes come from the format's specification.
std::string file(std::string dictionary, std::string data, char major = 1) {
  const size_t head = 6 + 2 + (major == 1 ? 2 : 4);
  while ((head + dictionary.size() + 1) % 64)
    dictionary += ' ';
  dictionary += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += major;
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    bytes += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
  return bytes + dictionary + data;
}

std::string header(const std::string &descr, const std::string &shape, const std::string &fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::string errorText(const std::string &bytes) {
  const Result<NpyArray> result = parseNpy(bytes, "a.npy");
  if (result)
    return "";
  EXPECT_EQ(result.error().kind, ErrorKind::Usage);
  return renderDiagnostics(result.error().diagnostics);
}

// Whatever the bytes, the result is an error or an array whose data has the size its shape says.
TEST(Npy, SurvivesMangledFiles) {
  const std::string seeds[] = {file(header("<f4", "(2, 3)"), std::string(24, 'x')),
                               file(header("|i1", "()"), "x"),
                               file(header("<u2", "(4,)"), std::string(8, 'x'), 2)};
  std::mt19937 random(7);
  size_t accepted = 0;
  for (int round = 0; round < 30000; ++round) {
    const std::string bytes =
        testing_support::mangle(seeds[round % 3], "(){}'\",:<>|fiub0123456789 TrueFalse\x93NUMPY", random);
    const Result<NpyArray> array = parseNpy(bytes, "mangled.npy");
    if (!array)
      continue;
    ++accepted;
    ASSERT_EQ(array->data.size(), array->count() * scalarTypeInfo(array->type).bytes);
  }
  EXPECT_GT(accepted, 100u) << "the mangling leaves nothing to accept, so it tests nothing after the header";
}

} // namespace

TEST(Npy, ReadsEveryTypeThatMetalHas) {
  const std::pair<const char *, ScalarType> types[] = {
      {"|b1", ScalarType::Bool},  {"|i1", ScalarType::Char},   {"|u1", ScalarType::UChar},
      {"<i2", ScalarType::Short}, {"<u2", ScalarType::UShort}, {"<i4", ScalarType::Int},
      {"<u4", ScalarType::UInt},  {"<i8", ScalarType::Long},   {"<u8", ScalarType::ULong},
      {"<f2", ScalarType::Half},  {"<f4", ScalarType::Float},  {"=f4", ScalarType::Float},
      {"<i1", ScalarType::Char}};
  for (const auto &[descr, type] : types) {
    const std::string data(6 * scalarTypeInfo(type).bytes, 'x');
    const Result<NpyArray> array = parseNpy(file(header(descr, "(2, 3)"), data), "a.npy");
    ASSERT_TRUE(array) << descr << errorText(file(header(descr, "(2, 3)"), data));
    EXPECT_EQ(array->type, type) << descr;
    EXPECT_THAT(array->shape, testing::ElementsAre(2, 3));
    EXPECT_EQ(array->count(), 6u);
    EXPECT_EQ(array->data, data);
  }
}

TEST(Npy, ReadsEveryVersionAndEveryKindOfShape) {
  EXPECT_EQ(errorText(file(header("<f4", "(1,)"), "abcd", 2)), "");
  EXPECT_EQ(errorText(file(header("<f4", "(1,)"), "abcd", 3)), "");
  EXPECT_EQ(errorText(file(header("<f4", "()"), "abcd")), "");
  EXPECT_EQ(errorText(file(header("<f4", "(0, 7)"), "")), "");
  EXPECT_EQ(errorText(file("{\"shape\":(1,),\"fortran_order\":False,\"descr\":\"<f4\"}", "abcd")), "");
}

TEST(Npy, RefusesFortranOrder) {
  EXPECT_EQ(errorText(file(header("<f4", "(1, 1)", "True"), "abcd")),
            "a.npy: error: the array is in Fortran order; kernels index in C order [npy]\n"
            "  in NumPy: numpy.save(file, numpy.ascontiguousarray(a))\n");
}

TEST(Npy, RefusesBigEndian) {
  EXPECT_EQ(errorText(file(header(">f4", "(1,)"), "abcd")),
            "a.npy: error: big-endian data ('>f4') is not supported [npy]\n"
            "  in NumPy: numpy.save(file, a.astype('<f4'))\n");
}

TEST(Npy, RefusesObjects) {
  EXPECT_EQ(errorText(file(header("|O", "(1,)"), "abcd")),
            "a.npy: error: the array holds Python objects ('|O'), not numbers [npy]\n"
            "  in NumPy: save an array with a numeric dtype, numpy.save(file, a.astype(numpy.float32))\n");
}

TEST(Npy, RefusesTypesThatMetalHasNot) {
  EXPECT_EQ(errorText(file(header("<f8", "(1,)"), "abcdefgh")),
            "a.npy: error: dtype '<f8' has no counterpart in Metal [npy]\n"
            "  supported: bool, int8 to int64, uint8 to uint64, float16, float32; in NumPy: "
            "a.astype(numpy.float32)\n");
}

TEST(Npy, RefusesWhatIsNoNpyFile) {
  EXPECT_EQ(errorText("PK\x03\x04"),
            "a.npy: error: not an .npy file: it does not begin with \\x93NUMPY [npy]\n"
            "  raw bytes are read from files whose name ends in .bin\n");
  EXPECT_EQ(errorText(file(header("<f4", "(1,)"), "abcd", 9)),
            "a.npy: error: version 9 of the .npy format is not known (1 to 3 are) [npy]\n");
  EXPECT_EQ(errorText(file("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd")),
            "a.npy: error: the header is not that of an array of numbers [npy]\n"
            "  structured dtypes are not supported; save each field by itself\n");
}

TEST(Npy, RefusesTooLittleAndTooMuchData) {
  EXPECT_EQ(errorText(file(header("<f4", "(2, 3)"), std::string(23, 'x'))),
            "a.npy: error: truncated: shape (2, 3) of '<f4' needs 24 bytes of data, the file has 23 [npy]\n");
  EXPECT_EQ(errorText(file(header("<f4", "(2,)"), std::string(9, 'x'))),
            "a.npy: error: too long: shape (2,) of '<f4' needs 8 bytes of data, the file has 9 [npy]\n");
}

TEST(Npy, RefusesAShapeThatIsLargerThanMemoryCanBe) {
  EXPECT_EQ(errorText(file(header("<f4", "(4294967296, 4294967296)"), "")),
            "a.npy: error: shape (4294967296, 4294967296) is larger than memory can be [npy]\n");
  EXPECT_NE(errorText(file(header("<f4", "(99999999999999999999,)"), "")), "");
}

TEST(Npy, RefusesEveryTruncation) {
  const std::string whole = file(header("<f4", "(2,)"), "abcdefgh");
  ASSERT_EQ(errorText(whole), "");
  for (size_t length = 0; length < whole.size(); ++length)
    ASSERT_NE(errorText(whole.substr(0, length)), "") << length;
}

TEST(Npy, SurvivesEveryByteInEveryPlace) {
  const std::string whole = file(header("<f4", "(2,)"), "abcdefgh");
  size_t accepted = 0, refused = 0;
  for (size_t i = 0; i < whole.size(); ++i)
    for (int byte = 0; byte < 256; ++byte) {
      std::string bad = whole;
      bad[i] = static_cast<char>(byte);
      const Result<NpyArray> array = parseNpy(bad, "a.npy");
      if (!array) {
        ++refused;
        ASSERT_NE(errorText(bad), "") << "byte " << byte << " at " << i;
        continue;
      }
      ++accepted;
      ASSERT_EQ(array->data.size(), array->count() * scalarTypeInfo(array->type).bytes)
          << "byte " << byte << " at " << i;
    }
  EXPECT_GE(accepted, 8 * 256u) << "the data may be anything";
  EXPECT_GE(refused, 6 * 255u) << "the first six bytes are the format's name";
}

TEST(Npy, WritesWhatTheFormatSays) {
  const std::string bytes = npyBytes(ScalarType::Float, {2, 1}, "abcdefgh");
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1), }";
  EXPECT_EQ(bytes, file(text, "abcdefgh"));
  EXPECT_EQ((bytes.size() - 8) % 64, 0u) << "data is aligned";
}

TEST(Npy, WritesBfloatAsUint16) {
  const Result<NpyArray> back = parseNpy(npyBytes(ScalarType::BFloat, {3}, "abcdef"), "a.npy");
  ASSERT_TRUE(back);
  EXPECT_EQ(back->type, ScalarType::UShort);
}

TEST(Npy, ReadsBackWhatItWrites) {
  for (const ScalarTypeInfo &info : kScalarTypes)
    for (const std::vector<uint64_t> &shape : {std::vector<uint64_t>{}, {1}, {2, 3}, {5, 0}}) {
      uint64_t count = 1;
      for (uint64_t extent : shape)
        count *= extent;
      const std::string data(count * info.bytes, '\x5a');
      const Result<NpyArray> back = parseNpy(npyBytes(info.type, shape, data), "a.npy");
      ASSERT_TRUE(back);
      EXPECT_EQ(back->shape, shape);
      EXPECT_EQ(back->data, data);
    }
}

TEST(NpyFile, SaysWhichFileIsMissing) {
  const Result<NpyArray> result = readNpy("/no/such/file.npy");
  ASSERT_FALSE(result);
  EXPECT_EQ(renderDiagnostics(result.error().diagnostics),
            "error: cannot read '/no/such/file.npy': No such file or directory [no-such-file]\n");
}

TEST(WriteFileAtomically, ReplacesAFileAndLeavesNothingElse) {
  TemporaryFolder folder;
  const std::string path = folder.write("out.npy", "old");
  ASSERT_TRUE(writeFileAtomically(path, "new"));
  EXPECT_EQ(*readFile(path), "new");
  size_t files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder.path()))
    files += entry.exists();
  EXPECT_EQ(files, 1u);
}

TEST(WriteFileAtomically, SaysWhereItCannotWrite) {
  const Result<void> result = writeFileAtomically("/no/such/folder/out.npy", "x");
  ASSERT_FALSE(result);
  EXPECT_EQ(renderDiagnostics(result.error().diagnostics),
            "error: cannot write '/no/such/folder/out.npy': No such file or directory [unwritable-file]\n");
}

} // namespace assay
