// vDSP and vForce against values computed by hand.
#include <Accelerate/vDSP.h>
#include <Accelerate/vForce.h>

#include <gmock/gmock.h>
#include <vector>

namespace {

using testing::ElementsAre;
using Floats = std::vector<float>;

const Floats kA = {1, -2, 3, -4}, kB = {2, 4, -8, 16}, kC = {10, 20, 30, 40};

TEST(Accelerate, TwoVectors) {
  Floats c(4);
  const auto of = [&](auto *function) {
    function(kA.data(), 1, kB.data(), 1, c.data(), 1, 4);
    return c;
  };
  EXPECT_THAT(of(vDSP_vadd), ElementsAre(3, 2, -5, 12));
  EXPECT_THAT(of(vDSP_vsub), ElementsAre(1, 6, -11, 20)) << "the second argument less the first";
  EXPECT_THAT(of(vDSP_vmul), ElementsAre(2, -8, -24, -64));
  EXPECT_THAT(of(vDSP_vdiv), ElementsAre(2, -2, -8.f / 3, -4)) << "the second argument by the first";
  EXPECT_THAT(of(vDSP_vmax), ElementsAre(2, 4, 3, 16));
  EXPECT_THAT(of(vDSP_vmin), ElementsAre(1, -2, -8, -4));
  EXPECT_THAT(of(vDSP_vmaxmg), ElementsAre(2, 4, 8, 16));
  EXPECT_THAT(of(vDSP_vminmg), ElementsAre(1, 2, 3, 4));
  const Floats three = {3, 6, 8, 5}, four = {4, 8, 15, 12};
  vDSP_vdist(three.data(), 1, four.data(), 1, c.data(), 1, 4);
  EXPECT_THAT(c, ElementsAre(5, 10, 17, 13));
}

TEST(Accelerate, StridesCountElements) {
  Floats c(6, -1);
  vDSP_vadd(kA.data(), 2, kB.data() + 3, -1, c.data(), 3, 2);
  EXPECT_THAT(c, ElementsAre(17, -1, -1, -5, -1, -1));
}

TEST(Accelerate, SingleValues) {
  Floats c(4);
  const float two = 2, three = 3;
  const auto of = [&](auto *function) {
    function(kA.data(), 1, &two, c.data(), 1, 4);
    return c;
  };
  EXPECT_THAT(of(vDSP_vsadd), ElementsAre(3, 0, 5, -2));
  EXPECT_THAT(of(vDSP_vsmul), ElementsAre(2, -4, 6, -8));
  EXPECT_THAT(of(vDSP_vsdiv), ElementsAre(0.5, -1, 1.5, -2));
  EXPECT_THAT(of(vDSP_vthr), ElementsAre(2, 2, 3, 2));
  EXPECT_THAT(of(vDSP_vthres), ElementsAre(0, 0, 3, 0));
  vDSP_svdiv(&two, kA.data(), 1, c.data(), 1, 4);
  EXPECT_THAT(c, ElementsAre(2, -1, 2.f / 3, -0.5));
  vDSP_vsmsa(kA.data(), 1, &two, &three, c.data(), 1, 4);
  EXPECT_THAT(c, ElementsAre(5, -1, 9, -5));
  vDSP_vclip(kA.data(), 1, &two, &three, c.data(), 1, 4);
  EXPECT_THAT(c, ElementsAre(2, 2, 3, 2));
  vDSP_vsma(kA.data(), 1, &two, kC.data(), 1, c.data(), 1, 4);
  EXPECT_THAT(c, ElementsAre(12, 16, 36, 32));
  vDSP_vsmsb(kA.data(), 1, &two, kC.data(), 1, c.data(), 1, 4);
  EXPECT_THAT(c, ElementsAre(-8, -24, -24, -48));
  vDSP_vintb(kA.data(), 1, kB.data(), 1, &two, c.data(), 1, 4);
  EXPECT_THAT(c, ElementsAre(3, 10, -19, 36));
  vDSP_vfill(&three, c.data(), 2, 2);
  EXPECT_THAT(c, ElementsAre(3, 10, 3, 36));
  vDSP_vclr(c.data(), 1, 4);
  EXPECT_THAT(c, ElementsAre(0, 0, 0, 0));
  vDSP_vramp(&two, &three, c.data(), 1, 4);
  EXPECT_THAT(c, ElementsAre(2, 5, 8, 11));
  vDSP_vgen(&two, &three, c.data(), 1, 3);
  EXPECT_THAT(c, ElementsAre(2, 2.5, 3, 11));
}

TEST(Accelerate, OneVector) {
  Floats c(4);
  const Floats a = {1.25, -2.5, 3, -4};
  const auto of = [&](auto *function) {
    function(a.data(), 1, c.data(), 1, 4);
    return c;
  };
  EXPECT_THAT(of(vDSP_vabs), ElementsAre(1.25, 2.5, 3, 4));
  EXPECT_THAT(of(vDSP_vnabs), ElementsAre(-1.25, -2.5, -3, -4));
  EXPECT_THAT(of(vDSP_vneg), ElementsAre(-1.25, 2.5, -3, 4));
  EXPECT_THAT(of(vDSP_vsq), ElementsAre(1.5625, 6.25, 9, 16));
  EXPECT_THAT(of(vDSP_vssq), ElementsAre(1.5625, -6.25, 9, -16));
  EXPECT_THAT(of(vDSP_vfrac), ElementsAre(0.25, -0.5, 0, 0));
  c = a;
  vDSP_vrvrs(c.data(), 1, 4);
  EXPECT_THAT(c, ElementsAre(-4, 3, -2.5, 1.25));
  Floats d = {5, 6, 7, 8};
  vDSP_vswap(c.data(), 1, d.data(), 2, 2);
  EXPECT_THAT(c, ElementsAre(5, 7, -2.5, 1.25));
  EXPECT_THAT(d, ElementsAre(-4, 6, 3, 8));
  const float two = 2;
  vDSP_vrsum(kC.data(), 1, &two, c.data(), 1, 4);
  EXPECT_THAT(c, ElementsAre(0, 40, 100, 180));
}

TEST(Accelerate, ThreeVectorsAndFour) {
  Floats d(4);
  const auto of = [&](auto *function) {
    function(kA.data(), 1, kB.data(), 1, kC.data(), 1, d.data(), 1, 4);
    return d;
  };
  EXPECT_THAT(of(vDSP_vma), ElementsAre(12, 12, 6, -24));
  EXPECT_THAT(of(vDSP_vmsb), ElementsAre(-8, -28, -54, -104));
  EXPECT_THAT(of(vDSP_vam), ElementsAre(30, 40, -150, 480));
  EXPECT_THAT(of(vDSP_vsbm), ElementsAre(-10, -120, 330, -800));
  vDSP_vmma(kA.data(), 1, kB.data(), 1, kC.data(), 1, kA.data(), 1, d.data(), 1, 4);
  EXPECT_THAT(d, ElementsAre(12, -48, 66, -224));
}

TEST(Accelerate, OneValueOfAVector) {
  const auto of = [](auto *function) {
    float c = -1;
    function(kA.data(), 1, &c, 4);
    return c;
  };
  EXPECT_EQ(of(vDSP_sve), -2);
  EXPECT_EQ(of(vDSP_svemg), 10);
  EXPECT_EQ(of(vDSP_svesq), 30);
  EXPECT_EQ(of(vDSP_svs), 1 - 4 + 9 - 16);
  EXPECT_EQ(of(vDSP_meanv), -0.5);
  EXPECT_EQ(of(vDSP_meamgv), 2.5);
  EXPECT_EQ(of(vDSP_measqv), 7.5);
  EXPECT_EQ(of(vDSP_rmsqv), std::sqrt(7.5f));
  EXPECT_EQ(of(vDSP_maxv), 3);
  EXPECT_EQ(of(vDSP_minv), -4);
  EXPECT_EQ(of(vDSP_maxmgv), 4);
  EXPECT_EQ(of(vDSP_minmgv), 1);
  float c = 0, mean = 0, deviation = 0;
  vDSP_Length at = 9;
  vDSP_maxvi(kA.data(), 2, &c, &at, 2);
  EXPECT_EQ(c, 3);
  EXPECT_EQ(at, 2u) << "in elements of the stride 1";
  vDSP_maxv(kA.data(), 1, &c, 0);
  EXPECT_EQ(c, -INFINITY);
  vDSP_dotpr(kA.data(), 1, kB.data(), 1, &c, 4);
  EXPECT_EQ(c, 2 - 8 - 24 - 64);
  vDSP_distancesq(kA.data(), 1, kB.data(), 1, &c, 4);
  EXPECT_EQ(c, 1 + 36 + 121 + 400);
  const Floats values = {2, 4, 4, 4, 5, 5, 7, 9};
  Floats normal(8);
  vDSP_normalize(values.data(), 1, normal.data(), 1, &mean, &deviation, 8);
  EXPECT_EQ(mean, 5);
  EXPECT_EQ(deviation, 2);
  EXPECT_THAT(normal, ElementsAre(-1.5, -0.5, -0.5, -0.5, 0, 0, 1, 2));
}

TEST(Accelerate, MatricesAndConvolutions) {
  const Floats a = {1, 2, 3, 4, 5, 6}, b = {1, 0, 2, 0, 1, 3}; // 2 x 3, 3 x 2
  Floats c(4), turned(6), corner(4);
  vDSP_mmul(a.data(), 1, b.data(), 1, c.data(), 1, 2, 2, 3);
  EXPECT_THAT(c, ElementsAre(8, 9, 20, 18));
  vDSP_mtrans(a.data(), 1, turned.data(), 1, 3, 2);
  EXPECT_THAT(turned, ElementsAre(1, 4, 2, 5, 3, 6));
  vDSP_mmov(a.data() + 1, corner.data(), 2, 2, 3, 2);
  EXPECT_THAT(corner, ElementsAre(2, 3, 5, 6));
  const Floats filter = {1, 10};
  vDSP_conv(a.data(), 1, filter.data(), 1, c.data(), 1, 4, 2);
  EXPECT_THAT(c, ElementsAre(21, 32, 43, 54));
  vDSP_conv(a.data(), 1, filter.data() + 1, -1, c.data(), 1, 4, 2);
  EXPECT_THAT(c, ElementsAre(12, 23, 34, 45));
}

TEST(Accelerate, DoublesAndConversions) {
  const std::vector<double> a = {1, -2, 3};
  std::vector<double> c(3);
  double sum = 0;
  vDSP_vaddD(a.data(), 1, a.data(), 1, c.data(), 1, 3);
  EXPECT_THAT(c, ElementsAre(2, -4, 6));
  vDSP_sveD(a.data(), 1, &sum, 3);
  EXPECT_EQ(sum, 2);
  vDSP_vabsD(a.data(), 1, c.data(), 1, 3);
  EXPECT_THAT(c, ElementsAre(1, 2, 3));
  const Floats halves = {1.5, -1.5, 2.5};
  std::vector<int> integers(3);
  vDSP_vfix32(halves.data(), 1, integers.data(), 1, 3);
  EXPECT_THAT(integers, ElementsAre(1, -1, 2));
  vDSP_vfixr32(halves.data(), 1, integers.data(), 1, 3);
  EXPECT_THAT(integers, ElementsAre(2, -2, 2));
  vDSP_vspdp(halves.data(), 1, c.data(), 1, 3);
  EXPECT_THAT(c, ElementsAre(1.5, -1.5, 2.5));
  const std::vector<unsigned char> bytes = {0, 200, 255};
  Floats f(3);
  vDSP_vfltu8(bytes.data(), 1, f.data(), 1, 3);
  EXPECT_THAT(f, ElementsAre(0, 200, 255));
}

TEST(Accelerate, FunctionsOfEachElement) {
  const int n = 3;
  const Floats x = {1, 4, 16}, y = {2, 0.5, 0};
  Floats z(3), cosines(3);
  vvsqrtf(z.data(), x.data(), &n);
  EXPECT_THAT(z, ElementsAre(1, 2, 4));
  vvrsqrtf(z.data(), x.data(), &n);
  EXPECT_THAT(z, ElementsAre(1, 0.5, 0.25));
  vvrecf(z.data(), x.data(), &n);
  EXPECT_THAT(z, ElementsAre(1, 0.25, 0.0625));
  vvlog2f(z.data(), x.data(), &n);
  EXPECT_THAT(z, ElementsAre(0, 2, 4));
  vvpowf(z.data(), y.data(), x.data(), &n);
  EXPECT_THAT(z, ElementsAre(1, 2, 1)) << "the last vector is the base";
  vvdivf(z.data(), y.data(), x.data(), &n);
  EXPECT_THAT(z, ElementsAre(2, 0.125, 0));
  const Floats halves = {0.5, 1.5, -1.75};
  vvintf(z.data(), halves.data(), &n);
  EXPECT_THAT(z, ElementsAre(0, 1, -1));
  vvnintf(z.data(), halves.data(), &n);
  EXPECT_THAT(z, ElementsAre(0, 2, -2));
  vvexpf(z.data(), y.data(), &n);
  EXPECT_THAT(z, ElementsAre(std::exp(2.f), std::exp(0.5f), 1));
  vvsincosf(z.data(), cosines.data(), x.data(), &n);
  EXPECT_THAT(z, ElementsAre(std::sin(1.f), std::sin(4.f), std::sin(16.f)));
  EXPECT_THAT(cosines, ElementsAre(std::cos(1.f), std::cos(4.f), std::cos(16.f)));
}

} // namespace
