// See alignment.h.
#include "alignment.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace assay::cli::diff {
namespace {

constexpr double kAlike = 0.5;           // a pair is at least so alike
constexpr uint64_t kMostPairs = 1000000; // of which likeness is computed
constexpr size_t kMostTokens = 400;      // longer statements correspond only if they are equal

// Tokens as numbers: a name's are shared by both sides.
class Vocabulary {
public:
  uint32_t of(const std::string &token) {
    const auto [entry, isNew] = numbers_.try_emplace(token, uint32_t(words_.size()));
    if (isNew) {
      const unsigned char first = token.empty() ? 0 : static_cast<unsigned char>(token[0]);
      words_.push_back({token, std::isalpha(first) || first == '_'});
    }
    return entry->second;
  }
  bool isName(uint32_t token) const { return words_[token].second; }
  const std::string &text(uint32_t token) const { return words_[token].first; }
  size_t size() const { return words_.size(); }

private:
  std::unordered_map<std::string, uint32_t> numbers_;
  std::vector<std::pair<std::string, bool>> words_;
};

using Tokens = std::vector<uint32_t>;
constexpr uint32_t kNoToken = ~uint32_t(0);

class Aligner {
public:
  Aligner(const std::vector<AlignedText> &a, const std::vector<AlignedText> &b,
          const std::vector<std::pair<size_t, size_t>> &given) {
    for (const auto &[from, to] : {std::pair(&a, &a_), std::pair(&b, &b_)})
      for (const AlignedText &text : *from) {
        Tokens tokens;
        for (const std::string &token : text.tokens)
          tokens.push_back(words_.of(token));
        to->push_back({std::move(tokens), text.kind, false});
      }
    for (const auto &[i, j] : given) {
      a_[i].taken = b_[j].taken = true;
      given_.emplace_back(i, j);
    }
  }

  Alignment align() {
    std::vector<std::pair<size_t, size_t>> pairs = inOrder();
    learnNames(pairs);
    pairs = inOrder();
    for (const auto &[i, j] : pairs)
      a_[i].taken = b_[j].taken = true;
    const std::vector<std::pair<size_t, size_t>> moved = outOfOrder();
    Alignment result;
    for (const auto *some : {&std::as_const(given_), &std::as_const(pairs), &moved})
      result.pairs.insert(result.pairs.end(), some->begin(), some->end());
    std::sort(result.pairs.begin(), result.pairs.end());
    for (const auto &[from, to] : names_)
      if (from != to)
        result.names.emplace_back(words_.text(from), words_.text(to));
    std::sort(result.names.begin(), result.names.end());
    return result;
  }

private:
  struct Statement {
    Tokens tokens;
    uint8_t kind = 0;
    bool taken = false;
  };

  // How much two tokens are the same.
  double weight(uint32_t x, uint32_t y) const {
    if (standsFor_.empty())
      return x == y ? 1 : words_.isName(x) && words_.isName(y) ? 0.5 : 0;
    return standsFor_[x] == y ? 1 : 0;
  }
  bool same(const Tokens &x, const Tokens &y) const {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [&](uint32_t i, uint32_t j) { return weight(i, j) == 1; });
  }

  // Weight of the heaviest common subsequence, twice, over all tokens: 1 for the same statement.
  double likeness(const Statement &x, const Statement &y) {
    if (x.kind != y.kind || x.tokens.empty() || y.tokens.empty())
      return 0;
    if (same(x.tokens, y.tokens))
      return 1;
    const size_t n = x.tokens.size(), m = y.tokens.size();
    // Not even if all tokens of the shorter were in the longer.
    if (2.0 * double(std::min(n, m)) < kAlike * double(n + m) || n > kMostTokens || m > kMostTokens)
      return 0;
    row_.assign(m + 1, 0);
    for (size_t i = 0; i < n; ++i) {
      double diagonal = 0;
      for (size_t j = 0; j < m; ++j) {
        const double here = std::max({row_[j + 1], row_[j], diagonal + weight(x.tokens[i], y.tokens[j])});
        diagonal = std::exchange(row_[j + 1], here);
      }
    }
    // Never as much as the same statement.
    return std::min(0.999, 2 * row_[m] / double(n + m));
  }

