// Oracle of the gated delta rule by chunks of 64 tokens, step by step as the kernels have it.
//
// With G the sums of the log gates within a chunk, S the state before it ([V, K]), all sums over the chunk:
//
//   A[i, j] = exp(G_i - G_j) beta_i k_i.k_j for j < i, else 0         X = (I + A)^-1
//   w = X (beta exp(G) k)       u = X (beta v)       d = u - w S^T
//   o_i = scale (exp(G_i) S q_i + sum over j <= i of exp(G_i - G_j) (q_i.k_j) d_j)
//   S' = exp(G_last) S + sum over j of exp(G_last - G_j) d_j k_j^T
//
// Why that is the recurrence: its writes d_i = beta_i (v_i - exp(g_i) S_{i-1} k_i), with S_{i-1} spelled out
// as the decayed S plus the decayed earlier writes, form the triangular system (I + A) d = beta v - beta
// exp(G) k S^T. The test checks it against delta_net.h in float64.
//
// Two kinds for each step, on the same inputs. Exact: floats of a profile, bfloats where the kernel keeps
// them, in the order that the kernel's header states.
// Reference: a double, and how far the kernel may be from it.
//
// Layouts, outermost first: q, k [B, T, Hg, K]; v, u, d, o [B, T, H, V]; w [B, T, H, K]; gates, betas
// [B, T, H]; A, X [B, T, H, 64]; states h [B, T/64, H, V, K]; h0 and the final state [B, H, V, K]. Value head
// h has key head h / (H / Hg).
#pragma once

#include "tests/projects/real.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::oracle {

using projects::Real;
using Bfloats = std::vector<uint16_t>;
using Floats = std::vector<float>;
using Reals = std::vector<Real>;

inline constexpr uint32_t kDeltaChunk = 64;

struct DeltaChunkShape {
  uint32_t batches = 1, tokens = kDeltaChunk, keyHeads = 1, heads = 1, keySize = 64, valueSize = 64;

  uint32_t chunks() const { return tokens / kDeltaChunk; }
  size_t rows() const { return size_t(batches) * tokens; }
  size_t keyCount() const { return rows() * keyHeads * keySize; }
  size_t valueCount() const { return rows() * heads * valueSize; }
  size_t gateCount() const { return rows() * heads; }
  size_t stateCount() const { return size_t(batches) * heads * valueSize * keySize; }

  uint32_t keyHeadOf(uint32_t head) const { return head / (heads / keyHeads); }
  /// Where a token's numbers begin.
  size_t keyAt(size_t token, uint32_t head) const { return (token * keyHeads + keyHeadOf(head)) * keySize; }
  size_t wAt(size_t token, uint32_t head) const { return (token * heads + head) * keySize; }
  size_t valueAt(size_t token, uint32_t head) const { return (token * heads + head) * valueSize; }
  size_t gateAt(size_t token, uint32_t head) const { return token * heads + head; }
  size_t matrixAt(size_t token, uint32_t head) const { return gateAt(token, head) * kDeltaChunk; }
  size_t stateAt(size_t batchOrChunk, uint32_t head, uint32_t row) const {
    return ((batchOrChunk * heads + head) * valueSize + row) * keySize;
  }
};

// ---- exact ----

template <class Profile> struct DeltaChunkExact {
  DeltaChunkShape shape;

  struct Wu {
    Bfloats w, u;
  };
  struct States {
    Bfloats h, d;
    Floats last;
  };

  Floats gateSums(const Floats &gates) const;
  Floats kkt(const Bfloats &k, const Floats &beta, const Floats &sums) const;
  Floats inverse(const Floats &a) const;
  Wu wu(const Bfloats &k, const Bfloats &v, const Floats &beta, const Floats &sums, const Floats &x) const;
  States states(const Bfloats &k, const Bfloats &w, const Bfloats &u, const Floats &sums,
                const Floats &h0) const;
  Bfloats outputs(const Bfloats &q, const Bfloats &k, const Bfloats &d, const Bfloats &h, const Floats &sums,
                  float scale) const;
};

/// Rows of length one; `threads` is a power of two.
template <class Profile>
Bfloats l2NormExact(const Bfloats &in, uint32_t size, uint32_t threads, float epsilon);

// ---- reference: values exact to a double, errors those of one pass of the kernel ----

/// The steps on Real, whose errors are bounds, or on Spread, whose errors are variances.
template <class N> struct DeltaChunkSteps {
  using Numbers = std::vector<N>;
  DeltaChunkShape shape;

  struct Wu {
    Numbers w, u;
  };
  struct States {
    Numbers h, d, last;
  };

  Numbers gateSums(const Numbers &gates) const;
  Numbers kkt(const Numbers &k, const Numbers &beta, const Numbers &sums) const;
  Numbers inverse(const Numbers &a) const;
  Wu wu(const Numbers &k, const Numbers &v, const Numbers &beta, const Numbers &sums, const Numbers &x) const;
  States states(const Numbers &k, const Numbers &w, const Numbers &u, const Numbers &sums,
                const Numbers &h0) const;
  Numbers outputs(const Numbers &q, const Numbers &k, const Numbers &d, const Numbers &h, const Numbers &sums,
                  double scale) const;
};
using DeltaChunkReference = DeltaChunkSteps<Real>;

/// The inputs of the pipeline; log gates as given, not summed.
struct DeltaChunkInputs {
  Bfloats q, k, v;
  Floats logGates, beta, h0;
};

struct DeltaChunkResult {
  Reals o, last;
};
/// All steps, chunk after chunk, for sequences of any length: the recurrence's values, and tolerances of a
/// whole run (spread.h).
DeltaChunkResult deltaChunkPipeline(const DeltaChunkShape &shape, const DeltaChunkInputs &in, double scale);

Reals l2NormReference(const Reals &in, uint32_t size, float epsilon);

Reals toReals(const Floats &values);
Reals toReals(const Bfloats &values);
Bfloats toBfloats(const Floats &values); ///< nearest even
Floats toFloats(const Bfloats &values);

/// Rows [tokens, from, size] repeated to [tokens, to, size]: head h is head h mod `from`.
template <class T>
std::vector<T> repeatTiled(const std::vector<T> &in, uint32_t from, uint32_t to, uint32_t size) {
  std::vector<T> out;
  out.reserve(in.size() / from * to);
  for (size_t token = 0; token < in.size() / (size_t(from) * size); ++token)
    for (uint32_t head = 0; head < to; ++head) {
      const auto first = in.begin() + ptrdiff_t((token * from + head % from) * size);
      out.insert(out.end(), first, first + size);
    }
  return out;
}

} // namespace assay::oracle
