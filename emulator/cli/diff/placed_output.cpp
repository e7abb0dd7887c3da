// See placed_output.h.
#include "placed_output.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace assay::cli::diff {
namespace {

constexpr uint64_t kMostSteps = uint64_t(1) << 22;
constexpr uint64_t kElementsInPiece = 1 << 16;

/// Folds a block of a side's elements into one value.
class Folded {
public:
  void add(double value, FoldRule rule, double mixed) {
    if (!any_)
      value_ = value;
    else if (rule == FoldRule::Max)
      value_ = std::max(value_, value);
    else if (rule == FoldRule::Min)
      value_ = std::min(value_, value);
    else if (!sameValue(value_, value))
      value_ = mixed, mixed_ = true;
    if (mixed_)
      value_ = mixed;
    any_ = true;
  }
  double value() const { return value_; }

private:
  double value_ = 0;
  bool any_ = false, mixed_ = false;
};

/// Which logical element an element of the buffer belongs to.
class ElementFinder {
public:
  /// None if two indices may lead to one element.
  static std::optional<ElementFinder> of(const Placement &place, const std::vector<uint64_t> &logicalShape) {
    ElementFinder finder;
    finder.offset_ = place.offset;
    uint64_t pitch = 1;
    for (size_t axis = logicalShape.size(); axis-- > 0; pitch *= logicalShape[axis])
      if (place.shape[axis] != 1)
        finder.axes_.push_back({place.strides[axis], place.shape[axis], place.fold[axis], pitch});
    std::sort(finder.axes_.begin(), finder.axes_.end(),
              [](const Axis &a, const Axis &b) { return a.stride > b.stride; });
    uint64_t inside = 1; // how far the elements of the axes within reach
    for (size_t i = finder.axes_.size(); i-- > 0; inside = finder.axes_[i].stride * finder.axes_[i].extent)
      if (finder.axes_[i].stride < inside)
        return std::nullopt;
    return finder;
  }

  /// None if no logical element lies there.
  std::optional<uint64_t> find(uint64_t element) const {
    if (element < offset_)
      return std::nullopt;
    uint64_t rest = element - offset_, index = 0;
    for (const Axis &axis : axes_) {
      const uint64_t at = rest / axis.stride;
      if (at >= axis.extent)
        return std::nullopt;
      rest -= at * axis.stride;
      index += at / axis.fold * axis.pitch;
    }
    return rest ? std::nullopt : std::optional(index);
  }

private:
  struct Axis {
    uint64_t stride, extent, fold;
    uint64_t pitch; ///< of logical elements
  };
  std::vector<Axis> axes_; ///< from the largest stride to the smallest
  uint64_t offset_ = 0;
};

} // namespace

Result<PlacedOutput> PlacedOutput::make(const LogicalOutput &output, const Placement &place,
                                        const Memory &memory, ScalarType type) {
  const size_t size = scalarTypeInfo(place.type).bytes;
  if (place.end() * size > memory.contents.size())
    return Error::usage("output-shape", fmt::format("output '{}' ends at byte {}, {} {} has {}", output.name,
                                                    place.end() * size, place.texture ? "texture" : "buffer",
                                                    place.buffer, memory.contents.size()));
  PlacedOutput placed;
  placed.place_ = place;
  placed.shape_ = output.shape;
  placed.count_ = countOf(output.shape);
  placed.memory_ = memory;
  placed.type_ = type;
  placed.folds_ = countOf(place.fold) != 1;
  placed.plain_ = asTheyAre(place, place.type, type) && !placed.folds_;
  return placed;
}

uint64_t PlacedOutput::convert(uint64_t bits) const {
  if (plain_)
    return bits;
  return compare::bitsOf(replaced(place_, compare::valueOf(bits, place_.type)) * place_.scale, type_);
}

bool PlacedOutput::isStale(uint64_t element) const {
  const size_t size = scalarTypeInfo(place_.type).bytes;
  return !memory_.stale.empty() && memory_.stale.substr(element * size, size).find('\0') == std::string::npos;
}

// How many elements, from each multiple of this number on, lie side by side in the order of their indices.
uint64_t PlacedOutput::rowLength() const {
  uint64_t length = 1;
  for (size_t axis = place_.shape.size(); axis-- > 0; length *= place_.shape[axis])
    if (place_.shape[axis] != 1 && place_.strides[axis] != length)
      break;
  return length;
}

PlacedOutput::Piece PlacedOutput::read(uint64_t first, uint64_t count) const {
  const size_t size = scalarTypeInfo(place_.type).bytes, outSize = scalarTypeInfo(type_).bytes;
  Piece piece;
  piece.bytes.resize(count * outSize);
  if (!memory_.stale.empty())
    piece.unwritten.assign(count, false);
  if (folds_) {
    readFolded(first, piece);
    return piece;
  }
  if (plain_ && rowLength() == count_) {
    const uint64_t begin = (place_.offset + first) * size;
    std::memcpy(piece.bytes.data(), memory_.contents.data() + begin, count * size);
    if (memory_.stale.empty())
      return piece;
    const std::string_view stale = memory_.stale.substr(begin, count * size);
    if (stale.find('\0') == stale.npos)
      piece.unwritten.assign(count, true);
    else if (stale.find('\1') != stale.npos)
      for (uint64_t i = 0; i < count; ++i)
        piece.unwritten[i] = stale.substr(i * size, size).find('\0') == stale.npos;
    return piece;
  }
  forEachElement(place_, first, count, [&](uint64_t index, uint64_t element) {
    const uint64_t bits = convert(compare::elementBits(memory_.contents, element, place_.type));
    std::memcpy(&piece.bytes[(index - first) * outSize], &bits, outSize);
    if (isStale(element))
      piece.unwritten[index - first] = true;
  });
  return piece;
}

