// The exact oracle of decoding, see foundry_decode.h: who owns what, and folds over what is owned.
#include "foundry_decode.h"

#include "f32.h"
#include "foundry_decode_row.h"
#include "matrix.h"
#include "simd.h"

#include <cfloat>
#include <map>

namespace assay::oracle {
namespace {

template <class Profile> uint16_t narrowed(const DecodeShape &s, float value) {
  return s.bfloat ? F32<Profile>::toBfloat(value) : toHalf(value);
}

/// Owners of keys. A round's keys are held by lanes.
struct Owner {
  int split, simdgroup, round;
  auto operator<=>(const Owner &) const = default;
};
using Keys = std::map<int, int>; // by lane

/// The partition of the keys that count. A round in which none counts does not exist.
std::map<Owner, Keys> partition(const DecodeRow &row, const DecodeOrder &order) {
  const int each = (row.length() + order.splits - 1) / order.splits;
  std::map<Owner, Keys> parts;
  for (const int key : row.keys()) {
    const int place = key % each, handful = place / order.keys;
    parts[{key / each, handful % order.simdgroups, handful / order.simdgroups}][place % order.keys] = key;
  }
  return parts;
}

/// A softmax over some keys: m the largest score, l = sum of e^(s - m), o = sum of e^(s - m) v.
struct Softmax {
  float m = -FLT_MAX / 2, l = 0; // over no keys
  std::vector<float> o;
};

/// How a row's softmaxes are made and put together.
template <class Profile> class Algebra {
  using F = F32<Profile>;

public:
  Algebra(const DecodeRow &row, const DecodeOrder &order, std::vector<float> q)
      : row_(row), order_(order), q_(std::move(q)), zeros_(q_.size(), 0.0f) {}

  Softmax none() const { return {.o = zeros_}; }

  /// A softmax and the keys of a round.
  Softmax with(Softmax s, const Keys &round) const {
    std::map<int, float> scores;
    Softmax next;
    next.m = s.m;
    for (const auto &[lane, key] : round)
      next.m = F::max(next.m, scores[lane] = score(key));
    const float decay = F::exp(F::sub(s.m, next.m));
    Lanes weights{};
    for (const auto &[lane, score] : scores)
      weights[lane] = F::exp(F::sub(score, next.m));
    next.l = F::mulAdd(s.l, decay, simdSum<Profile>(weights));
    for (size_t d = 0; d < s.o.size(); ++d) {
      float sum = F::mul(s.o[d], decay);
      for (const auto &[lane, key] : round)
        if (!F::equal(weights[lane], 0))
          sum = F::mulAdd(weights[lane], row_.v(key, int(d)).template rounded<Profile>(), sum);
      next.o.push_back(sum);
    }
    return next;
  }

  /// o becomes the mean o / l.
  Softmax normalised(Softmax s) const {
    for (float &o : s.o)
      o = F::equal(s.l, 0) ? 0.0f : F::div(o, s.l);
    return s;
  }

  /// Of normalised ones over disjoint keys: that over all of them, normalised.
  Softmax unite(const std::vector<Softmax> &all) const {
    Softmax whole = none();
    for (const Softmax &s : all)
      whole.m = F::max(whole.m, s.m);
    for (const Softmax &s : all) {
      const float weight = F::mul(F::exp(F::sub(s.m, whole.m)), s.l);
      whole.l = F::add(whole.l, weight);
      for (size_t d = 0; d < whole.o.size(); ++d)
        whole.o[d] = F::mulAdd(weight, s.o[d], whole.o[d]);
    }
    return normalised(std::move(whole));
  }

  /// A simdgroup's, as it is kept for the others.
  Softmax kept(Softmax s) const {
    s = normalised(std::move(s));
    if (order_.halfPartials)
      for (float &o : s.o)
        o = fromHalf(toHalf(o));
    return s;
  }

private:
  float score(int key) const {
    Lanes dots{};
    for (int d = 0; d < row_.shape.headDim; ++d) {
      float &dot = dots[d / order_.width % 32];
      dot = F::mulAdd(q_[d], row_.k(key, d).template rounded<Profile>(), dot);
    }
    const float scaled = F::mul(simdSum<Profile>(dots), row_.shape.scale);
    return row_.in.mask.empty() ? scaled : F::add(scaled, row_.mask(key));
  }

  const DecodeRow &row_;
  const DecodeOrder &order_;
  const std::vector<float> q_, zeros_;
};

template <class Profile>
Softmax softmaxOf(const DecodeRow &row, const DecodeOrder &order, std::vector<float> q) {
  const Algebra<Profile> algebra(row, order, std::move(q));
  using Simdgroups = std::vector<Softmax>;
  std::vector<Simdgroups> splits(order.splits, Simdgroups(order.simdgroups, algebra.none()));
  for (const auto &[owner, keys] : partition(row, order)) { // a simdgroup's rounds ascend
    Softmax &own = splits[owner.split][owner.simdgroup];
    own = algebra.with(std::move(own), keys);
  }
  std::vector<Softmax> united;
  for (Simdgroups &simdgroups : splits) {
    for (Softmax &own : simdgroups)
      own = algebra.kept(std::move(own));
    united.push_back(algebra.unite(simdgroups));
  }
  return united.size() == 1 ? united[0] : algebra.unite(united);
}

} // namespace

// (a + ib) e^(i angle)
template <class Profile> std::vector<uint16_t> rotatedQuery(const DecodeShape &s, const DecodeInputs &in) {
  using F = F32<Profile>;
  std::vector<uint16_t> q = in.q;
  for (size_t index = 0; index < s.rowCount(); ++index) {
    const DecodeRow row(s, in, index);
    row.forEachPair([&](int real, int imaginary, float cosine, float sine) {
      uint16_t &re = q[index * s.headDim + real], &im = q[index * s.headDim + imaginary];
      const float a = row.number(re), b = row.number(im);
      re = narrowed<Profile>(s, F::mulAdd(a, cosine, -F::mul(b, sine)));
      im = narrowed<Profile>(s, F::mulAdd(a, sine, F::mul(b, cosine)));
    });
  }
  return q;
}

template <class Profile>
std::vector<uint16_t> flashDecodeExact(const DecodeShape &s, const DecodeInputs &in,
                                       const DecodeOrder &order) {
  const std::vector<uint16_t> queries = rotatedQuery<Profile>(s, in);
  std::vector<uint16_t> result;
  for (size_t index = 0; index < s.rowCount(); ++index) {
    const DecodeRow row(s, in, index);
    std::vector<float> q;
    for (int d = 0; d < s.headDim; ++d)
      q.push_back(row.number(queries[index * s.headDim + d]));
    for (const float o : softmaxOf<Profile>(row, order, std::move(q)).o)
      result.push_back(narrowed<Profile>(s, o));
  }
  return result;
}

template std::vector<uint16_t> flashDecodeExact<Apple>(const DecodeShape &, const DecodeInputs &,
                                                       const DecodeOrder &);
template std::vector<uint16_t> flashDecodeExact<Ieee>(const DecodeShape &, const DecodeInputs &,
                                                      const DecodeOrder &);
template std::vector<uint16_t> rotatedQuery<Apple>(const DecodeShape &, const DecodeInputs &);
template std::vector<uint16_t> rotatedQuery<Ieee>(const DecodeShape &, const DecodeInputs &);

} // namespace assay::oracle
