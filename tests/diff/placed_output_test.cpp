// Outputs are read by every layout. A comparison that leaves out what nobody has touched finds what one of
// everything finds.
#include "cli/diff/placed_output.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <unistd.h>

namespace assay::cli::diff {
namespace {

using compare::Comparison;
using compare::Verdict;

Placement folded(std::vector<uint64_t> fold, std::vector<uint64_t> shape, FoldRule rule) {
  Placement place;
  place.type = ScalarType::Char;
  place.fold = std::move(fold);
  place.shape = std::move(shape);
  place.strides = {place.shape[1], 1};
  place.rule = rule;
  place.mixed = 9;
  return place;
}

PlacedOutput::Piece read(const LogicalOutput &output, const Placement &place, std::string_view contents,
                         std::string_view stale, ScalarType type = ScalarType::Char) {
  const Result<PlacedOutput> placed = PlacedOutput::make(output, place, {contents, stale}, type);
  if (!placed) {
    ADD_FAILURE() << placed.error().message();
    return {};
  }
  return placed->read(0, placed->count());
}

TEST(PlacedOutput, FoldsFinerTilesIntoCoarserOnes) {
  LogicalOutput output;
  output.axes = {"q", "k"};
  output.shape = {2, 2};
  // 3 x 4 tiles of which 2 x 2 make one; the last row has nothing below it.
  const std::string tiles("\2\2\0\0"
                          "\2\2\0\1"
                          "\1\1\0\0",
                          12);
  const auto fold = [&](FoldRule rule) {
    return read(output, folded({2, 2}, {3, 4}, rule), tiles, {}).bytes;
  };
  EXPECT_EQ(fold(FoldRule::Same), std::string("\2\t\1\0", 4)); // \t is 9, for a mixed block
  EXPECT_EQ(fold(FoldRule::Max), std::string("\2\1\1\0", 4));
  EXPECT_EQ(fold(FoldRule::Min), std::string("\2\0\1\0", 4));
  std::string stale(12, '\0');
  stale[7] = 1;
  EXPECT_EQ(read(output, folded({2, 2}, {3, 4}, FoldRule::Same), tiles, stale).unwritten,
            (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(byteOffset(folded({2, 2}, {3, 4}, FoldRule::Same), output.shape, 3), 10u);
}

// Where elements lie side by side, bytes are copied; with a mark of what is stale, element by element.
TEST(PlacedOutput, CopiesWhatLiesSideBySide) {
  LogicalOutput output;
  output.name = "O";
  output.shape = {2, 3};
  std::string contents(16, '\0');
  std::iota(contents.begin(), contents.end(), '\1');
  Placement place = folded({1, 1}, {2, 3}, FoldRule::Same);
  struct Case {
    std::vector<uint64_t> strides;
    uint64_t offset;
    std::string expected;
  };
  for (const auto &[strides, offset, expected] :
       {Case{{3, 1}, 0, "\1\2\3\4\5\6"}, Case{{3, 1}, 4, "\5\6\7\10\11\12"}, Case{{4, 1}, 1, "\2\3\4\6\7\10"},
        Case{{1, 2}, 0, "\1\3\5\2\4\6"}}) {
    place.strides = strides;
    place.offset = offset;
    EXPECT_EQ(read(output, place, contents, {}).bytes, expected);
    const std::string none(contents.size(), '\0');
    EXPECT_EQ(read(output, place, contents, none).bytes, expected);
  }
}

TEST(PlacedOutput, SaysWhenABufferIsTooShort) {
  LogicalOutput output;
  output.name = "O";
  output.shape = {2, 2};
  Placement place = folded({1, 1}, {2, 2}, FoldRule::Max);
  place.buffer = 3;
  EXPECT_EQ(PlacedOutput::make(output, place, {"abc", {}}, ScalarType::Char).error().message(),
            "output 'O' ends at byte 4, buffer 3 has 3");
}

using Random = std::mt19937_64;

uint64_t below(Random &random, uint64_t limit) {
  return random() % limit;
}

// Axes in a random order of memory, rows with gaps, and a beginning that is not the buffer's.
Placement randomPlacement(Random &random, const std::vector<uint64_t> &shape, ScalarType type) {
  Placement place;
  place.type = type;
  place.shape = shape;
  place.fold.assign(shape.size(), 1);
  place.strides.resize(shape.size());
  place.offset = below(random, 3) ? 0 : below(random, 5000);
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t(0));
  if (below(random, 2))
    std::shuffle(order.begin(), order.end(), random);
  uint64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    place.strides[order[i]] = stride;
    stride *= shape[order[i]] + (below(random, 3) ? 0 : below(random, 4));
  }
  return place;
}

void randomConversion(Random &random, Placement &place) {
  if (below(random, 2))
    return;
  place.scale = double(below(random, 5)) - 2;
  if (below(random, 2))
    place.replace = {{0, 7}, {double(below(random, 3)), -1}};
}

// The rule of a placement element by element: each of a block is folded, in order, into the logical element.
PlacedOutput::Piece oneByOne(const LogicalOutput &output, const Placement &place, std::string_view contents,
                             std::string_view stale, ScalarType type) {
  const size_t size = scalarTypeInfo(place.type).bytes, outSize = scalarTypeInfo(type).bytes;
  const uint64_t count = countOf(output.shape);
  std::vector<std::optional<double>> values(count);
  std::vector<bool> mixed(count), unwritten(count);
  std::vector<uint64_t> copied(count);
  for (uint64_t i = 0; i < countOf(place.shape); ++i) {
    const std::vector<uint64_t> at = coordinates(place.shape, i);
    uint64_t element = place.offset, logical = 0;
    for (size_t axis = 0; axis < at.size(); ++axis) {
      element += at[axis] * place.strides[axis];
      logical = logical * output.shape[axis] + at[axis] / place.fold[axis];
    }
    std::memcpy(&copied[logical], contents.data() + element * size, size);
    const double value = replaced(place, compare::valueOf(copied[logical], place.type)) * place.scale;
    std::optional<double> &sum = values[logical];
    if (!sum)
      sum = value;
    else if (place.rule == FoldRule::Same)
      mixed[logical] = mixed[logical] || !sameValue(*sum, value);
    else
      sum = place.rule == FoldRule::Max ? std::max(*sum, value) : std::min(*sum, value);
    bool all = !stale.empty();
    for (size_t byte = 0; byte < size && all; ++byte)
      all = stale[element * size + byte] == 1;
    unwritten[logical] = unwritten[logical] || all;
  }
  PlacedOutput::Piece piece;
  piece.bytes.resize(count * outSize);
  for (uint64_t i = 0; i < count; ++i) {
    const bool bits = countOf(place.fold) == 1 && asTheyAre(place, place.type, type);
    const uint64_t value = bits ? copied[i] : compare::bitsOf(mixed[i] ? place.mixed : *values[i], type);
    std::memcpy(&piece.bytes[i * outSize], &value, outSize);
  }
  if (!stale.empty())
    piece.unwritten = unwritten;
  return piece;
}

constexpr ScalarType kTypes[] = {ScalarType::Char,  ScalarType::UShort, ScalarType::Half,
                                 ScalarType::Float, ScalarType::BFloat, ScalarType::Long};

TEST(PlacedOutput, ReadsAnyPieceOfAnyLayoutAsOneByOne) {
  Random random(17);
  for (int n = 0; n < 400; ++n) {
    LogicalOutput output;
    output.name = "O";
    const size_t axes = 1 + below(random, 3);
    std::vector<uint64_t> fold(axes, 1), shape;
    for (size_t axis = 0; axis < axes; ++axis) {
      output.shape.push_back(1 + below(random, 5));
      if (below(random, 4) == 0)
        fold[axis] = 1 + below(random, 3);
      // The last block may be cut off.
      shape.push_back(output.shape[axis] * fold[axis] - below(random, fold[axis]));
    }
    Placement place = randomPlacement(random, shape, kTypes[below(random, std::size(kTypes))]);
    place.fold = fold;
    place.rule = FoldRule(below(random, 3));
    place.mixed = 9;
    randomConversion(random, place);
    const uint64_t bytes = place.end() * scalarTypeInfo(place.type).bytes;
    std::string contents(bytes, '\0'), stale(below(random, 2) ? bytes : 0, '\0');
    for (char &byte : contents)
      byte = char(below(random, 3));
    for (char &byte : stale)
      byte = below(random, 8) != 0;
    const ScalarType type = below(random, 2) ? place.type : kTypes[below(random, std::size(kTypes))];
    const PlacedOutput::Piece expected = oneByOne(output, place, contents, stale, type);
    const Result<PlacedOutput> placed = PlacedOutput::make(output, place, {contents, stale}, type);
    ASSERT_TRUE(placed);
    const uint64_t first = below(random, placed->count()), count = 1 + below(random, placed->count() - first);
    const PlacedOutput::Piece piece = placed->read(first, count);
    const size_t size = scalarTypeInfo(type).bytes;
    ASSERT_EQ(piece.bytes, expected.bytes.substr(first * size, count * size)) << n;
    for (uint64_t i = 0; i < count && !stale.empty(); ++i)
      ASSERT_EQ(piece.unwritten[i], expected.unwritten[first + i]) << n;
    ASSERT_EQ(piece.unwritten.empty(), stale.empty());
  }
}

std::string textOf(const std::optional<compare::Difference> &d) {
  if (!d)
    return "none";
  std::string text;
  for (uint64_t word :
       {d->index, d->a, d->b, d->ulps, std::bit_cast<uint64_t>(d->absolute),
        std::bit_cast<uint64_t>(d->relative), uint64_t(d->unwrittenA), uint64_t(d->unwrittenB)})
    text += std::to_string(word) + " ";
  return text;
}

std::string textOf(const Comparison &c) {
  std::string text(scalarTypeInfo(c.type).shortName);
  for (uint64_t n : {c.count, c.equalBits, c.close, c.different, c.unwrittenOnBoth, c.unwrittenA,
                     c.unwrittenB, c.nansA, c.nansB, c.nanAgainstNumber,
                     std::bit_cast<uint64_t>(c.largestAbsolute), std::bit_cast<uint64_t>(c.largestRelative)})
    text += " " + std::to_string(n);
  for (uint64_t n : c.ulps)
    text += " " + std::to_string(n);
  for (const auto *difference : {&c.first, &c.worst, &c.worstAbsolute, &c.worstRelative})
    text += "; " + textOf(*difference);
  return text;
}

// Runs of elements with the same verdict, without those of equal bits.
struct VerdictRun {
  uint64_t begin, end;
  Verdict verdict;
  bool operator==(const VerdictRun &) const = default;
};
compare::Comparer::Seen into(std::vector<VerdictRun> &runs) {
  return [&](const compare::Difference &pair, uint64_t count, Verdict verdict) {
    if (!runs.empty() && runs.back().end == pair.index && runs.back().verdict == verdict)
      runs.back().end += count;
    else
      runs.push_back({pair.index, pair.index + count, verdict});
  };
}

// Memory of which a few places are touched: some written with what is there already, some only read.
struct Touched {
  PagedBytes contents, stale;