void PlacedOutput::readFolded(uint64_t first, Piece &piece) const {
  const size_t outSize = scalarTypeInfo(type_).bytes, axes = shape_.size();
  Placement block = place_; // of one element; at the tensor's end it may be cut off
  for (uint64_t i = 0; i < piece.bytes.size() / outSize; ++i) {
    block.offset = place_.offset;
    const std::vector<uint64_t> at = coordinates(shape_, first + i);
    for (size_t axis = 0; axis < axes; ++axis) {
      const uint64_t begin = at[axis] * place_.fold[axis];
      block.offset += begin * place_.strides[axis];
      block.shape[axis] =
          std::min(place_.fold[axis], place_.shape[axis] - std::min(begin, place_.shape[axis]));
    }
    Folded folded;
    forEachElement(block, 0, countOf(block.shape), [&](uint64_t, uint64_t element) {
      const uint64_t bits = compare::elementBits(memory_.contents, element, place_.type);
      folded.add(replaced(place_, compare::valueOf(bits, place_.type)) * place_.scale, place_.rule,
                 place_.mixed);
      if (isStale(element))
        piece.unwritten[i] = true;
    });
    const uint64_t bits = compare::bitsOf(folded.value(), type_);
    std::memcpy(&piece.bytes[i * outSize], &bits, outSize);
  }
}

std::vector<ElementRange> PlacedOutput::touched() const {
  const uint64_t size = scalarTypeInfo(place_.type).bytes;
  const uint64_t begin = place_.offset * size, length = place_.end() * size - begin;
  const std::vector<ElementRange> all{{0, count_}};
  const std::optional<ElementFinder> finder = ElementFinder::of(place_, shape_);
  if (count_ == 0 || length < kSparseBytes || !finder)
    return all;
  std::vector<ByteRange> bytes; // of the buffer
  for (const std::string_view memory : {memory_.contents, memory_.stale})
    if (!memory.empty())
      for (const ByteRange &range : touchedMemory(memory.data() + begin, length).ranges)
        bytes.push_back({begin + range.begin, begin + range.end});
  std::vector<ElementRange> elements;
  const uint64_t row = folds_ ? 1 : rowLength();
  uint64_t steps = 0;
  for (const ByteRange &range : joined(std::move(bytes))) {
    const uint64_t end = (range.end + size - 1) / size;
    for (uint64_t element = range.begin / size, next; element < end; element = next) {
      if (++steps > kMostSteps)
        return all;
      next = element + 1;
      if (const std::optional<uint64_t> index = finder->find(element)) {
        next = std::min(end, element + row - *index % row);
        elements.push_back({*index, *index + (next - element)});
      }
    }
  }
  return joined(std::move(elements));
}

PlacedOutput::Piece PlacedOutput::untouched() const {
  const size_t size = scalarTypeInfo(place_.type).bytes;
  const auto fillOf = [&](std::string_view memory) {
    const uint64_t begin = place_.offset * size;
    return touchedMemory(memory.data() + begin, place_.end() * size - begin).fill;
  };
  uint64_t bits = 0;
  std::memset(&bits, fillOf(memory_.contents), size);
  bits = convert(bits);
  Piece piece;
  piece.bytes.assign(reinterpret_cast<const char *>(&bits), scalarTypeInfo(type_).bytes);
  if (!memory_.stale.empty())
    piece.unwritten = {fillOf(memory_.stale) != 0};
  return piece;
}

namespace {

// An output from its first element to its last. What nobody has touched is not read.
class Reader {
public:
  explicit Reader(const PlacedOutput &output)
      : output_(output), touched_(output.touched()), untouched_(output.untouched()) {}

  /// Up to where all elements are touched, or none is, as at `at`. It grows from call to call.
  uint64_t alikeUntil(uint64_t at) {
    while (next_ < touched_.size() && touched_[next_].end <= at)
      ++next_;
    inside_ = next_ < touched_.size() && touched_[next_].begin <= at;
    if (inside_)
      return touched_[next_].end;
    return next_ < touched_.size() ? touched_[next_].begin : output_.count();
  }
  /// At the place that alikeUntil was asked about last.
  bool touched() const { return inside_; }
  const PlacedOutput::Piece &untouched() const { return untouched_; }

  PlacedOutput::Piece read(uint64_t first, uint64_t count) const {
    if (inside_)
      return output_.read(first, count);
    PlacedOutput::Piece piece;
    for (uint64_t i = 0; i < count; ++i)
      piece.bytes += untouched_.bytes;
    if (!untouched_.unwritten.empty())
      piece.unwritten.assign(count, untouched_.unwritten[0]);
    return piece;
  }

private:
  const PlacedOutput &output_;
  const std::vector<ElementRange> touched_;
  const PlacedOutput::Piece untouched_;
  size_t next_ = 0;
  bool inside_ = false;
};

} // namespace

compare::Comparison compareOutputs(const PlacedOutput &a, const PlacedOutput &b, ScalarType type,
                                   const compare::Tolerance &tolerance, compare::Comparer::Seen seen) {
  compare::Comparer comparer(type, tolerance, std::move(seen));
  Reader ofA(a), ofB(b);
  for (uint64_t at = 0; at < a.count();) {
    const uint64_t end = std::min(ofA.alikeUntil(at), ofB.alikeUntil(at));
    if (!ofA.touched() && !ofB.touched()) {
      comparer.addAlike(ofA.untouched(), ofB.untouched(), end - at);
      at = end;
      continue;
    }
    const uint64_t count = std::min(kElementsInPiece, end - at);
    comparer.add(ofA.read(at, count), ofB.read(at, count));
    at += count;
  }
  return comparer.result();
}

} // namespace assay::cli::diff