  // The pairs in the order of both with the greatest sum of likeness.
  std::vector<std::pair<size_t, size_t>> inOrder() {
    std::vector<size_t> left, right;
    for (size_t i = 0; i < a_.size(); ++i)
      if (!a_[i].taken)
        left.push_back(i);
    for (size_t j = 0; j < b_.size(); ++j)
      if (!b_[j].taken)
        right.push_back(j);
    std::vector<std::pair<size_t, size_t>> pairs;
    const auto equalAt = [&](size_t i, size_t j) {
      return a_[left[i]].kind == b_[right[j]].kind && same(a_[left[i]].tokens, b_[right[j]].tokens);
    };
    size_t begin = 0, ends = 0;
    while (begin < std::min(left.size(), right.size()) && equalAt(begin, begin)) {
      pairs.emplace_back(left[begin], right[begin]);
      ++begin;
    }
    while (begin + ends < std::min(left.size(), right.size()) &&
           equalAt(left.size() - 1 - ends, right.size() - 1 - ends)) {
      ++ends;
      pairs.emplace_back(left[left.size() - ends], right[right.size() - ends]);
    }
    const size_t n = left.size() - begin - ends, m = right.size() - begin - ends;
    if (uint64_t(n) * m > kMostPairs) {
      const auto between = [&](const std::vector<size_t> &all, size_t count) {
        return std::vector<size_t>(all.begin() + ptrdiff_t(begin), all.begin() + ptrdiff_t(begin + count));
      };
      const auto unique = uniquePairs(between(left, n), between(right, m));
      pairs.insert(pairs.end(), unique.begin(), unique.end());
      return pairs;
    }
    const size_t width = m + 1;
    std::vector<float> best((n + 1) * width, 0), alike(n * m, 0);
    for (size_t i = n; i-- > 0;)
      for (size_t j = m; j-- > 0;) {
        const double found = likeness(a_[left[begin + i]], b_[right[begin + j]]);
        const float gain = found >= kAlike ? float(found - kAlike + 0.01) : 0;
        alike[i * m + j] = gain;
        best[i * width + j] = std::max({best[(i + 1) * width + j], best[i * width + j + 1],
                                        gain > 0 ? gain + best[(i + 1) * width + j + 1] : 0});
      }
    for (size_t i = 0, j = 0; i < n && j < m;) {
      const float gain = alike[i * m + j], here = best[i * width + j];
      if (gain > 0 && here == gain + best[(i + 1) * width + j + 1]) {
        pairs.emplace_back(left[begin + i], right[begin + j]);
        ++i, ++j;
      } else if (here == best[(i + 1) * width + j]) {
        ++i;
      } else {
        ++j;
      }
    }
    return pairs;
  }

