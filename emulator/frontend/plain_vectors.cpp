#include "frontend/plain_vectors.h"

#include "frontend/vector_classes.h"

#include <clang/AST/DeclCXX.h>

namespace assay::frontend {
namespace {

// The rules of access do not hold for the arguments of an explicit instantiation. The function that it
// defines is found by its argument.
struct RecordData {};
template <auto Member> struct Open {
  friend auto memberOf(RecordData) { return Member; }
};
template struct Open<&clang::CXXRecordDecl::DefinitionData>;
auto memberOf(RecordData);

} // namespace

void makeVectorsPlain(const clang::TagDecl *tag) {
  const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(tag);
  if (record && vectorClass(record))
    (const_cast<clang::CXXRecordDecl *>(record)->*memberOf(RecordData()))->PlainOldData = true;
}

} // namespace assay::frontend
