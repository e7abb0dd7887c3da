// What a lane reads from one that takes no part: kernels as they are published, and what follows for them
// from one machine, which is written down here: 32 registers for each variable,
// one instruction for all lanes after the other.
#include "host/assay.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>

namespace assay {
namespace {

using Lanes = std::vector<float>;

// ---- what must come out ----

Lanes prefixSums(const Lanes &x) {
  Lanes sums(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    sums[i] = x[i] + (i % 32 ? sums[i - 1] : 0);
  return sums;
}

// Each lane's from the lane that `source` names in its simdgroup; its own if there is none.
Lanes each(const Lanes &x, const std::function<float(const Lanes &simdgroup, uint32_t lane)> &value) {
  Lanes result;
  for (size_t first = 0; first < x.size(); first += 32) {
    const Lanes simdgroup(x.begin() + long(first), x.begin() + long(std::min(first + 32, x.size())));
    for (uint32_t lane = 0; lane < simdgroup.size(); ++lane)
      result.push_back(value(simdgroup, lane));
  }
  return result;
}

using Step = std::function<void(Lanes &x, const Lanes &before)>; ///< of one simdgroup
Lanes stepByStep(const Lanes &x, const std::vector<Step> &steps) {
  Lanes result;
  for (size_t first = 0; first < x.size(); first += 32) {
    Lanes now(x.begin() + long(first), x.begin() + long(std::min(first + 32, x.size())));
    for (const Step &step : steps) {
      const Lanes before = now;
      step(now, before);
    }
    result.insert(result.end(), now.begin(), now.end());
  }
  return result;
}

// ---- the table ----

struct Row {
  const char *name;
  const char *body; ///< of a kernel with `float x` of each thread, which it changes
  std::function<Lanes(const Lanes &)> expected;
};

void PrintTo(const Row &row, std::ostream *out) {
  *out << row.name;
}

constexpr const char *kFunctions = R"(#include <metal_stdlib>
using namespace metal;

template <typename T> T scan(T x, ushort lane) {
  if (lane >= 1) x += simd_shuffle_up(x, 1);
  if (lane >= 2) x += simd_shuffle_up(x, 2);
  if (lane >= 4) x += simd_shuffle_up(x, 4);
  if (lane >= 8) x += simd_shuffle_up(x, 8);
  if (lane >= 16) x += simd_shuffle_up(x, 16);
  return x;
}
static void step(thread float &x, ushort lane, ushort d) {
  if (lane >= d)
    x += simd_shuffle_up(x, d);
}
static float above(float x) {
  return simd_shuffle_up(x, 1);
}
)";

Lanes upByOne(const Lanes &x) { // of the lane below, where there is one
  return each(x, [](const Lanes &s, uint32_t lane) { return lane ? s[lane - 1] : s[lane]; });
}

const Row kRows[] = {
    {"steps",
     "if (lane >= 1) x += simd_shuffle_up(x, 1); if (lane >= 2) x += simd_shuffle_up(x, 2);"
     "if (lane >= 4) x += simd_shuffle_up(x, 4); if (lane >= 8) x += simd_shuffle_up(x, 8);"
     "if (lane >= 16) x += simd_shuffle_up(x, 16);",
     prefixSums},
    {"ternary", "for (ushort d = 1; d < 32; d *= 2) x = lane >= d ? x + simd_shuffle_up(x, d) : x;",
     prefixSums},
    {"ternary_zero", "for (ushort d = 1; d < 32; d *= 2) x += lane >= d ? simd_shuffle_up(x, d) : 0.0f;",
     prefixSums},
    {"strides", "for (ushort d = 1; d < 32; d *= 2) if (lane >= d) x += simd_shuffle_up(x, d);", prefixSums},
    {"shifted",
     "for (ushort d = 1; d < 32; d <<= 1) { if (lane >= d) { float y = simd_shuffle_up(x, d); x = y + x; } }",
     prefixSums},
    {"run_time_strides", "for (ushort d = 1; d < width; d *= 2) if (lane >= d) x += simd_shuffle_up(x, d);",
     prefixSums},
    {"unroll",
     "_Pragma(\"unroll\") for (ushort d = 1; d < 32; d *= 2) if (lane >= d) x += simd_shuffle_up(x, d);",
     prefixSums},
    {"early_continue",
     "for (ushort d = 1; d < width; d *= 2) { if (lane < d) continue; x += simd_shuffle_up(x, d); }",
     prefixSums},
    {"while_loop", "ushort d = 1; while (d < width) { if (lane >= d) x += simd_shuffle_up(x, d); d *= 2; }",
     prefixSums},
    {"do_loop", "ushort d = 1; do { if (lane >= d) x += simd_shuffle_up(x, d); d *= 2; } while (d < width);",
     prefixSums},
    {"function", "x = scan(x, lane);", prefixSums},
    {"by_reference", "for (ushort d = 1; d < 32; d *= 2) step(x, lane, d);", prefixSums},
    {"lambda",
     "auto f = [&](ushort d) { if (lane >= d) x += simd_shuffle_up(x, d); }; f(1); f(2); f(4); f(8); f(16);",
     prefixSums},
    {"switched",
     "for (ushort d = 1; d < width; d *= 2) switch (lane >= d) { case true: x += simd_shuffle_up(x, d); "
     "break; default: break; }",
     prefixSums},
    {"ints", "int i = int(x); i = scan(i, lane); x = float(i);", prefixSums},
    {"uints", "uint i = uint(x); i = scan(i, lane); x = float(i);", prefixSums},
    {"shorts", "short i = short(x); i = scan(i, lane); x = float(i);", prefixSums},
    {"ushorts", "ushort i = ushort(x); i = scan(i, lane); x = float(i);", prefixSums},
    {"uchars", "uchar i = uchar(uint(x) & 1u); i = scan(i, lane); x = float(i);",
     [](const Lanes &x) {
       return prefixSums(each(x, [](const Lanes &s, uint32_t lane) { return float(uint32_t(s[lane]) & 1); }));
     }},
    {"halves", "half h = half(x); h = scan(h, lane); x = float(h);", prefixSums},
    {"float2s", "float2 v = float2(x, 2 * x); v = scan(v, lane); x = v.y - v.x;", prefixSums},
    {"float3s", "float3 v = float3(x, 2 * x, 4 * x); v = scan(v, lane); x = v.z - v.y - v.x;", prefixSums},
    {"float4s", "float4 v = float4(x, 2 * x, 4 * x, 8 * x); v = scan(v, lane); x = v.w - v.z - v.y - v.x;",
     prefixSums},
    {"half4s", "half4 v = half4(half(x)) * half4(1, 2, 3, 4); v = scan(v, lane); x = float(v.w - v.z);",
     prefixSums},
    {"half2s", "half2 v = half2(half(x), 0); v = scan(v, lane); x = float(v.x + v.y);", prefixSums},
    {"int3s",
     "int3 v = int3(int(x), 1, -int(x)); v = scan(v, lane); x = v.x + (v.y - 1 - int(lane)) + 2 * (v.x + "
     "v.z);",
     prefixSums},
    {"ushort4s", "ushort4 v = ushort4(ushort(x), 1, 2, 3); v = scan(v, lane); x = v.x + (v.w - v.z - v.y);",
     prefixSums},
    {"a_component",
     "float2 v = float2(1, x); for (ushort d = 1; d < 32; d *= 2) if (lane >= d) v.y += simd_shuffle_up(v.y, "
     "d); x = v.y;",
     prefixSums},
    {"an_array",
     "float a[3] = {x, 2 * x, 4 * x}; for (ushort d = 1; d < 32; d *= 2) for (int k = 0; k < 3; ++k) if "
     "(lane >= d) "
     "a[k] += simd_shuffle_up(a[k], d); x = a[2] - a[1] - a[0];",
     prefixSums},
    {"a_member",
     "struct { float a, b; } s = {x, 1}; for (ushort d = 1; d < 32; d *= 2) if (lane >= d) s.a += "
     "simd_shuffle_up(s.a, d); x = s.a;",
     prefixSums},
    {"bits", "uint u = as_type<uint>(x); if (lane >= 1) u = simd_shuffle_up(u, 1); x = as_type<float>(u);",
     upByOne},
    {"bits_inside", "if (lane >= 1) x = as_type<float>(simd_shuffle_up(as_type<uint>(x), 1));", upByOne},
    // The value is needed by nobody else, so LLVM would compute it inside of the `if`.
    {"not_moved_into_the_if",
     "float t = x * 7 + 1; float y = 0; if (lane >= 1) y = simd_shuffle_up(t, 1); x = y;",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) { return lane ? s[lane - 1] * 7 + 1 : 0; });
     }},
    {"computed_in_the_if", "float y = 0; if (lane >= 1) y = simd_shuffle_up(x * 7 + 1, 1); x = y;",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) {
         return lane == 0 ? 0 : lane == 1 ? s[1] * 7 + 1 : s[lane - 1] * 7 + 1; // lane 0 has not computed it
       });
     }},
    {"one_of_two", "float t = 100; if (lane & 1) t = x; if (lane >= 4) x = simd_shuffle_up(t, 2);",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) {
         return lane < 4 ? s[lane] : lane & 1 ? s[lane - 2] : 100;
       });
     }},
    {"returned", "data[place_] = x; if (lane == 5) return; x = simd_shuffle_up(x, 1);",
     upByOne /* but for lane 5: see there */},
    {"returned_later",
     "x += 1; data[place_] = x; if (lane % 4 == 1) return; x = x * 2; data[place_] = x; if (lane % 4 == 2) "
     "return; "
     "x = simd_shuffle_up(x, 1);",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) {
         const auto last = [&](uint32_t l) { return l % 4 == 1 ? s[l] + 1 : (s[l] + 1) * 2; };
         return lane % 4 == 1 || lane % 4 == 2 || lane == 0 ? last(lane) : last(lane - 1);
       });
     }},
    {"changed_each_time",
     "for (ushort d = 1; d < width; d *= 2) { x = x + lane; if (lane >= d) x += simd_shuffle_up(x, d); }",
     [](const Lanes &x) {
       std::vector<Step> steps;
       for (uint32_t d = 1; d < 32; d *= 2) {
         steps.push_back([](Lanes &x, const Lanes &) {
           for (uint32_t l = 0; l < x.size(); ++l)
             x[l] += float(l);
         });
         steps.push_back([d](Lanes &x, const Lanes &b) {
           for (uint32_t l = d; l < x.size(); ++l)
             x[l] += b[l - d];
         });
       }
       return stepByStep(x, steps);
     }},
    {"changed_after_it",
     "for (ushort d = 1; d < width; d *= 2) { if (lane >= d) x += simd_shuffle_up(x, d); x = x + 1; }",
     [](const Lanes &x) {
       std::vector<Step> steps;
       for (uint32_t d = 1; d < 32; d *= 2) {
         steps.push_back([d](Lanes &x, const Lanes &b) {
           for (uint32_t l = d; l < x.size(); ++l)
             x[l] += b[l - d];
         });
         steps.push_back([](Lanes &x, const Lanes &) {
           for (float &v : x)
             v += 1;
         });
       }
       return stepByStep(x, steps);
     }},
    {"loaded_each_time",
     "float sum = 0; for (ushort k = 0; k < 4; ++k) { float t = x * (k + 1); if (lane % 3) sum += "
     "simd_shuffle_up(t, 1); } x = sum;",
     [](const Lanes &x) {
       return each(
           x, [](const Lanes &s, uint32_t lane) { return lane % 3 ? s[lane - 1] * (1 + 2 + 3 + 4) : 0; });
     }},
    {"left_the_loop", "for (ushort k = 0; k < lane && k < 6; ++k) x += simd_shuffle_up(x, 1);",
     [](const Lanes &x) {
       std::vector<Step> steps;
       for (uint32_t k = 0; k < 6; ++k)
         steps.push_back([k](Lanes &x, const Lanes &b) {
           for (uint32_t l = k + 1; l < x.size(); ++l)
             x[l] += b[l - 1];
         });
       return stepByStep(x, steps);
     }},
    {"broke_out",
     "for (ushort k = 0; k < width; ++k) { if (lane < k) break; x += simd_shuffle_up(x, 1); if (k == 5) "
     "break; }",
     [](const Lanes &x) {
       std::vector<Step> steps;
       for (uint32_t k = 0; k < 6; ++k)
         steps.push_back([k](Lanes &x, const Lanes &b) {
           for (uint32_t l = k; l < x.size(); ++l)
             x[l] += l ? b[l - 1] : b[l];
         });
       return stepByStep(x, steps);
     }},
    // The even lanes go on, and must not change t while the odd ones read it on their way out.
    {"read_on_the_way_out",
     "float t = x; for (ushort k = 0; k < width; k += 8) { if (lane % 2) { "
     "x = simd_shuffle_up(t, 1); break; } t = t * 2 + 1; }",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) { return lane % 2 ? s[lane - 1] : s[lane]; });
     }},
    {"read_before_a_return",
     "float t = x; for (ushort k = 0; k < width; k += 8) { if (lane % 2) { data[place_] = "
     "simd_shuffle_up(t, 1); return; } t = t * 2 + 1; }",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) { return lane % 2 ? s[lane - 1] : s[lane]; });
     }},
    // Lane 0 leaves the loop at once, and must not double its value while the others read it.
    {"changed_after_the_loop",
     "float t = x; for (ushort k = 0; k < lane && k < 3; ++k) t += simd_shuffle_up(t, 1); "
     "if (lane < 8) t = t * 2; if (lane >= 1) x = simd_shuffle_up(t, 1);",
     [](const Lanes &x) {
       std::vector<Step> steps;
       for (uint32_t k = 0; k < 3; ++k)
         steps.push_back([k](Lanes &x, const Lanes &b) {
           for (uint32_t l = k + 1; l < x.size(); ++l)
             x[l] += b[l - 1];
         });
       steps.push_back([](Lanes &x, const Lanes &) {
         for (uint32_t l = 0; l < 8; ++l)
           x[l] *= 2;
       });
       const Lanes t = upByOne(stepByStep(x, steps));
       Lanes result = x;
       for (uint32_t i = 0; i < x.size(); ++i)
         result[i] = i % 32 ? t[i] : x[i];
       return result;
     }},
    {"two_needed_at_once",
     "for (ushort k = 0; k < width; k += 8) { float y = x; x = x + 1; if (lane >= 1) x += simd_shuffle_up(y, "
     "1); }",
     [](const Lanes &x) {
       return stepByStep(x, std::vector<Step>(4, [](Lanes &x, const Lanes &b) {
                           for (uint32_t l = 0; l < x.size(); ++l)
                             x[l] += 1 + (l ? b[l - 1] : 0);
                         }));
     }},
    {"a_function_under_a_condition", "if (lane >= 8) x = above(x);",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) { return lane >= 8 ? s[lane - 1] : s[lane]; });
     }},
    {"nested", "if (lane >= 2) { if (lane % 2) { x += simd_shuffle_up(x, 1); } x += simd_shuffle_up(x, 2); }",
     [](const Lanes &x) {
       return stepByStep(x, {
                                [](Lanes &x, const Lanes &b) {
                                  for (uint32_t l = 3; l < x.size(); l += 2)
                                    x[l] += b[l - 1];
                                },
                                [](Lanes &x, const Lanes &b) {
                                  for (uint32_t l = 2; l < x.size(); ++l)
                                    x[l] += b[l - 2];
                                },
                            });
     }},
    {"tree_down",
     "for (ushort d = 16; d > 0; d /= 2) if (lane < d) x += simd_shuffle_down(x, d); if (lane) x = 0;",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) {
         return lane ? 0 : std::accumulate(s.begin(), s.end(), 0.0f);
       });
     }},
    {"down", "if (lane % 2 == 0) x += simd_shuffle_down(x, 1);",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) { return s[lane] + (lane % 2 ? 0 : s[lane + 1]); });
     }},
    {"xors", "if (lane & 1) x += simd_shuffle_xor(x, 1);",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) { return s[lane] + (lane & 1 ? s[lane ^ 1] : 0); });
     }},
    {"shuffles", "if (lane % 5) x = simd_shuffle(x, ushort(lane / 5 * 5));",
     [](const Lanes &x) { return each(x, [](const Lanes &s, uint32_t lane) { return s[lane / 5 * 5]; }); }},
    {"broadcasts", "if (lane > 3) x = simd_broadcast(x, 3);",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) { return lane > 3 ? s[3] : s[lane]; });
     }},
    {"rotates",
     "float y = x; if (lane < 31) x = simd_shuffle_rotate_down(y, 1); if (lane > 0) x += "
     "simd_shuffle_rotate_up(y, 1);",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) {
         return (lane < 31 ? s[lane + 1] : s[lane]) + (lane ? s[lane - 1] : 0);
       });
     }},
    {"fills_up", "float f = x * 100; if (lane < 2 || lane > 8) x = simd_shuffle_and_fill_up(x, f, 2);",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) {
         return lane < 2 ? s[lane + 30] * 100 : lane > 8 ? s[lane - 2] : s[lane];
       });
     }},
    {"fills_down", "float f = x * 100; if (lane >= 16) x = simd_shuffle_and_fill_down(x, f, 4);",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) {
         return lane < 16 ? s[lane] : lane >= 28 ? s[lane - 28] * 100 : s[lane + 4];
       });
     }},
    {"fills_of_vectors",
     "float2 v = float2(x, 2 * x), f = v * 100; if (lane >= 16) v = simd_shuffle_and_fill_down(v, f, 4); x = "
     "v.y - v.x;",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) {
         return lane < 16 ? s[lane] : lane >= 28 ? s[lane - 28] * 100 : s[lane + 4];
       });
     }},
    {"quads", "float y = 0; if (lane % 4) { y = quad_broadcast(x, 0) + 100 * quad_shuffle_up(x, 1); } x = y;",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) {
         return lane % 4 ? s[lane / 4 * 4] + 100 * s[lane - 1] : 0;
       });
     }},
    {"quads_too",
     "float y = x; if (lane % 4 == 1) y = quad_shuffle_xor(x, 1) + 10 * quad_shuffle_down(x, 1) + 100 * "
     "quad_shuffle(x, 3) "
     "+ 1000 * quad_shuffle_rotate_up(x, 2); x = y;",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) {
         return lane % 4 != 1 ? s[lane]
                              : s[lane - 1] + 10 * s[lane + 1] + 100 * s[lane + 2] + 1000 * s[lane + 2];
       });
     }},
    {"quad_fills",
     "float f = x * 100; if (lane % 4 == 3) x = quad_shuffle_and_fill_down(x, f, 2) + "
     "quad_shuffle_and_fill_up(x, f, 1);",
     [](const Lanes &x) {
       return each(x, [](const Lanes &s, uint32_t lane) {
         return lane % 4 != 3 ? s[lane] : s[lane - 2] * 100 + s[lane - 1];
       });
     }},
    {"after_a_barrier",
     "threadgroup float t[64]; t[thread_] = x; threadgroup_barrier(mem_flags::mem_threadgroup); float y = "
     "t[thread_] * 2; "
     "if (lane >= 1) x = simd_shuffle_up(y, 1) / 2;",
     upByOne},
};

