// Finds the first value that differs between two kernels, by probes at corresponding statements.
//
// Problem.  An output that differs shows only that something went wrong. The statement that wrote it is
//           known, but the value may come from another statement of another lane, long before.
// Choice.   On both sides, every statement that computes a scalar or a vector, every condition and every
//           result of a function gets a probe (host/statements.h). The statements of the two sources are
//           aligned (alignment.h), or the user pairs them by lines. Each side runs once more on fibers, in
//           grid order, one threadgroup after the other. In this order, every value is computed after the
//           values that it depends on. A's visits of statements are kept. The k-th visit of a statement by a
//           thread of A corresponds to the k-th visit of its partner by the thread of B at the same position
//           in the grid, or at the position that the user's expressions give. Among all pairs of visits whose
//           values differ, the answer is the first one in A's order. The k-th dispatch of A corresponds to
//           the k-th dispatch of B. If one side has more dispatches, its last ones also run, but what they
//           compute is not compared.
// Promise.  (1) The report is about what the kernels computed: all buffers are compared after the run with
//           probes and after the run without, and the report says if they differ. (2) Every compared value
//           that A computes before the named one, in any thread, is equal in B. So if the sources differ only
//           in one statement's right side, condition or result, and that has a probe, the report names that
//           statement. (3) A visit that only one side has is reported separately ("flow"): a visit of A, or a
//           visit of B after the last visit of its thread that has a partner. Statements without a probe or a
//           partner are not compared. A difference there is reported at the first statement that depends on
//           it. The report says how many there are.
// Rejected. Comparing outputs of shortened kernels: each shortening is another kernel. A probe at one place
//           after another, by bisection: each needs a run, and loops and threads would still have to be
//           compared. Keeping both sides' values: it takes twice the memory.
// Limit.    A's visits take at most `limitBytes`; if they need more, that is an error.
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
  bool ofSeveral = false; ///< the side has several dispatches
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
/// A visit that only one side has.
struct FlowParting {
  int side = 0; ///< the one that has it
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
