// Texts of failures that do not depend on a number type: compiled once here instead of in each test.
#include "compare.h"
#include "lane_text.h"
#include "numbers.h"

#include <charconv>

namespace assay::testing {
namespace {

template <class T> std::string shortest(T value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

} // namespace

std::string hexText(uint64_t bits, size_t bytes) {
  std::string text = "0x";
  for (size_t digit = 2 * bytes; digit-- > 0;)
    text += "0123456789abcdef"[bits >> 4 * digit & 15];
  return text;
}

std::string numberText(float value) {
  return shortest(value);
}
std::string numberText(double value) {
  return shortest(value);
}
std::string numberText(int64_t value) {
  return shortest(value);
}
std::string numberText(uint64_t value) {
  return shortest(value);
}

std::string lanesText(const std::vector<uint32_t> &lanes) {
  std::string text;
  for (size_t i = 0; i < lanes.size();) {
    size_t last = i;
    while (last + 1 < lanes.size() && lanes[last + 1] == lanes[last] + 1)
      ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(lanes[i]);
    if (last > i)
      text += "-" + std::to_string(lanes[last]);
    i = last + 1;
  }
  return text;
}

std::string laneText(uint32_t lane, size_t lanes) {
  std::string text = "lane " + std::to_string(lane);
  if (lanes > 32)
    text += " (lane " + std::to_string(lane % 32) + " of simdgroup " + std::to_string(lane / 32) + ")";
  return text;
}

std::vector<uint32_t> lanesOf(uint32_t mask) {
  std::vector<uint32_t> lanes;
  for (; mask; mask &= mask - 1)
    lanes.push_back(uint32_t(std::countr_zero(mask)));
  return lanes;
}

void Differences::add(const std::string &where, const std::string &what) {
  if (++count_ <= kShown)
    text_ += "\n  " + where + ": " + what;
}

std::string Differences::text(size_t all, const char *things) const {
  return std::to_string(count_) + " of " + std::to_string(all) + " " + things + " differ:" + text_ +
         (count_ > kShown ? "\n  ..." : "");
}

} // namespace assay::testing