constexpr uint32_t kThreads = 64;

Lanes input(uint32_t threads) {
  Lanes x(threads);
  for (uint32_t i = 0; i < threads; ++i)
    x[i] = float(i * 7 % 13 + 1);
  return x;
}

std::string sourceOf(const char *name, const char *body) {
  return std::string("kernel void ") + name +
         "(device float *data [[buffer(0)]], constant ushort &width [[buffer(1)]], ushort lane "
         "[[thread_index_in_simdgroup]], uint place_ [[thread_position_in_grid]], uint thread_ "
         "[[thread_index_in_threadgroup]], uint group [[threadgroup_position_in_grid]]) {\n  float x = "
         "data[place_];\n  " +
         body + "\n  data[place_] = x;\n}\n";
}

struct AbsentLanes : testing::Test {
  static ComputePipeline pipeline(const std::string &source, const char *name,
                                  NumericsProfile numerics = kAppleNumerics, bool debug = false,
                                  Engine engine = Engine::Auto) {
    Device device = Device::systemDefault();
    CompileOptions options;
    options.debug = debug;
    Result<Library> library = device.newLibraryWithSource(source, options);
    EXPECT_TRUE(library) << (library ? "" : renderDiagnostics(library.error().diagnostics));
    PipelineOptions how;
    how.cache = false;
    how.numerics = numerics;
    how.debug = debug;
    how.engine = engine;
    return *device.newComputePipelineState(*library->newFunction(name), how);
  }
  static Lanes run(const ComputePipeline &pipeline, Lanes x, uint32_t perGroup = kThreads) {
    Device device = Device::systemDefault();
    const Buffer buffer = device.newBuffer(x.data(), x.size() * 4);
    const uint16_t width = 32;
    ComputeCommandEncoder encoder = device.computeCommandEncoder();
    encoder.setComputePipelineState(pipeline);
    encoder.setBuffer(buffer, 0, 0);
    encoder.setBytes(&width, 2, 1);
    const auto done = encoder.dispatchThreads({uint32_t(x.size()), 1, 1}, {perGroup, 1, 1});
    EXPECT_TRUE(done) << (done ? "" : renderDiagnostics(done.error().diagnostics));
    std::memcpy(x.data(), buffer.contents(), x.size() * 4);
    return x;
  }
  static uint32_t meetings(const ComputePipeline &pipeline) {
    uint32_t count = 0;
    for (const SiteInfo &site : pipeline.code().sites)
      count += site.kind == SiteKind::Simd && site.op == SimdOp::Lockstep;
    return count;
  }
};