  // Statements that are equal and unique on both sides: the most of them that are in the order of both.
  std::vector<std::pair<size_t, size_t>> uniquePairs(const std::vector<size_t> &left,
                                                     const std::vector<size_t> &right) const {
    struct Places {
      size_t ofA = 0, ofB = 0, countA = 0, countB = 0;
    };
    std::map<std::pair<uint8_t, Tokens>, Places> equal;
    for (const size_t i : left) {
      Tokens tokens = a_[i].tokens;
      for (uint32_t &token : tokens)
        token = standsFor_.empty() ? token : standsFor_[token];
      Places &places = equal[{a_[i].kind, std::move(tokens)}];
      places.ofA = i, ++places.countA;
    }
    for (const size_t j : right)
      if (const auto found = equal.find({b_[j].kind, b_[j].tokens}); found != equal.end())
        found->second.ofB = j, ++found->second.countB;
    std::vector<std::pair<size_t, size_t>> all;
    for (const auto &[key, places] : equal)
      if (places.countA == 1 && places.countB == 1)
        all.emplace_back(places.ofA, places.ofB);
    std::sort(all.begin(), all.end());
    // The longest sequence that ascends in B, too: the last of each length with the smallest end.
    std::vector<size_t> ends, before(all.size());
    for (size_t k = 0; k < all.size(); ++k) {
      const auto place = std::lower_bound(ends.begin(), ends.end(), all[k].second,
                                          [&](size_t one, size_t ofB) { return all[one].second < ofB; });
      before[k] = place == ends.begin() ? all.size() : *std::prev(place);
      if (place == ends.end())
        ends.push_back(k);
      else
        *place = k;
    }
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t k = ends.empty() ? all.size() : ends.back(); k < all.size(); k = before[k])
      pairs.push_back(all[k]);
    return pairs;
  }

  // The name of B for each name of A: the one that stands in its place most often, each the other's first.
  void learnNames(const std::vector<std::pair<size_t, size_t>> &pairs) {
    std::map<std::pair<uint32_t, uint32_t>, size_t> votes;
    for (const auto &[i, j] : pairs) {
      const Tokens &x = a_[i].tokens, &y = b_[j].tokens;
      if (x.size() != y.size())
        continue;
      for (size_t k = 0; k < x.size(); ++k)
        if (words_.isName(x[k]) && words_.isName(y[k]))
          ++votes[{x[k], y[k]}];
    }
    std::map<uint32_t, std::pair<size_t, uint32_t>> forA, forB;
    for (const auto &[names, count] : votes) {
      const auto &[x, y] = names;
      // Of equally many, the name itself.
      const auto take = [&](std::pair<size_t, uint32_t> &most, uint32_t own, uint32_t other) {
        if (count > most.first || (count == most.first && other == own))
          most = {count, other};
      };
      take(forA[x], x, y);
      take(forB[y], y, x);
    }
    for (const auto &[x, most] : forA)
      if (forB[most.second].second == x) {
        names_[x] = most.second;
        taken_.insert(most.second);
      }
    for (uint32_t token = 0; token < words_.size(); ++token) {
      const auto to = names_.find(token);
      standsFor_.push_back(to != names_.end() ? to->second : taken_.contains(token) ? kNoToken : token);
    }
  }

  std::vector<std::pair<size_t, size_t>> outOfOrder() const {
    std::vector<std::pair<size_t, size_t>> pairs;
    for (size_t i = 0; i < a_.size(); ++i) {
      if (a_[i].taken || !a_[i].kind)
        continue;
      std::vector<size_t> equals;
      for (size_t j = 0; j < b_.size(); ++j)
        if (!b_[j].taken && b_[j].kind == a_[i].kind && same(a_[i].tokens, b_[j].tokens))
          equals.push_back(j);
      const auto equalsHere = [&](const Statement &other) {
        return !other.taken && other.kind == a_[i].kind && same(other.tokens, b_[equals[0]].tokens);
      };
      if (equals.size() == 1 && std::count_if(a_.begin(), a_.end(), equalsHere) == 1)
        pairs.emplace_back(i, equals[0]);
    }
    return pairs;
  }

  Vocabulary words_;
  std::vector<Statement> a_, b_;
  std::vector<std::pair<size_t, size_t>> given_;
  std::map<uint32_t, uint32_t> names_;
  std::set<uint32_t> taken_;        ///< names of B that stand for one of A
  std::vector<uint32_t> standsFor_; ///< by token of A, that of B; empty: not learnt yet
  std::vector<double> row_;
};

} // namespace

Alignment align(const std::vector<AlignedText> &a, const std::vector<AlignedText> &b,
                const std::vector<std::pair<size_t, size_t>> &given) {
  return Aligner(a, b, given).align();
}

} // namespace assay::cli::diff
