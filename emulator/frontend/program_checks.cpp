#include "frontend/program_checks.h"

#include "frontend/component_copies.h"
#include "frontend/component_names.h"
#include "frontend/conversion_rules.h"
#include "frontend/entry_calls.h"
#include "frontend/imageblock_layouts.h"
#include "frontend/library_overloads.h"
#include "frontend/metal_rules.h"
#include "frontend/plain_vectors.h"
#include "frontend/program_samplers.h"
#include "frontend/space_rules.h"
#include "frontend/stage_rules.h"
#include "frontend/swizzle_chains.h"
#include "frontend/thread_twins.h"
#include "frontend/thread_words.h"
#include "frontend/vector_rules.h"
#include "frontend/version_rules.h"

#include <clang/Basic/SourceManagerInternals.h>
#include <clang/Sema/Sema.h>

#include <limits>

namespace assay::frontend {

void forgetLineNames(clang::SourceManager &sources) {
  if (!sources.hasLineTable())
    return;
  clang::LineTableInfo &table = sources.getLineTable();
  std::vector<clang::FileID> named;
  for (const auto &entry : table)
    named.push_back(entry.first);
  // A file that once had an entry must keep one: after its end.
  constexpr unsigned kNowhere = std::numeric_limits<unsigned>::max();
  for (const clang::FileID file : named)
    table.AddEntry(file, {clang::LineEntry::get(kNowhere, 0, -1, clang::SrcMgr::C_User, 0)});
}

void ClassListener::CompletedTagDefinition(const clang::TagDecl *tag) {
  MethodSpaces::CompletedTagDefinition(tag);
  joinComponentNames(tag);
  makeVectorsPlain(tag);
  markColors(tag);
}

void ProgramListener::CompletedTagDefinition(const clang::TagDecl *tag) {
  ClassListener::CompletedTagDefinition(tag);
  if (sema_) // not for what Clang declares before it reads anything
    declareAssignments(*sema_, tag);
  if (const auto *made = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(tag))
    made_.push_back(const_cast<clang::ClassTemplateSpecializationDecl *>(made));
}

void ProgramListener::parsed(clang::DeclGroupRef group) {
  makeSamplersConst(group);
  swizzles_.mend(*sema_, group);
}

void ProgramListener::InstantiationRequested(const clang::ValueDecl *declaration) {
  const auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
  if (function && function->getTemplateSpecializationKind() == clang::TSK_ExplicitInstantiationDefinition)
    asked_.push_back(function);
}

void ProgramListener::AddedCXXTemplateSpecialization(const clang::FunctionTemplateDecl *made,
                                                     const clang::FunctionDecl *) {
  if (sema_)
    swizzles_.mend(*sema_, made);
}

void checkProgram(clang::Sema &sema, const ViewFileSystem &files, LanguageVersion asked,
                  const ProgramListener &listener, const Declarations &declarations) {
  clang::ASTContext &context = sema.Context;
  if (hasGenericPointers(asked))
    replaceTwins(context, files, declarations);
  checkVersion(sema, files, asked, declarations);
  ThreadWords words(sema.getPreprocessor());
  checkMetalRules(context, words, files, asked, declarations, listener.made());
  checkSpaces(context, words, files, asked, declarations);
  checkEntryCalls(context, files, declarations);
  checkLibraryOverloads(sema, files, declarations);
  checkSlices(context, files, declarations);
  checkStages(context, words, files);
  checkConversions(context, files, declarations);
  mendSwizzleChains(sema, declarations);
  checkVectors(context, declarations);
  copyComponents(sema, declarations);
}

} // namespace assay::frontend
