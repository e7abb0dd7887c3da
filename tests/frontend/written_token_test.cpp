// A token of the original, at a place in the view.
#include "frontend/written_token.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/FileManager.h>
#include <clang/Basic/SourceManager.h>
#include <gmock/gmock.h>

using namespace assay::frontend;

namespace {

TEST(WrittenToken, IsFoundAfterInsertions) {
  const auto views = llvm::makeIntrusiveRefCnt<ViewFileSystem>();
  views->addText("k.metal", "int first; // a comment\nint second;\n");
  views->insert("k.metal", {{4, 0, "inserted "}});
  const SourceView *view = views->read("k.metal");
  ASSERT_TRUE(view);
  clang::FileManager files({}, views);
  clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs, new clang::DiagnosticOptions);
  diagnostics.setClient(new clang::IgnoringDiagConsumer, true);
  clang::SourceManager sources(diagnostics, files);
  const auto file = files.getOptionalFileRef("k.metal");
  ASSERT_TRUE(file);
  const clang::FileID id = sources.createFileID(*file, {}, clang::SrcMgr::C_User);
  const auto tokenAt = [&](std::string_view text) {
    return writtenTokenAt(
        sources, sources.getLocForStartOfFile(id).getLocWithOffset(int(view->text().find(text))), *views);
  };
  const auto token = tokenAt("second");
  ASSERT_TRUE(token);
  EXPECT_EQ(token->file, "k.metal");
  EXPECT_EQ(token->tokens.at(token->at).text, "second");
  EXPECT_EQ(token->at, 4u);
  EXPECT_FALSE(tokenAt("inserted"));
  EXPECT_FALSE(tokenAt("comment"));
  EXPECT_FALSE(writtenTokenAt(sources, {}, *views));
}

} // namespace
