// The source view: the copy of a user's file that Clang sees, and the map from its positions back to the
// file.
//
// Problem.  Macros cannot express some of Metal's grammar: [[attributes]] that Clang would refuse where Metal
//           allows them, `threadgroup T x[N];` (an object with static storage) but `threadgroup T *p;` (a
//           pointer), `operator T() const device`, `constant` variables inside functions.
// Choice.   Clang's raw lexer gives tokens; a few rules, each decided by the neighbouring tokens alone,
//           replace some of them. Lines are kept; columns shift only after an edit, and the list of edits
//           maps every position back. Directives are edited too, since macros instantiate kernels.
// Rejected. Editing text by regular expressions (strings, comments, line splices); a parser of our own;
//           asking Clang's AST first (the text does not parse before the edits are made).
#pragma once

#include "frontend/space_aliases.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assay::frontend {

/// One replacement. Edits are sorted and disjoint; `text` has as many line breaks as the replaced text.
struct Edit {
  uint32_t offset = 0; ///< in the original, bytes
  uint32_t length = 0;
  std::string text;
  bool operator==(const Edit &) const = default;
};

/// Text to put before and after a range of a user's file.
struct SourceFix {
  std::string file;            ///< as it was opened
  uint32_t begin = 0, end = 0; ///< in the original, bytes
  std::string before, after;
  /// The range becomes a comment after `before`. A later fix that replaces some of it takes its place.
  bool replaces = false;
  auto operator<=>(const SourceFix &) const = default;
};

class SourceView {
public:
  /// insertions   further edits, of length 0, by offset in the original; see compile_fixes.h
  /// probes       likewise; see probe_edits.h. A probe comes before insertions at the same offset, except
  ///              that the operand after a comma and a closing parenthesis come after them.
  /// expansions   replacements that are made before the rules look at the text; see macro_expansions.h. An
  ///              expansion with an insertion or a probe inside is left out.
  explicit SourceView(std::string_view original, const SpaceAliases &aliases = {},
                      const std::vector<Edit> &insertions = {}, const std::vector<Edit> &probes = {},
                      const std::vector<Edit> &expansions = {});
  /// A text that is read as it is.
  static SourceView unchanged(std::string_view original);

  const std::string &original() const { return original_; }
  const std::string &text() const { return text_; }
  const std::vector<Edit> &edits() const { return edits_; }

  /// The column (from 1) in the original of a place in the view. Lines are the same in both.
  ///   a place inside a replacement maps to the start of what was replaced
  uint32_t originalColumn(uint32_t line, uint32_t viewColumn) const;

  /// Offset in the original of an offset in the view; none if it lies inside a replacement.
  std::optional<uint32_t> originalOffset(uint32_t viewOffset) const;

  /// The range in the original of [begin, end) in the view. This may be a whole replacement; none if it is
  /// only a part of one.
  std::optional<std::pair<uint32_t, uint32_t>> originalToken(uint32_t begin, uint32_t end) const;

  /// A line of the original, without its line break; empty if there is none.
  std::string_view originalLine(uint32_t line) const;

  /// What the last #line before a line says: `file` is set only if one named a file. Clang reads these
  /// directives for the value of __LINE__; everything else, such as the reach of a pragma, uses the real
  /// lines. Directives in branches that are not taken count, too.
  struct LineName {
    uint32_t line;
    std::string file;
    bool operator==(const LineName &) const = default;
  };
  LineName nameOf(uint32_t line) const;

private:
  SourceView() = default;
  void finish();

  std::string original_;
  std::string text_;
  /// The last edit that begins at or before a place in the view, and where it lies there.
  struct Near {
    const Edit *edit = nullptr; ///< null: there is none
    uint32_t viewStart = 0, viewEnd = 0;
    int64_t shift = 0; ///< view minus original, after the edit
  };
  Near nearest(uint32_t viewOffset) const;

  std::vector<Edit> edits_;
  std::vector<uint32_t> viewStarts_; ///< where the edits begin in the view, in the same order
  std::vector<uint32_t> viewLines_;  ///< offset of each line's first byte
  std::vector<uint32_t> originalLines_;
  std::vector<std::pair<uint32_t, LineName>> lineNames_; ///< a line and its name
};

/// The #line directives of a source: the line after each, and its name.
std::vector<std::pair<uint32_t, SourceView::LineName>> lineNamesOf(std::string_view original);

/// The replacements that make a Metal source readable for Clang. Never fails: text that no rule knows is left
/// unchanged for Clang.
std::vector<Edit> viewEdits(std::string_view original, const SpaceAliases &aliases = {});

} // namespace assay::frontend
