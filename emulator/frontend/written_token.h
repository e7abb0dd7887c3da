// Finds the token of a user's file from which a place in the view comes, among the tokens of the file.
#pragma once

#include "frontend/tokens.h"
#include "frontend/view_file_system.h"

#include <clang/Basic/SourceLocation.h>

#include <optional>
#include <string>
#include <vector>

namespace assay::frontend {

struct WrittenToken {
  std::string file;
  std::vector<RawToken> tokens;
  size_t at = 0;
};

/// None if the token is not in a user's file, or if the view has replaced it.
std::optional<WrittenToken> writtenTokenAt(const clang::SourceManager &sources, clang::SourceLocation place,
                                           const ViewFileSystem &files);

} // namespace assay::frontend
