// The mathematics that several families share, row by row, on Real.
#pragma once

#include "real.h"

#include <algorithm>
#include <vector>

namespace assay::projects {

using Reals = std::vector<Real>;

template <class T> Reals reals(const std::vector<T> &in) {
  Reals out;
  for (const T &x : in)
    out.push_back(Real(value(x)));
  return out;
}

inline Reals row(const Reals &matrix, size_t index, size_t columns) {
  return Reals(matrix.begin() + index * columns, matrix.begin() + (index + 1) * columns);
}

inline void append(Reals &out, const Reals &more) {
  out.insert(out.end(), more.begin(), more.end());
}

inline Real dot(const Reals &a, const Reals &b) {
  Reals products;
  for (size_t i = 0; i < a.size(); ++i)
    products.push_back(a[i] * b[i]);
  return sum(products);
}

/// C = A B^T, row by row: A is [m, k], B is [n, k].
inline Reals matmulTransposed(const Reals &a, const Reals &b, size_t m, size_t n, size_t k) {
  Reals out;
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      out.push_back(dot(row(a, i, k), row(b, j, k)));
  return out;
}

/// exp(x - max) and their sum. An entry of -infinity weighs nothing.
inline Reals exponentials(const Reals &x, Real &total) {
  Real largest(-INFINITY);
  for (const Real &r : x)
    if (r.value > largest.value)
      largest = r;
  Reals out;
  for (const Real &r : x)
    out.push_back(std::isinf(r.value) ? Real(0) : exp(r - largest));
  total = sum(out);
  return out;
}

/// `Kept` is the type in which the exponentials wait for their sum.
template <class Kept = float> Reals softmax(const Reals &x) {
  Real total;
  Reals out = exponentials(x, total);
  for (Real &r : out)
    r = stored<Kept>(r) * (Real(1) / total);
  return out;
}

/// 1 / sqrt(mean(x^2) + eps)
inline Real inverseRms(const Reals &x, double eps) {
  return rsqrt(dot(x, x) / Real(double(x.size())) + Real(eps));
}

/// softmax(scale q k^T) v for one query, over the keys [first, last).
struct Attention {
  const Reals &k, &v;
  size_t dim;
  double scale;

  Reals operator()(const Reals &query, size_t first, size_t last) const {
    Reals scores;
    for (size_t j = first; j < last; ++j)
      scores.push_back(dot(query, row(k, j, dim)) * Real(scale));
    Real total;
    const Reals weights = exponentials(scores, total);
    Reals out;
    for (size_t d = 0; d < dim; ++d) {
      Reals terms;
      for (size_t j = first; j < last; ++j)
        terms.push_back(weights[j - first] * v[j * dim + d]);
      out.push_back(sum(terms) / total);
    }
    return out;
  }
};

inline uint32_t nextPowerOfTwo(uint32_t n) {
  uint32_t p = 1;
  while (p < n)
    p *= 2;
  return p;
}

} // namespace assay::projects
