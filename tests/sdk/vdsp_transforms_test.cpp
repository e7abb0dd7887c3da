// vDSP's transforms against the sums that define them, in long double.
#include <Accelerate/vDSP.h>

#include <cmath>
#include <gmock/gmock.h>
#include <vector>

namespace {

using Exact = long double;

struct Complexes {
  std::vector<Exact> re, im;
};

// sum of x[j] e^(-+ 2 pi i j k / n)
Complexes naive(const Complexes &x, int direction) {
  const size_t n = x.re.size();
  Complexes y{std::vector<Exact>(n), std::vector<Exact>(n)};
  for (size_t k = 0; k < n; ++k)
    for (size_t j = 0; j < n; ++j) {
      const Exact turn = -2 * direction * acosl(-1) * Exact(j * k % n) / Exact(n), c = cosl(turn),
                  s = sinl(turn);
      y.re[k] += x.re[j] * c - x.im[j] * s;
      y.im[k] += x.re[j] * s + x.im[j] * c;
    }
  return y;
}

// Numbers in -1..1 without a pattern.
Complexes numbers(size_t n) {
  Complexes x;
  uint32_t state = uint32_t(n) + 7;
  const auto next = [&] {
    state = state * 1664525 + 1013904223;
    return Exact(int32_t(state)) / 2147483648.0L;
  };
  for (size_t i = 0; i < n; ++i) {
    x.re.push_back(float(next()));
    x.im.push_back(float(next()));
  }
  return x;
}

template <class T> std::vector<T> as(const std::vector<Exact> &values) {
  return {values.begin(), values.end()};
}

// Floats are rounded once; in double, sums of n numbers in 1 have the error of their steps.
template <class T>
void expectNear(const std::vector<T> &is, const std::vector<Exact> &should, Exact factor = 1) {
  ASSERT_EQ(is.size(), should.size());
  const Exact n = Exact(should.size());
  const Exact most = factor * (sizeof(T) == 4 ? 2.4e-7L : 2e-16L * sqrtl(n) * (1 + log2l(n)));
  for (size_t i = 0; i < is.size(); ++i)
    EXPECT_NEAR(double(is[i]), double(should[i] * factor), double(most * (1 + fabsl(should[i])))) << i;
}

// What belongs to N real numbers: the packed form of vDSP.
Complexes packed(const Complexes &whole) {
  const size_t half = whole.re.size() / 2;
  Complexes y{{whole.re.begin(), whole.re.begin() + half}, {whole.im.begin(), whole.im.begin() + half}};
  y.im[0] = whole.re[half];
  return y;
}

TEST(VdspTransforms, OfComplexNumbersAreTheirDefinition) {
  const FFTSetup setup = vDSP_create_fftsetup(10, kFFTRadix2);
  const FFTSetupD setupD = vDSP_create_fftsetupD(10, kFFTRadix2);
  for (const vDSP_Length log2n : {0, 1, 2, 5, 10})
    for (const int direction : {kFFTDirection_Forward, kFFTDirection_Inverse}) {
      const Complexes x = numbers(size_t(1) << log2n), y = naive(x, direction);
      std::vector<float> re = as<float>(x.re), im = as<float>(x.im);
      DSPSplitComplex c = {re.data(), im.data()};
      vDSP_fft_zip(setup, &c, 1, log2n, direction);
      expectNear(re, y.re);
      expectNear(im, y.im);
      std::vector<double> reD = as<double>(x.re), imD = as<double>(x.im), outRe(reD.size()),
                          outIm(imD.size());
      DSPDoubleSplitComplex a = {reD.data(), imD.data()}, b = {outRe.data(), outIm.data()};
      vDSP_fft_zopD(setupD, &a, 1, &b, 1, log2n, direction);
      expectNear(outRe, y.re);
      expectNear(outIm, y.im);
    }
  vDSP_destroy_fftsetup(setup);
  vDSP_destroy_fftsetupD(setupD);
  EXPECT_EQ(vDSP_create_fftsetup(4, kFFTRadix3), nullptr);
}

TEST(VdspTransforms, OfRealNumbersArePackedAndTwiceAsLarge) {
  const vDSP_Length log2n = 6, n = 64;
  Complexes x = numbers(n);
  for (Exact &im : x.im)
    im = 0;
  const Complexes y = packed(naive(x, 1));
  std::vector<float> signal = as<float>(x.re), re(n / 2), im(n / 2), again(n);
  DSPSplitComplex c = {re.data(), im.data()};
  vDSP_ctoz(reinterpret_cast<const DSPComplex *>(signal.data()), 2, &c, 1, n / 2);
  EXPECT_EQ(re[3], signal[6]);
  EXPECT_EQ(im[3], signal[7]);
  const FFTSetup setup = vDSP_create_fftsetup(log2n, kFFTRadix2);
  vDSP_fft_zrip(setup, &c, 1, log2n, FFT_FORWARD);
  expectNear(re, y.re, 2);
  expectNear(im, y.im, 2);
  vDSP_fft_zrip(setup, &c, 1, log2n, FFT_INVERSE);
  vDSP_ztoc(&c, 1, reinterpret_cast<DSPComplex *>(again.data()), 2, n / 2);
  expectNear(again, x.re, 2 * n);
  vDSP_destroy_fftsetup(setup);
}

TEST(VdspTransforms, OfOtherLengthsHaveASetupOfTheirOwn) {
  for (const vDSP_Length n : {8, 24, 40, 120, 480}) {
    const Complexes x = numbers(n), y = naive(x, 1), z = naive(x, -1);
    const vDSP_DFT_Setup forward = vDSP_DFT_zop_CreateSetup(nullptr, n, vDSP_DFT_FORWARD);
    const vDSP_DFT_SetupD inverse = vDSP_DFT_zop_CreateSetupD(nullptr, n, vDSP_DFT_INVERSE);
    const std::vector<float> re = as<float>(x.re), im = as<float>(x.im);
    const std::vector<double> reD = as<double>(x.re), imD = as<double>(x.im);
    std::vector<float> outRe(n), outIm(n);
    std::vector<double> outReD(n), outImD(n);
    vDSP_DFT_Execute(forward, re.data(), im.data(), outRe.data(), outIm.data());
    vDSP_DFT_ExecuteD(inverse, reD.data(), imD.data(), outReD.data(), outImD.data());
    expectNear(outRe, y.re);
    expectNear(outIm, y.im);
    expectNear(outReD, z.re);
    expectNear(outImD, z.im);
    vDSP_DFT_DestroySetup(forward);
    vDSP_DFT_DestroySetupD(inverse);
  }
  const vDSP_Length n = 48;
  Complexes x = numbers(n);
  for (Exact &im : x.im)
    im = 0;
  std::vector<float> even, odd, re(n / 2), im(n / 2);
  for (size_t i = 0; i < n; i += 2) {
    even.push_back(float(x.re[i]));
    odd.push_back(float(x.re[i + 1]));
  }
  const vDSP_DFT_Setup real = vDSP_DFT_zrop_CreateSetup(nullptr, n, vDSP_DFT_FORWARD);
  vDSP_DFT_Execute(real, even.data(), odd.data(), re.data(), im.data());
  vDSP_DFT_DestroySetup(real);
  const Complexes y = packed(naive(x, 1));
  expectNear(re, y.re, 2);
  expectNear(im, y.im, 2);
  for (const vDSP_Length wrong : {0, 1, 4, 7, 12, 56, 72})
    EXPECT_EQ(vDSP_DFT_zop_CreateSetup(nullptr, wrong, vDSP_DFT_FORWARD), nullptr) << wrong;
  EXPECT_EQ(vDSP_DFT_zrop_CreateSetup(nullptr, 24, vDSP_DFT_FORWARD), nullptr);
}

TEST(VdspTransforms, StridesCountNumbers) {
  const FFTSetup setup = vDSP_create_fftsetup(3, kFFTRadix2);
  const Complexes x = numbers(8), y = naive(x, 1);
  std::vector<float> re(16, -5), im(16, -5), outRe(24, -5), outIm(24, -5);
  for (size_t i = 0; i < 8; ++i) {
    re[2 * i] = float(x.re[i]);
    im[2 * i] = float(x.im[i]);
  }
  const DSPSplitComplex a = {re.data(), im.data()}, c = {outRe.data(), outIm.data()};
  vDSP_fft_zop(setup, &a, 2, &c, 3, 3, FFT_FORWARD);
  for (size_t i = 0; i < 8; ++i) {
    EXPECT_NEAR(outRe[3 * i], double(y.re[i]), 1e-6);
    EXPECT_NEAR(outIm[3 * i], double(y.im[i]), 1e-6);
    EXPECT_EQ(outRe[3 * i + 1], -5);
  }
  vDSP_destroy_fftsetup(setup);
}

TEST(VdspTransforms, BeyondTheirSetupEndTheProcess) {
  const FFTSetup setup = vDSP_create_fftsetup(2, kFFTRadix2);
  std::vector<float> re(8), im(8);
  const DSPSplitComplex c = {re.data(), im.data()};
  EXPECT_DEATH(vDSP_fft_zip(setup, &c, 1, 3, FFT_FORWARD), "a transform of 8 numbers with a setup for 4");
  vDSP_destroy_fftsetup(setup);
}

TEST(VdspTransforms, WindowsAndMagnitudes) {
  std::vector<float> window(4, -1);
  vDSP_hann_window(window.data(), 4, vDSP_HANN_DENORM);
  EXPECT_THAT(window, testing::Pointwise(testing::FloatEq(), std::vector<float>{0, 0.5, 1, 0.5}));
  vDSP_hamm_window(window.data(), 4, 0);
  EXPECT_THAT(window,
              testing::Pointwise(testing::FloatNear(1e-6f), std::vector<float>{0.08f, 0.54f, 1, 0.54f}));
  window.assign(4, -1);
  vDSP_blkman_window(window.data(), 4, vDSP_HALF_WINDOW);
  EXPECT_THAT(window, testing::Pointwise(testing::FloatNear(1e-6f), std::vector<float>{0, 0.34f, -1, -1}));
  std::vector<float> re = {3, 0}, im = {4, -2}, out(2);
  const DSPSplitComplex c = {re.data(), im.data()};
  vDSP_zvabs(&c, 1, out.data(), 1, 2);
  EXPECT_THAT(out, testing::ElementsAre(5, 2));
  vDSP_zvmags(&c, 1, out.data(), 1, 2);
  EXPECT_THAT(out, testing::ElementsAre(25, 4));
  vDSP_zvphas(&c, 1, out.data(), 1, 2);
  EXPECT_THAT(out,
              testing::Pointwise(testing::FloatEq(), std::vector<float>{std::atan2(4.f, 3.f), -1.5707964f}));
}

} // namespace
