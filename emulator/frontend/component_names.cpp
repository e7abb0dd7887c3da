#include "frontend/component_names.h"

#include "frontend/vector_classes.h"

#include <clang/AST/DeclCXX.h>

#include <algorithm>
#include <array>

namespace assay::frontend {

using namespace clang;

void joinComponentNames(const TagDecl *tag) {
  const auto *record = dyn_cast<CXXRecordDecl>(tag);
  if (!record || !inVectorNamespace(record->getDeclContext()) || record->isImplicit())
    return;
  constexpr llvm::StringRef kPositions = "xyzw", kColours = "rgba";
  std::array<const IndirectFieldDecl *, 4> positions = {};
  for (const Decl *decl : record->decls()) {
    const auto *member = dyn_cast<IndirectFieldDecl>(decl);
    if (!member || !member->getIdentifier() || member->getName().size() != 1)
      continue;
    if (const size_t position = kPositions.find(member->getName()); position != llvm::StringRef::npos)
      positions[position] = member;
    const size_t colour = kColours.find(member->getName());
    if (colour == llvm::StringRef::npos || !positions[colour])
      continue;
    // The steps are the declaration's own memory; Clang has no function that replaces them.
    const ArrayRef<NamedDecl *> from = positions[colour]->chain(), to = member->chain();
    if (from.size() == to.size())
      std::copy(from.begin(), from.end(), const_cast<NamedDecl **>(to.begin()));
  }
}

} // namespace assay::frontend
