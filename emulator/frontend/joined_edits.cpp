#include "frontend/joined_edits.h"

#include <algorithm>

namespace assay::frontend {
namespace {

// An edit of either list, by the bytes of the middle text that it makes or changes.
struct Piece {
  uint32_t begin, end;
  const Edit *first = nullptr;  ///< made these bytes
  const Edit *second = nullptr; ///< replaces them
};

std::vector<Piece> piecesOf(const std::vector<Edit> &first, const std::vector<Edit> &second) {
  std::vector<Piece> pieces;
  int64_t shift = 0; // middle minus original
  for (const Edit &edit : first) {
    const uint32_t begin = uint32_t(edit.offset + shift);
    pieces.push_back({begin, begin + uint32_t(edit.text.size()), &edit, nullptr});
    shift += int64_t(edit.text.size()) - edit.length;
  }
  for (const Edit &edit : second)
    pieces.push_back({edit.offset, edit.offset + edit.length, nullptr, &edit});
  // What is inserted before some bytes comes before what happens to them.
  std::stable_sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) {
    return std::pair(a.begin, a.end != a.begin) < std::pair(b.begin, b.end != b.begin);
  });
  return pieces;
}

} // namespace

std::string applied(std::string_view text, const std::vector<Edit> &edits) {
  std::string result;
  uint32_t at = 0;
  for (const Edit &edit : edits) {
    result.append(text, at, edit.offset - at);
    result += edit.text;
    at = edit.offset + edit.length;
  }
  return result.append(text, std::min<size_t>(at, text.size()));
}

uint32_t expandedOffset(const std::vector<Edit> &edits, uint32_t offset) {
  int64_t shift = 0;
  for (const Edit &edit : edits) {
    if (offset <= edit.offset)
      break;
    if (offset < edit.offset + edit.length)
      return uint32_t(edit.offset + shift);
    shift += int64_t(edit.text.size()) - edit.length;
  }
  return uint32_t(offset + shift);
}

std::vector<Edit> joinedEdits(const std::vector<Edit> &first, std::string_view middle,
                              const std::vector<Edit> &second) {
  const std::vector<Piece> pieces = piecesOf(first, second);
  std::vector<Edit> joined;
  int64_t shift = 0; // middle minus original, before the pieces at hand
  for (size_t i = 0; i < pieces.size();) {
    const uint32_t begin = pieces[i].begin;
    uint32_t end = pieces[i].end;
    size_t last = i + 1;
    for (; last < pieces.size() && pieces[last].begin < end; ++last)
      end = std::max(end, pieces[last].end);
    std::vector<Edit> changes; // of the middle text from `begin`
    int64_t grown = 0;
    for (size_t k = i; k < last; ++k)
      if (const Edit *change = pieces[k].second)
        changes.push_back({change->offset - begin, change->length, change->text});
      else
        grown += int64_t(pieces[k].first->text.size()) - pieces[k].first->length;
    joined.push_back({uint32_t(begin - shift), uint32_t(end - begin - grown),
                      applied(middle.substr(begin, end - begin), changes)});
    shift += grown;
    i = last;
  }
  return joined;
}

} // namespace assay::frontend
