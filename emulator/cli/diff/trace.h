// Where two kernels part: the first value that differs, by probes at corresponding statements.
//
// Problem.  An output that differs says that something went wrong somewhere. What wrote it is known, but the
//           value came from another statement, of another lane, long before.
// Choice.   Every statement that makes a scalar or a vector, every condition and every result of a function
//           gets a probe on both sides (host/statements.h), and the statements of the two sources are aligned
//           (alignment.h), or paired by the user, by lines.
//           Each side runs once more on fibers, in grid order, one threadgroup after the other: an order in
//           which every value is computed after those that it depends on. A's visits are kept. The k-th visit
//           of a statement by a thread of A corresponds to the k-th visit of its partner by the thread of B
//           at the same position in the grid, or at the position that the user's expressions give. Over all
//           pairs of visits, the one that is first in A's order and whose values differ is the answer.
//           The k-th dispatch of A corresponds to the k-th of B. If one side has more of them, its last ones
//           run as well, and what they compute is not compared.
// Promise.  (1) What is named is what the kernels computed: after the run with probes all buffers are
//           compared with those of the run without, and the report says if they differ.
//           (2) Every compared value that A computes before the named one, in whatever thread, is equal in B.
//           So if only the right side of one statement with a probe differs between the sources, or a
//           condition or a result with one, the statement that is named is that one.
//           (3) A visit that only one side has is told by itself ("flow"): A's own, or B's after the last
//           visit of its thread that has a partner.
//           What has no probe, or no partner, is not looked at: then the first statement that depends on it
//           is named. How many there are is part of the report.
// Rejected. Comparing outputs of shortened kernels (each shortening is another kernel); a probe at one place
//           after another, by bisection (a run for each; loops and threads would still have to be compared);
//           keeping both sides' values (twice the memory).
// Limit.    A's visits take at most `limitBytes`; more is an error that says so.
#pragma once

#include "alignment.h"
#include "side.h"

#include "../../compare/comparison.h"
#include "../../host/statements.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace assay::cli::diff {

struct TraceRequest {
  std::vector<std::pair<uint32_t, uint32_t>> lines; ///< of A's and of B's file, of statements that correspond
  /// B's thread_position_in_grid, over A's x, y and z and the sizes; empty: the same position.
  std::vector<Expression> thread;
  std::vector<double> sizes; ///< values of the expressions' names before x, y and z
  compare::Tolerance tolerance;
  uint64_t limitBytes = uint64_t(1) << 30;
};

inline constexpr uint32_t kMostProbed = 16; ///< elements of a value

/// What a statement has made.
struct ProbedValue {
  ScalarType type = ScalarType::Float;
  uint32_t count = 0;
  std::array<uint64_t, kMostProbed> bits{};
};

/// One visit of a statement by a thread.
struct TraceVisit {
  SourcePlace where;      ///< of the statement
  std::string statement;  ///< its text on one line, without the ';'
  std::string value;      ///< what the probe shows: "acc", "out[i]"
  uint32_t dispatch = 0;  ///< of the side, from 0
  bool ofSeveral = false; ///< dispatches
  uint32_t threadgroup[3] = {0, 0, 0};
  uint32_t thread[3] = {0, 0, 0}; ///< thread_position_in_grid
  uint32_t threadIndex = 0;       ///< in its threadgroup
  uint64_t number = 0;            ///< of this thread's visits of the statement, from 0
  ProbedValue made;
};

/// Corresponding visits with different values.
struct ValueParting {
  TraceVisit visit[2];
  compare::Difference difference; ///< of the worst element
  ScalarType type;                ///< in which they are compared
};
/// A visit that one side has, and the other's last one in that place, if any.
struct FlowParting {
  int side = 0; ///< that has it
  TraceVisit visit;
  SourcePlace partner;      ///< the statement of the other side
  uint64_t otherVisits = 0; ///< by the other side's thread
};

struct TraceSideCounts {
  size_t statements = 0; ///< with probes in the code
  size_t unpaired = 0;   ///< of these
  size_t dropped = 0;    ///< whose probes do not compile
  size_t dispatches = 0;
  size_t untraced = 0;  ///< of these, the last ones: the other side has fewer
  bool sameBits = true; ///< the run with probes computed what the run without did
};
struct Traced {
  TraceSideCounts sides[2];
  size_t pairs = 0;                                       ///< of statements that are in the code of both
  uint64_t compared = 0;                                  ///< pairs of visits
  uint64_t different = 0;                                 ///< of these
  uint64_t onlyOneSide = 0;                               ///< visits without a partner
  uint64_t otherCount = 0;                                ///< pairs of visits with another number of elements
  std::vector<std::pair<std::string, std::string>> names; ///< that stand for each other
  std::optional<ValueParting> value;
  std::optional<FlowParting> flow;
  bool flowFirst = false; ///< of the two
};

/// sides    after their first run
/// errors   Usage "bad-option" if the grids differ and no expressions are given, and for a line without a
///          value; "recording-limit"; "unsupported"; those of compiling and running with probes
Result<Traced> trace(Side (&sides)[2], const TraceRequest &request);

} // namespace assay::cli::diff
