#include "names.h"

#include "library_names.h"
#include "names_exceptions.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace assay::apple_headers {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

TEST(Names, AreThoseAtTheScopeOfNamespaces) {
  const Names names = readNames(
      "typedef unsigned int uint;\n"
      "typedef __attribute__((ext_vector_type(2))) float float2;\n"
      "namespace metal {\n"
      "typedef struct _hidden quad[4];\n"
      "template <typename T, int N, typename E = typename only<N >= 2>::type> struct box;\n"
      "template <typename T> struct box<T, 2> : base<(2 > 1)> { int member; enum { inside }; int f(int "
      "parameter); };\n"
      "enum class scoped : uint { red };\n"
      "enum order { first = f(1, 2), second, };\n"
      "template <typename T> using box_t = typename box<T>::type;\n"
      "template <class T> constexpr constant bool is_box_v = is_box<T>::value;\n"
      "inline __attribute__((__always_inline__)) vec<float, 2> twice(vec<float, 2> x) { return x + 1; }\n"
      "template <typename T> decltype(_f<T>(0)) declared();\n"
      "METAL_FUNC METAL_OTHER(1) bool __private(int);\n"
      "METAL_FUNC bool operator==(order a, order b) { return true; }\n"
      "static_assert(sizeof(int) == 4, \"\");\n"
      "namespace __detail { struct secret; namespace deep { struct secret; } }\n"
      "namespace fast { METAL_FUNC float sin(float); }\n"
      "using namespace __detail;\n"
      "using fast::cos;\n"
      "extern constant log log_default;\n"
      "struct named { } value;\n"
      "}\n"
      "namespace simd = metal;\n");
  EXPECT_THAT(names,
              ElementsAre("float2", "metal", "metal::box", "metal::box_t", "metal::cos", "metal::declared",
                          "metal::fast", "metal::fast::sin", "metal::first", "metal::is_box_v",
                          "metal::log_default", "metal::named", "metal::order", "metal::quad",
                          "metal::scoped", "metal::second", "metal::twice", "metal::value", "simd", "uint"));
}

TEST(Names, TextThatEndsTooEarlyIsAnError) {
  EXPECT_THROW(readNames("namespace metal { int a;"), std::runtime_error);
  EXPECT_THROW(readNames("enum a { b"), std::runtime_error);
  EXPECT_THROW(readNames("int a; }"), std::runtime_error);
}

TEST(Names, OfTheLibraryAreThoseThatClangDeclares) {
  const Names names =
      declaredNames("namespace metal {\n"
                    "namespace mine { enum order { first }; enum class scoped { red }; }\n"
                    "namespace __detail { struct seen {}; template <class T> T other(T parameter); }\n"
                    "using namespace __detail;\n"
                    "using mine::order;\n"
                    "struct _hidden;\n"
                    "} // namespace metal\n"
                    "int globally(int parameter) { int local = 0; return local; }\n",
                    LanguageVersion::Metal4_0);
  EXPECT_THAT(names,
              IsSupersetOf({"globally", "metal", "metal::mine", "metal::mine::first", "metal::mine::order",
                            "metal::mine::scoped", "metal::order", "metal::other", "metal::seen", "uint"}));
  for (const char *name : {"metal::__detail", "metal::_hidden", "metal::mine::red", "parameter", "local"})
    EXPECT_THAT(names, Not(Contains(name)));
}

TEST(Names, OfTheLibraryAreThoseOfTheVersion) {
  EXPECT_THAT(declaredNames("", LanguageVersion::Metal3_1), Contains("bfloat"));
  const Names names = declaredNames("#include <metal_stdlib>\n", LanguageVersion::Metal2_3);
  EXPECT_THAT(names, Contains("metal::atomic_int"));
  // Names of Metal 2.4 to 4.0, which programs of 2.3 may declare.
  for (const char *name : {"metal::atomic", "bfloat", "nullptr_t", "metal::thread_scope", "metal::cull_mode",
                           "metal::memory_coherence", "metal::memory_order_seq_cst", "metal::int4b_format",
                           "metal::raytracing::user_data"})
    EXPECT_THAT(names, Not(Contains(name)));
  EXPECT_THROW(declaredNames("struct", LanguageVersion::Metal3_0), std::runtime_error);
}

// One name too many, one missing, one in the wrong namespace, and a namespace too many with what is in it.
TEST(Names, DifferencesAreExactlyThese) {
  const Names apples = readNames("typedef unsigned uint; namespace metal { struct half2x2; int rint(int); "
                                 "namespace fast { int sin(int); } }");
  const Names ours = readNames("typedef unsigned uint; struct half2x2 {}; namespace metal { int rank; "
                               "struct half2x2 {}; namespace fast { int sin(int); } "
                               "namespace other { int cos(int); } }");
  const std::vector<NameDifference> differences = nameDifferences(apples, ours);
  EXPECT_EQ(unexplained(differences, {}, LanguageVersion::Metal4_0),
            "half2x2: is global, which Apple's is in namespace metal alone\n"
            "metal::other: is not Apple's\n"
            "metal::rank: is not Apple's\n"
            "metal::rint: is missing\n");
  EXPECT_TRUE(nameDifferences(apples, apples).empty());
}

TEST(Names, AnExceptionIsForItsVersionsAndMustBeNeeded) {
  const NameException exceptions[] = {
      {"metal::rank", LanguageVersion::Metal3_0, LanguageVersion::Metal3_1, ""}};
  const std::vector<NameDifference> differences = {{"metal::rank", "is missing"}};
  EXPECT_EQ(unexplained(differences, exceptions, LanguageVersion::Metal3_1), "");
  EXPECT_EQ(unexplained(differences, exceptions, LanguageVersion::Metal3_2), "metal::rank: is missing\n");
  EXPECT_EQ(unexplained({}, exceptions, LanguageVersion::Metal3_1),
            "metal::rank: does not differ, but is an exception\n");
  EXPECT_EQ(unexplained({}, exceptions, LanguageVersion::Metal2_4), "");
}

} // namespace
} // namespace assay::apple_headers
