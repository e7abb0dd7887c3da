// Random kernels that say which lanes are together, and what they must say.
//
// A program is a tree of Metal's statements: if, switch, loops, calls, break, continue, return, and notes.
// A note writes down, for each lane that comes to it, its number and the lanes that are there at the same
// time. To the number it may add a word that the lane has loaded there: then lanes must not mix their values.
// What the notes must be follows from the tree alone, by the rule that Metal's users know: lanes that part in
// a statement meet again at its end.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace assay::meetings {

enum class StatementKind : uint8_t {
  Note,
  If,
  For,
  While,
  DoWhile,
  Forever, ///< while (true), left by a break at its beginning
  Switch,
  Call, ///< of a function with this body; lanes that return from it meet after the call
  Break,
  Continue,
  Return
};

/// (lane * factor + counter * step + salt) % modulus, where counter is that of the innermost loop.
struct LaneValue {
  uint32_t factor = 0, step = 0, salt = 0, modulus = 1;
  uint32_t of(uint32_t lane, uint32_t counter) const {
    return (lane * factor + counter * step + salt) % modulus;
  }
};

struct Statement {
  StatementKind kind = StatementKind::Note;
  uint32_t number = 0;  ///< of a note
  LaneValue value = {}; ///< if: not 0; switch: the case; loops: how often, plus 1
  bool sums = false;    ///< of a note: by simd_sum, else by simd_ballot
  bool loads = false;   ///< of a note: it adds inputWord(lane * 5 + counter * 3)
  bool local = false;   ///< of a block: it begins with a variable of its own
  std::vector<Statement> body = {}, otherwise = {};
  std::vector<std::vector<Statement>> cases = {}; ///< the last one is the default
};

struct MeetingProgram {
  std::vector<Statement> body;
};

MeetingProgram generateMeetings(uint64_t seed);

constexpr uint32_t kMeetingLanes = 32, kMostNotes = 128;
/// What the kernel finds in its input, of which it has so many words.
constexpr uint32_t kInputWords = 64;
constexpr uint32_t inputWord(uint32_t index) {
  return index % kInputWords * 9770777 + 1000;
}
/// What a lane writes down: the number of a note and the lanes that are there, in turn.
using Notes = std::array<std::vector<uint32_t>, kMeetingLanes>;

/// The kernel `NAME(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]])` and its functions.
/// It gives for each lane the number of words, then 2 * kMostNotes.
std::string metalOf(const MeetingProgram &program, const std::string &name);
/// By the rule, for so many lanes. Each at most 2 * kMostNotes words.
Notes notesOf(const MeetingProgram &program, uint32_t lanes);

/// The program without one of its parts: all that can be left out, the largest first.
std::vector<MeetingProgram> smallerThan(const MeetingProgram &program);

} // namespace assay::meetings