struct AbsentLanesTable : AbsentLanes, testing::WithParamInterface<Row> {};

TEST_P(AbsentLanesTable, AreReadAsTheyLastWere) {
  const Row &row = GetParam();
  const Lanes x = input(kThreads);
  Lanes expected = row.expected(x);
  if (std::string(row.name) == "returned")
    expected[5] = x[5], expected[37] = x[37];
  const std::string source = kFunctions + sourceOf(row.name, row.body);
  for (const Engine engine : {Engine::Fiber, Engine::Vector})
    EXPECT_EQ(run(pipeline(source, row.name, kAppleNumerics, false, engine), x), expected)
        << (engine == Engine::Fiber ? "fibers" : "vectors");
}

// A variable that is reached through a pointer, or indexed by another one, and a parameter, which is another
// variable than its argument, are not followed there: inactive_lanes.h.
std::vector<Row> rowsWithoutPointers() {
  std::vector<Row> rows;
  for (const Row &row : kRows)
    if (static const std::set<std::string> kOthers{"by_reference", "lambda", "an_array",
                                                   "a_function_under_a_condition", "read_on_the_way_out",
                                                   "read_before_a_return"};
        !kOthers.contains(row.name))
      rows.push_back(row);
  return rows;
}

struct AbsentLanesWithoutOptimisation : AbsentLanes, testing::WithParamInterface<Row> {};

