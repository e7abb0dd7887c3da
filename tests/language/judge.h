// Compiles and runs rows, many in one source, and gives each a verdict of its own.
//
// Problem.  Six hundred compilations take minutes, one compilation of six hundred rules says little when one
//           is wrong.
// Choice.   One source for all rows of a table. A row with an error on one of its lines has its verdict, and
//           the others are compiled again without it; where an error lies on no row's line, or the pipeline
//           or the dispatch fails, the rows are halved until the one that is at fault stands alone.
#pragma once

#include "program.h"

#include <map>
#include <string>
#include <vector>

namespace assay::language {

/// Name of the row -> what is wrong with it; empty: the rule holds.
using Verdicts = std::map<std::string, std::string>;

/// Rows with values, rows that must compile, and the right form of rows that must be refused.
Verdicts judgeAccepted(const Table &table);
/// The wrong form of rows that must be refused: an error at the line of the mark, in the user's own source.
Verdicts judgeRefused(const Table &table);

} // namespace assay::language
