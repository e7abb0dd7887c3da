// Whole programs (programs.metal) on every engine: published answers of FIPS, RFC and the papers, the same
// algorithms of the C++ library, and definitions that are evaluated directly.
#include "emulator/host/assay.h"
#include "tests/support/debug_mode.h"
#include "tests/support/sha256.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace assay::conformance {
namespace {

template <class T> Buffer bufferOf(const std::vector<T> &values) {
  return Device::systemDefault().newBuffer(values.data(), values.size() * sizeof(T));
}
template <class T> std::vector<T> valuesOf(const Buffer &buffer, size_t count) {
  const T *values = static_cast<const T *>(buffer.contents());
  return {values, values + count};
}

class Programs : public testing::TestWithParam<Engine> {
protected:
  /// Runs a kernel of programs.metal with buffers at 0, 1, 2, ...
  static void run(const char *kernel, uint32_t groups, uint32_t threads, const std::vector<Buffer> &buffers) {
    const Device device = Device::systemDefault();
    static const Result<Library> library =
        device.newLibraryWithFile(std::string(ASSAY_CONFORMANCE_DIR) + "/programs.metal");
    ASSERT_TRUE(library) << renderDiagnostics(library.error().diagnostics);
    PipelineOptions options;
    options.debug = testing_support::kernelsAreForTheDebugger();
    options.engine = options.debug ? Engine::Auto : GetParam();
    const auto pipeline = device.newComputePipelineState(*library->newFunction(kernel), options);
    ASSERT_TRUE(pipeline) << renderDiagnostics(pipeline.error().diagnostics);
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(*pipeline);
    for (uint32_t i = 0; i < buffers.size(); ++i)
      encoder.setBuffer(buffers[i], 0, i);
    const auto report = encoder.dispatchThreadgroups({groups}, {threads});
    ASSERT_TRUE(report) << renderDiagnostics(report.error().diagnostics);
  }
};

// source: FIPS 180-4; the constants are the roots of the first primes.
TEST_P(Programs, Sha256) {
  const auto fraction = [](unsigned prime, int power) {
    const long double root = power == 2 ? sqrtl(prime) : cbrtl(prime);
    return uint32_t(uint64_t(root * 0x1p32L));
  };
  std::vector<unsigned> primes;
  for (unsigned n = 2; primes.size() < 64; ++n)
    if (std::ranges::none_of(primes, [&](unsigned p) { return n % p == 0; }))
      primes.push_back(n);
  std::vector<uint32_t> tables;
  for (int i = 0; i < 8; ++i)
    tables.push_back(fraction(primes[size_t(i)], 2));
  for (unsigned prime : primes)
    tables.push_back(fraction(prime, 3));
  std::mt19937 random(1);
  std::string text;
  std::vector<uint32_t> spans;
  std::vector<std::string> messages{"", "abc"};
  for (size_t length : {1, 3, 54, 55, 56, 57, 63, 64, 65, 111, 119, 120, 127, 128, 129, 40, 0, 64, 63, 200})
    for (int copy = 0; copy < 2; ++copy) {
      std::string &message = messages.emplace_back(length, 0);
      std::ranges::generate(message, [&] { return char(random()); });
    }
  for (const std::string &message : messages) {
    spans.insert(spans.end(), {uint32_t(text.size()), uint32_t(message.size())});
    text += message;
  }
  const auto count = uint32_t(messages.size());
  const Buffer digests = Device::systemDefault().newBuffer(size_t(count) * 32);
  run("sha256", 2, 32,
      {bufferOf(std::vector<char>(text.begin(), text.end())), bufferOf(spans), bufferOf(tables), digests,
       bufferOf<uint32_t>({count})});
  const std::vector<uint8_t> bytes = valuesOf<uint8_t>(digests, size_t(count) * 32);
  for (size_t i = 0; i < count; ++i) {
    std::string digest;
    for (size_t byte = 0; byte < 32; ++byte)
      for (int shift : {4, 0})
        digest += "0123456789abcdef"[bytes[32 * i + byte] >> shift & 15];
    EXPECT_EQ(digest, testing_support::sha256(messages[i])) << "of " << messages[i].size() << " bytes";
    if (i == 1) {
      EXPECT_EQ(digest, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
  }
}

// source: RFC 8439, section 2.3.2
TEST_P(Programs, ChaCha20) {
  std::vector<uint32_t> key(12);
  for (uint32_t i = 0; i < 8; ++i)
    key[i] = 0x03020100 + i * 0x04040404;
  key[8] = 0x09000000, key[9] = 0x4a000000, key[11] = 0; // block 1 is thread 1
  const Buffer stream = Device::systemDefault().newBuffer(32 * 64);
  run("chacha20", 1, 32, {bufferOf(key), stream});
  const std::vector<uint32_t> words = valuesOf<uint32_t>(stream, 32);
  EXPECT_EQ(std::vector(words.begin() + 16, words.end()),
            (std::vector<uint32_t>{0xe4e7f110, 0x15593bd1, 0x1fdd0f50, 0xc47120a3, 0xc7f4d1c7, 0x0368c033,
                                   0x9aaa2204, 0x4e6cd4c3, 0x466482d2, 0x09aa9f07, 0x05d7c214, 0xa2028bd9,
                                   0xd19c12b5, 0xb94e16de, 0xe883d0cb, 0x4e3c50a2}));
}

// source: FIPS 197, appendix C.1
TEST_P(Programs, Aes128) {
  std::vector<uint8_t> key(16), plain(16), text;
  for (uint8_t i = 0; i < 16; ++i)
    key[i] = i, plain[i] = uint8_t(i * 0x11);
  for (int block = 0; block < 50; ++block)
    text.insert(text.end(), plain.begin(), plain.end());
  const Buffer data = bufferOf(text);
  run("aes128", 2, 48, {bufferOf(key), data, bufferOf<uint32_t>({49})});
  const std::vector<uint8_t> cipher{0x69, 0xc4, 0xe0, 0xd8, 0x6a, 0x7b, 0x04, 0x30,
                                    0xd8, 0xcd, 0xb7, 0x80, 0x70, 0xb4, 0xc5, 0x5a};
  const std::vector<uint8_t> bytes = valuesOf<uint8_t>(data, 50 * 16);
  for (auto block = bytes.begin(); block != bytes.end(); block += 16)
    EXPECT_EQ(std::vector(block, block + 16), bytes.end() - block == 16 ? plain : cipher);
}

TEST_P(Programs, MersenneTwister) {
  const Buffer out = Device::systemDefault().newBuffer(32 * sizeof(uint32_t));
  run("twister", 1, 32, {out});
  for (uint32_t i = 0; i < 32; ++i) {
    std::mt19937 random(5489 + i * 77);
    random.discard(999);
    EXPECT_EQ(valuesOf<uint32_t>(out, 32)[i], random()) << i;
  }
}

// source: the known answers of Random123 for philox4x32-10
TEST_P(Programs, Philox) {
  const std::vector<uint32_t> counters{0,   0,   0,          0,          ~0u,        ~0u,
                                       ~0u, ~0u, 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
      keys{0, 0, ~0u, ~0u, 0xa4093822, 0x299f31d0},
      expected{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8, 0x408f276d, 0x41c83b0e,
               0xa20bc7c6, 0x6d5451fd, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  const Buffer out = Device::systemDefault().newBuffer(3 * 16);
  run("philox", 1, 3, {bufferOf(counters), bufferOf(keys), out});
  EXPECT_EQ(valuesOf<uint32_t>(out, 12), expected);
}

TEST_P(Programs, ScanWithDecoupledLookBack) {
  constexpr uint32_t kCount = 256 * 40 + 77, kTiles = 41;
  std::mt19937 random(2);
  std::vector<uint32_t> in(kCount), expected(kCount);
  std::ranges::generate(in, [&] { return random() % 1000; });
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), 0u);
  const Buffer out = Device::systemDefault().newBuffer(kCount * 4);
  run("look_back", kTiles, 64,
      {bufferOf(in), out, bufferOf(std::vector<uint32_t>(kTiles)), bufferOf<uint32_t>({0}),
       bufferOf<uint32_t>({kCount})});
  EXPECT_EQ(valuesOf<uint32_t>(out, kCount), expected);
}

TEST_P(Programs, LargestOfEachRow) {
  constexpr int kColumns = 333, kRows = 4;
  std::mt19937 random(3);
  std::vector<float> x(kColumns * kRows), values;
  std::ranges::generate(x, [&] { return float(int(random() % 120) - 60); });
  std::vector<int> indices;
  for (int row = 0; row < kRows; ++row) {
    std::vector<int> order(kColumns);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(), [&](int i) { return x[size_t(row * kColumns + i)]; });
    for (int i = 0; i < 32; ++i) {
      indices.push_back(order[size_t(i)]);
      values.push_back(x[size_t(row * kColumns + order[size_t(i)])]);
    }
  }
  const Buffer v = Device::systemDefault().newBuffer(kRows * 128),
               i = Device::systemDefault().newBuffer(kRows * 128);
  run("largest", kRows, 128, {bufferOf(x), v, i, bufferOf<int>({kColumns})});
  EXPECT_EQ(valuesOf<float>(v, values.size()), values);
  EXPECT_EQ(valuesOf<int>(i, indices.size()), indices);
}

TEST_P(Programs, NumberTheoreticTransform) {
  constexpr uint64_t kPrime = 0xffffffff00000001;
  const auto product = [](uint64_t a, uint64_t b) {
    return uint64_t(static_cast<unsigned __int128>(a) * b % kPrime);
  };
  uint64_t root = 1; // 7 generates the group
  for (uint64_t e = (kPrime - 1) / 128, square = 7; e; e >>= 1, square = product(square, square))
    root = e & 1 ? product(root, square) : root;
  std::mt19937_64 random(4);
  std::vector<uint64_t> x(256), expected;
  std::ranges::generate(x, [&] { return random() % 5 ? random() % kPrime : kPrime - 1; });
  for (size_t row = 0; row < 256; row += 128)
    for (int k = 0; k < 128; ++k) {
      uint64_t sum = 0, step = 1, power = 1;
      for (int n = 0; n < k; ++n)
        step = product(step, root);
      for (size_t n = 0; n < 128; ++n, power = product(power, step))
        sum = uint64_t((static_cast<unsigned __int128>(sum) + product(x[row + n], power)) % kPrime);
      expected.push_back(sum);
    }
  const Buffer data = bufferOf(x);
  run("transform", 2, 64, {data, bufferOf<uint64_t>({root})});
  EXPECT_EQ(valuesOf<uint64_t>(data, 256), expected);
}

INSTANTIATE_TEST_SUITE_P(, Programs,
                         testing::Values(Engine::Fiber, Engine::Both, Engine::Reference, Engine::Auto),
                         [](const auto &info) {
                           return std::string(info.param == Engine::Fiber       ? "Fiber"
                                              : info.param == Engine::Both      ? "Both"
                                              : info.param == Engine::Reference ? "Reference"
                                                                                : "Auto");
                         });

} // namespace
} // namespace assay::conformance