TEST_P(AbsentLanesWithoutOptimisation, AreReadAlike) {
  const Row &row = GetParam();
  const Lanes x = input(kThreads);
  const std::string source = kFunctions + sourceOf(row.name, row.body);
  EXPECT_EQ(run(pipeline(source, row.name, kAppleNumerics, /*debug=*/true), x),
            run(pipeline(source, row.name), x));
}

INSTANTIATE_TEST_SUITE_P(Spellings, AbsentLanesTable, testing::ValuesIn(kRows),
                         [](const auto &info) { return info.param.name; });
INSTANTIATE_TEST_SUITE_P(Spellings, AbsentLanesWithoutOptimisation, testing::ValuesIn(rowsWithoutPointers()),
                         [](const auto &info) { return info.param.name; });

// ---- profiles, and what has nobody to read from ----

constexpr const char *kOneStep = "if (lane >= 1) x += simd_shuffle_up(x, 1);";

TEST_F(AbsentLanes, AreAsTheProfileSays) {
  const std::string source = kFunctions + sourceOf("k", kOneStep);
  const Lanes x = input(32);
  NumericsProfile own = kAppleNumerics, poison = kAppleNumerics;
  own.inactiveLanes = InactiveLanes::Own;
  poison.inactiveLanes = InactiveLanes::Poison;
  EXPECT_EQ(run(pipeline(source, "k"), x)[1], x[0] + x[1]);
  EXPECT_EQ(run(pipeline(source, "k", kIeeeNumerics), x)[1], x[0] + x[1]);
  EXPECT_EQ(run(pipeline(source, "k", own), x)[1], x[1] + x[1]);
  const Lanes poisoned = run(pipeline(source, "k", poison), x);
  EXPECT_TRUE(std::isnan(poisoned[1]));
  for (uint32_t i = 2; i < 32; ++i)
    EXPECT_EQ(poisoned[i], x[i] + x[i - 1]) << "the others are there";
}