  Touched(Random &random, uint64_t length, uint8_t fill, bool withStale) : contents(length, fill) {
    if (withStale)
      stale = PagedBytes(length, 1);
    for (uint64_t i = below(random, 6); i-- > 0;) {
      const uint64_t at = below(random, length), bytes = std::min(1 + below(random, 20000), length - at);
      for (uint64_t byte = at; byte < at + bytes; ++byte) {
        if (below(random, 3))
          contents.data()[byte] = char(below(random, 4) ? fill : below(random, 256));
        if (withStale && below(random, 5))
          stale.data()[byte] = 0;
      }
    }
    for (uint64_t i = below(random, 3); i-- > 0;) {
      const volatile char read = contents.data()[below(random, length)];
      (void)read;
    }
  }
};

TEST(PlacedOutput, IsComparedAsIfAllOfItWereRead) {
  Random random(4);
  uint64_t skipped = 0;
  for (int n = 0; n < 12; ++n) {
    LogicalOutput output;
    output.name = "O";
    const ScalarType own[] = {ScalarType::Float, ScalarType::Long, ScalarType::Float};
    const ScalarType type = own[below(random, 3)];
    // Four pages more or fewer than the least that is sparse.
    const uint64_t elements = kSparseBytes / scalarTypeInfo(type).bytes + below(random, 4096) - 1024;
    const uint64_t inner = below(random, 2) ? 512 : 32;
    output.shape = below(random, 2) ? std::vector<uint64_t>{elements}
                                    : std::vector<uint64_t>{elements / inner / 64, 64, inner};
    output.tolerance.nan = compare::NanPolicy(below(random, 3));
    if (below(random, 2))
      output.tolerance.ulps = 1000;
    const uint8_t fills[] = {0, 0xa5, 0xff, 1}; // as a float, 0xff.. is a NaN
    std::optional<PlacedOutput> placed[2];
    std::optional<Touched> memory[2];
    const uint8_t fill = fills[below(random, 4)],
                  otherFill = below(random, 3) ? fill : fills[below(random, 4)];
    for (int side = 0; side < 2; ++side) {
      const std::vector<uint64_t> fold(output.shape.size(), n % 4 == 3 && side == 1 ? 2 : 1);
      std::vector<uint64_t> shape = output.shape;
      for (size_t axis = 0; axis < shape.size(); ++axis)
        shape[axis] = shape[axis] * fold[axis] - below(random, fold[axis]);
      Placement place = randomPlacement(random, shape, type);
      place.fold = fold;
      randomConversion(random, place);
      const uint64_t length = (place.end() + below(random, 100)) * scalarTypeInfo(type).bytes;
      memory[side].emplace(random, length, side ? otherFill : fill, below(random, 2));
      placed[side] = *PlacedOutput::make(output, place,
                                         {memory[side]->contents.text(), memory[side]->stale.text()}, type);
    }
    std::vector<VerdictRun> verdicts, expectedVerdicts;
    for (const ElementRange &range : placed[0]->touched())
      skipped -= range.size();
    skipped += placed[0]->count();
    const Comparison sparse = compareOutputs(*placed[0], *placed[1], type, output.tolerance, into(verdicts));
    compare::Comparer whole(type, output.tolerance, into(expectedVerdicts));
    whole.add(placed[0]->read(0, placed[0]->count()), placed[1]->read(0, placed[1]->count()));
    ASSERT_EQ(textOf(sparse), textOf(whole.result())) << n;
    ASSERT_TRUE(verdicts == expectedVerdicts) << n;
  }
  if (access("/proc/self/pagemap", R_OK) == 0) // otherwise all pages count as touched
    EXPECT_GT(skipped, 0u);
}

} // namespace
} // namespace assay::cli::diff
