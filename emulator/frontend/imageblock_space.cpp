#include "frontend/imageblock_space.h"

#include <clang/Lex/Preprocessor.h>

namespace assay::frontend {

void addImageblockWord(clang::Preprocessor &preprocessor) {
  preprocessor.getIdentifierTable().get("__assay_imageblock", clang::tok::kw___unaligned);
}

} // namespace assay::frontend