TEST_F(AbsentLanes, ThatDoNotExistAreReadAsNotComputed) {
  const std::string source = kFunctions + sourceOf("k", "if (lane != 3) x = simd_shuffle_down(x, 1);");
  const Lanes x = input(20), result = run(pipeline(source, "k"), x, 20);
  for (uint32_t i = 0; i < 20; ++i)
    EXPECT_EQ(result[i], i == 3 || i == 19 ? x[i] : x[i + 1]) << i;
}

TEST_F(AbsentLanes, HaveComputedNothingWhenAThreadgroupBegins) {
  // Lane 0 computes the operand in the first threadgroup only: the second must not see that.
  const std::string source = kFunctions + sourceOf("k", "if (lane == 0 ? group == 0 : true) { float t = x * "
                                                        "2; if (lane >= 1) x = simd_shuffle_up(t, 1); }");
  const Lanes x = input(64), result = run(pipeline(source, "k"), x, 32);
  EXPECT_EQ(result[1], x[0] * 2);
  EXPECT_EQ(result[33], x[33] * 2) << "its own";
  EXPECT_EQ(result[34], x[33] * 2);
}

// ---- what it costs ----

TEST_F(AbsentLanes, CostNothingWhereAllLanesArrive) {
  for (const char *body : {
           "x += simd_shuffle_up(x, 1);",
           "for (ushort d = 16; d > 0; d /= 2) x += simd_shuffle_down(x, d);",
           "for (ushort k = 0; k < width; ++k) x += simd_shuffle_xor(x, 1);",
           "if (group < width) x = simd_broadcast(x, 3);",
           "if (lane >= 1) x += 1; x = simd_shuffle_up(x, 1);",
           "if (lane >= 1) x = simd_sum(x);", // over those that are there
           "if (lane >= 1) x = simd_broadcast_first(x);",
       }) {
    const ComputePipeline made = pipeline(kFunctions + sourceOf("k", body), "k");
    EXPECT_EQ(made.code().publishedBytes, 0u) << body;
    EXPECT_EQ(meetings(made), 0u) << body;
  }
}

