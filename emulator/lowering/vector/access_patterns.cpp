// See access_patterns.h.
#include "access_patterns.h"

#include <llvm/Support/MathExtras.h>

#include <algorithm>
#include <set>

namespace assay::lowering::vector {

namespace {

constexpr int64_t kLargestGap = 64; ///< in bytes; less than any page

// In elements; false if some lane's are not at a multiple.
bool findStarts(const AccessShape &shape, AccessPattern &pattern) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (shape.distances[lane] % int64_t(shape.bytes))
      return false;
    pattern.starts[lane] = shape.distances[lane] / int64_t(shape.bytes);
  }
  return true;
}

// Ascending.
std::vector<int64_t> elementsOf(const AccessShape &shape, const AccessPattern &pattern) {
  std::vector<int64_t> all;
  for (const int64_t start : pattern.starts)
    for (unsigned component = 0; component < shape.count; ++component)
      all.push_back(start + component);
  std::sort(all.begin(), all.end());
  return all;
}

bool isWorthIt(const AccessShape &shape, const AccessPattern &pattern) {
  return costOf(shape, pattern) <= size_t(kLanes) * shape.count;
}

// [first, end), all of which may be read.
void coverForLoads(std::vector<Piece> &pieces, const std::vector<int64_t> &wanted, unsigned longest) {
  const int64_t first = wanted.front(), end = wanted.back() + 1;
  const auto length = int64_t(std::min<uint64_t>(longest, llvm::bit_floor(uint64_t(end - first))));
  int64_t at = first;
  for (const int64_t element : wanted) {
    if (!pieces.empty() && element < at)
      continue; // in the last piece
    // The last piece ends with the last element.
    const int64_t begin = std::min(element, end - length);
    pieces.push_back({.first = begin, .length = unsigned(length)});
    at = begin + length;
  }
}

} // namespace

std::pair<unsigned, unsigned> AccessPattern::at(unsigned lane, unsigned component) const {
  const int64_t element = starts[lane] + component;
  const auto above = std::upper_bound(pieces.begin(), pieces.end(), element,
                                      [](int64_t at, const Piece &piece) { return at < piece.first; });
  const auto piece = above - 1;
  return {unsigned(piece - pieces.begin()), unsigned(element - piece->first)};
}

// For each vector of `longest` lanes one shuffle for each piece that it takes elements from, unless a load
// gives all of its lanes the same.
size_t costOf(const AccessShape &shape, const AccessPattern &pattern) {
  size_t cost = pattern.pieces.size();
  if (pattern.isLaneByLane(shape))
    return cost + cost * llvm::Log2_32_Ceil(shape.count);
  for (unsigned component = 0; component < shape.count; ++component)
    for (unsigned first = 0; first < kLanes; first += shape.longest) {
      std::set<std::pair<unsigned, unsigned>> elements;
      std::set<unsigned> from;
      for (unsigned lane = first; lane < std::min(first + shape.longest, kLanes); ++lane) {
        elements.insert(pattern.at(lane, component));
        from.insert(pattern.at(lane, component).first);
      }
      if (elements.size() > 1 || pattern.pieces[*from.begin()].length > 1)
        cost += from.size();
    }
  return cost;
}

bool AccessPattern::isLaneByLane(const AccessShape &shape) const {
  unsigned before = 0;
  for (const Piece &piece : pieces)
    before += piece.length;
  if (shape.count < 2 || !llvm::isPowerOf2_32(shape.count) || before != kLanes * shape.count)
    return false;
  for (const Piece &piece : pieces)
    if (piece.length != pieces[0].length)
      return false;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned component = 0; component < shape.count; ++component) {
      const auto [piece, place] = at(lane, component);
      if (piece * pieces[0].length + place != lane * shape.count + component)
        return false;
    }
  return true;
}

std::optional<AccessPattern> loadPattern(const AccessShape &shape) {
  AccessPattern pattern;
  if (!findStarts(shape, pattern))
    return std::nullopt;
  std::vector<int64_t> elements = elementsOf(shape, pattern);
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  const int64_t gap = kLargestGap / shape.bytes;
  for (auto from = elements.begin(); from != elements.end();) {
    auto to = from + 1;
    while (to != elements.end() && *to - to[-1] <= gap)
      ++to;
    std::vector<Piece> pieces;
    coverForLoads(pieces, {from, to}, shape.longest);
    pattern.pieces.insert(pattern.pieces.end(), pieces.begin(), pieces.end());
    from = to;
  }
  return isWorthIt(shape, pattern) ? std::optional(std::move(pattern)) : std::nullopt;
}

std::optional<AccessPattern> storePattern(const AccessShape &shape, bool withHoles) {
  AccessPattern pattern;
  if (!findStarts(shape, pattern))
    return std::nullopt;
  const std::vector<int64_t> elements = elementsOf(shape, pattern);
  if (std::adjacent_find(elements.begin(), elements.end()) != elements.end())
    return std::nullopt; // the last lane wins
  for (auto from = elements.begin(); from != elements.end();) {
    auto to = from;
    uint64_t written = 0;
    while (to != elements.end() && *to - *from < int64_t(shape.longest))
      written |= uint64_t(1) << (*to++ - *from);
    const auto count = uint64_t(to - from), span = uint64_t(to[-1] - *from + 1);
    if (count == span) { // no hole
      const uint64_t length = llvm::bit_floor(span);
      pattern.pieces.push_back({.first = *from, .length = unsigned(length)});
      from += int64_t(length);
      continue;
    }
    if (!withHoles)
      return std::nullopt;
    pattern.pieces.push_back({.first = *from, .length = unsigned(llvm::bit_ceil(span)), .written = written});
    from = to;
  }
  return isWorthIt(shape, pattern) ? std::optional(std::move(pattern)) : std::nullopt;
}

} // namespace assay::lowering::vector
