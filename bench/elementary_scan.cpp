// Proves, or disproves, that an elementary function of the shim is correctly rounded: every float against
// MPFR.
//
// The shim computes a double and rounds it once, so its float is wrong only if a boundary between two floats
// lies between the double and the exact value. MPFR is asked only where the double is within kNear of a
// boundary; that kNear bounds the error of the double is checked on every kSample-th argument besides.
//
//   elementary_scan [name ...]    all functions without a name; a line for each, then its wrongly rounded
//   arguments exit code                     0 if all are correctly rounded
#include "../tests/shim/exact.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#define ASSAY_ELEMENTARY(name, mpfr) extern "C" void shim_wide_##name(const float *in, double *out, size_t n);
#include "../tests/shim/elementary.def"
#undef ASSAY_ELEMENTARY

namespace {

constexpr double kNear = 0x1p-46; // relative
constexpr uint32_t kSample = 4099;
constexpr uint32_t kChunk = 1 << 16;

struct Function {
  const char *name;
  void (*wide)(const float *, double *, size_t);
  int (*exact)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
};
const Function kFunctions[] = {
#define ASSAY_ELEMENTARY(name, mpfr) {#name, shim_wide_##name, mpfr},
#include "../tests/shim/elementary.def"
#undef ASSAY_ELEMENTARY
};

struct Findings {
  std::vector<float> wrong;
  uint64_t asked = 0;
  double worst = 0; // error of the double, relative, in units of 2^-53
};

bool nearBoundary(double value) {
  const float rounded = static_cast<float>(value);
  if (!std::isfinite(value) || value == 0 || std::isinf(rounded))
    return std::isfinite(value) && value != 0 && std::fabs(std::fabs(value) - 0x1.ffffffp127) < 0x1p90;
  const double up = (static_cast<double>(rounded) + std::nextafterf(rounded, INFINITY)) / 2;
  const double down = (static_cast<double>(rounded) + std::nextafterf(rounded, -INFINITY)) / 2;
  const double near = std::fabs(value) * kNear;
  return std::fabs(value - up) <= near || std::fabs(value - down) <= near;
}

bool same(float a, float b) {
  return (std::isnan(a) && std::isnan(b)) || std::memcmp(&a, &b, 4) == 0;
}

Findings scan(const Function &f, uint32_t part, uint32_t parts) {
  Findings found;
  mpfr_t x, y, d;
  mpfr_init2(x, 24);
  mpfr_init2(y, 200);
  mpfr_init2(d, 200);
  std::vector<float> in(kChunk);
  std::vector<double> out(kChunk);
  for (uint64_t chunk = part; chunk < (1ull << 32) / kChunk; chunk += parts) {
    for (uint32_t i = 0; i < kChunk; ++i) {
      const uint32_t bits = static_cast<uint32_t>(chunk * kChunk + i);
      std::memcpy(&in[i], &bits, 4);
    }
    f.wide(in.data(), out.data(), kChunk);
    for (uint32_t i = 0; i < kChunk; ++i) {
      const bool sampled = (chunk * kChunk + i) % kSample == 0 || !std::isfinite(out[i]);
      const bool asked = nearBoundary(out[i]);
      if (!sampled && !asked)
        continue;
      if (std::isnan(in[i]) && std::isnan(out[i]))
        continue;
      mpfr_set_flt(x, in[i], MPFR_RNDN);
      f.exact(y, x, MPFR_RNDN);
      found.asked += asked;
      if (!same(mpfr_get_flt(y, MPFR_RNDN), static_cast<float>(out[i])))
        found.wrong.push_back(in[i]);
      if (mpfr_regular_p(y) && std::isfinite(out[i]) && mpfr_get_exp(y) < 1000 && mpfr_get_exp(y) > -280) {
        mpfr_sub_d(d, y, out[i], MPFR_RNDN);
        mpfr_div(d, d, y, MPFR_RNDN);
        const double error = std::fabs(mpfr_get_d(d, MPFR_RNDN)) * 0x1p53;
        if (error > found.worst && std::isfinite(static_cast<float>(out[i])) && std::fabs(out[i]) >= 0x1p-150)
          found.worst = error;
      }
    }
  }
  mpfr_clears(x, y, d, static_cast<mpfr_ptr>(nullptr));
  return found;
}

bool report(const Function &f) {
  const uint32_t workers = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Findings> parts(workers);
  std::vector<std::thread> threads;
  for (uint32_t w = 0; w < workers; ++w)
    threads.emplace_back([&, w] { parts[w] = scan(f, w, workers); });
  for (std::thread &t : threads)
    t.join();
  Findings all;
  for (const Findings &p : parts) {
    all.wrong.insert(all.wrong.end(), p.wrong.begin(), p.wrong.end());
    all.asked += p.asked;
    all.worst = std::max(all.worst, p.worst);
  }
  const bool bounded = all.worst * 0x1p-53 < kNear;
  std::printf("%-8s %zu wrongly rounded, %llu near a boundary, double within %.2f x 2^-53%s\n", f.name,
              all.wrong.size(), static_cast<unsigned long long>(all.asked), all.worst,
              bounded ? "" : ": more than was assumed, the scan proves nothing");
  for (size_t i = 0; i < all.wrong.size() && i < 20; ++i)
    std::printf("  %a\n", all.wrong[i]);
  std::fflush(stdout);
  return bounded && all.wrong.empty();
}

} // namespace

int main(int count, char **arguments) {
  bool good = true;
  for (const Function &f : kFunctions) {
    bool wanted = count == 1;
    for (int i = 1; i < count; ++i)
      wanted = wanted || std::string(arguments[i]) == f.name;
    if (wanted)
      good = report(f) && good;
  }
  return good ? 0 : 1;
}