TEST_F(AbsentLanes, WaitOnlyWhereTheyWouldBeTooEarly) {
  const auto of = [](const char *body) { return meetings(pipeline(kFunctions + sourceOf("k", body), "k")); };
  EXPECT_EQ(of(kOneStep), 0u);
  EXPECT_EQ(of("x = scan(x, lane);"), 0u) << "the next value is computed after the next step's own site";
  EXPECT_EQ(of("for (ushort d = 1; d < width; d *= 2) if (lane >= d) x += simd_shuffle_up(x, d);"), 0u);
  EXPECT_EQ(of("if (x > 5) return; x *= 2; x = simd_shuffle_up(x, 1);"), 0u)
      << "who has left computes nothing more";
  EXPECT_GE(of("for (ushort d = 1; d < width; d *= 2) { x = x + lane; if (lane >= d) x += simd_shuffle_up(x, "
               "d); }"),
            1u);
}

TEST_F(AbsentLanes, AreNoSimdOperationToAnObserver) {
  struct : Observer {
    uint32_t seen = 0;
    void simdOp(const GroupEvent &, const SimdEvent &) override { ++seen; }
  } observer;
  const ComputePipeline made =
      pipeline(kFunctions + sourceOf("k", "for (ushort d = 1; d < 8; d *= 2) { x = x + lane; if (lane >= d) "
                                          "x += simd_shuffle_up(x, d); }"),
               "k");
  EXPECT_GE(meetings(made), 1u);
  Lanes x = input(32);
  Device device = Device::systemDefault();
  const Buffer buffer = device.newBuffer(x.data(), x.size() * 4);
  const uint16_t width = 32;
  ComputeCommandEncoder encoder = device.computeCommandEncoder();
  encoder.setComputePipelineState(made);
  encoder.setBuffer(buffer, 0, 0);
  encoder.setBytes(&width, 2, 1);
  DispatchOptions options;
  options.observer = &observer;
  encoder.setOptions(options);
  ASSERT_TRUE(encoder.dispatchThreads({32, 1, 1}, {32, 1, 1}));
  EXPECT_EQ(observer.seen, 3u);
}

} // namespace
} // namespace assay
