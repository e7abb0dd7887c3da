#include "frontend/view_file_system.h"

#include "frontend/caseless_files.h"
#include "frontend/probe_edits.h"
#include "frontend/shim_files.h"
#include "frontend/tokens.h"
#include "support/files/hash.h"

#include <clang/Basic/SourceManager.h>
#include <llvm/Support/MemoryBuffer.h>

#include <fmt/format.h>

#include <algorithm>

namespace assay::frontend {
namespace {

using llvm::vfs::Status;

// The shim over the system's files, for all compilations: it never changes.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> shimOverReality() {
  static const auto overlay = [] {
    auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    for (const ShimFile &file : shimFiles())
      memory->addFile(
          std::string(kShimRoot) + "/" + std::string(file.name), 0,
          llvm::MemoryBuffer::getMemBuffer(llvm::StringRef(file.text.data(), file.text.size()), "", true));
    auto made = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
    made->pushOverlay(memory);
    return made;
  }();
  return overlay;
}

// A view, or what is precompiled, as an open file. The text ends with a zero.
class TextFile : public llvm::vfs::File {
public:
  TextFile(Status status, llvm::StringRef text) : status_(std::move(status)), text_(text) {}
  llvm::ErrorOr<Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &name, int64_t, bool,
                                                               bool) override {
    return llvm::MemoryBuffer::getMemBuffer(text_, name.str());
  }
  std::error_code close() override { return {}; }

private:
  Status status_;
  llvm::StringRef text_;
};

// Devices of files that the system does not have.
enum class Device : uint64_t { Text, Folder, Precompiled };

Status statusOf(const std::string &path, Device device, uint64_t number, size_t bytes) {
  const auto type = device == Device::Folder ? llvm::sys::fs::file_type::directory_file
                                             : llvm::sys::fs::file_type::regular_file;
  return Status(path, llvm::sys::fs::UniqueID(~uint64_t(device), number), {}, 0, 0, bytes, type,
                llvm::sys::fs::perms::all_read);
}

} // namespace

ViewFileSystem::ViewFileSystem(Reads reads)
    : ProxyFileSystem(llvm::makeIntrusiveRefCnt<CaselessFiles>(shimOverReality())), reads_(reads) {}

void ViewFileSystem::addPrecompiled(const std::string &bytes, std::string_view path) {
  precompiled_[path] = bytes;
}

void ViewFileSystem::addText(const std::string &path, const std::string &text) {
  texts_[path] = text;
}

const std::string *ViewFileSystem::original(const std::string &path) {
  if (const auto it = texts_.find(path); it != texts_.end())
    return &it->second;
  const SourceView *view = load(path);
  return view ? &view->original() : nullptr;
}

const SourceView *ViewFileSystem::load(const std::string &path) {
  if (const auto it = views_.find(path); it != views_.end())
    return it->second.get();
  std::string text;
  if (const auto it = texts_.find(path); it != texts_.end()) {
    text = it->second;
  } else {
    auto buffer = getUnderlyingFS().getBufferForFile(path);
    if (!buffer)
      return nullptr;
    text = (*buffer)->getBuffer().str();
    digests_[path] = hashBytes(text);
  }
  auto &view = views_[path] = makeView(path, text);
  return view.get();
}

std::shared_ptr<SourceView> ViewFileSystem::makeView(const std::string &path, const std::string &text) {
  if (reads_ == Reads::Originals)
    return std::make_shared<SourceView>(SourceView::unchanged(text));
  return std::make_shared<SourceView>(text, aliases_, insertions_[path], placeProbes(path, text),
                                      expansions_[path]);
}

void ViewFileSystem::expand(std::map<std::string, std::vector<Edit>> expansions) {
  expansions_ = std::move(expansions);
  insertions_.clear();
  for (auto &[path, view] : views_)
    view = makeView(path, view->original());
}

bool ViewFileSystem::setAliases(const SpaceAliases &aliases) {
  if (aliases == aliases_)
    return false;
  aliases_ = aliases;
  bool changed = false;
  for (auto &[path, view] : views_) {
    std::shared_ptr<SourceView> other = makeView(path, view->original());
    changed |= other->edits() != view->edits();
    view = std::move(other);
  }
  return changed;
}

void ViewFileSystem::addProbes(const std::string &mainFile, std::vector<SourceProbe> probes) {
  for (SourceProbe &probe : probes) {
    const bool inMainFile = probe.file.empty();
    if (inMainFile)
      probe.file = mainFile;
    probes_.push_back({std::move(probe), inMainFile, false, {}});
  }
}

std::vector<Edit> ViewFileSystem::placeProbes(const std::string &path, const std::string &text) {
  std::vector<Edit> edits;
  for (Placed &placed : probes_) {
    const std::string &file = placed.probe.file;
    if (path != file && (placed.inMainFile || !path.ends_with("/" + file)))
      continue;
    placed.seen = true;
    if (placed.probe.form != ProbeForm::Statement) {
      for (Edit &edit : traceEdits(text, placed.probe))
        edits.push_back(std::move(edit));
      continue;
    }
    Result<Edit> edit = probeEdit(path, text, placed.probe);
    if (!edit) {
      if (!misplaced_)
        misplaced_ = edit.error();
      continue;
    }
    const std::string_view before = std::string_view(text).substr(0, edit->offset);
    const size_t lineStart = before.rfind('\n') + 1; // npos + 1 is 0
    placed.where = {path, lineAt(text, edit->offset), uint32_t(edit->offset - lineStart + 1)};
    edits.push_back(std::move(*edit));
  }
  return edits;
}

Result<void> ViewFileSystem::checkProbes() const {
  if (misplaced_)
    return *misplaced_;
  for (const Placed &placed : probes_)
    if (!placed.seen && placed.probe.form == ProbeForm::Statement)
      return Error::usage("probe-file",
                          fmt::format("probe '{}' is for the file '{}', which is not included",
                                      placed.probe.name, placed.probe.file),
                          "give the end of its path as the #include line finds it");
  return {};
}

std::vector<const SourceProbe *> ViewFileSystem::probesAt(const SourcePlace &place) const {
  std::vector<const SourceProbe *> here;
  for (const Placed &placed : probes_)
    if (placed.where == place)
      here.push_back(&placed.probe);
  return here;
}

std::error_code ViewFileSystem::makeAbsolute(llvm::SmallVectorImpl<char> &path) const {
  return texts_.contains(std::string(path.data(), path.size())) ? std::error_code()
                                                                : ProxyFileSystem::makeAbsolute(path);
}

void ViewFileSystem::insert(const std::string &path, std::vector<Edit> insertions) {
  insertions_[path] = std::move(insertions);
  views_.erase(path);
}

std::vector<Edit> ViewFileSystem::insertions(const std::string &path) const {
  const auto found = insertions_.find(path);
  return found == insertions_.end() ? std::vector<Edit>() : found->second;
}

// Clang opens a file only if there is the folder that its name says.
bool ViewFileSystem::holdsText(const std::string &folder) const {
  return std::any_of(texts_.begin(), texts_.end(), [&](const auto &text) {
    return text.first.starts_with(folder) && text.first.find('/', folder.size()) == folder.size();
  });
}

llvm::ErrorOr<Status> ViewFileSystem::status(const llvm::Twine &twine) {
  const std::string path = twine.str();
  if (const auto text = texts_.find(path); text != texts_.end())
    return statusOf(path, Device::Text, std::distance(texts_.begin(), text), load(path)->text().size());
  if (const auto found = precompiled_.find(path); found != precompiled_.end())
    return statusOf(path, Device::Precompiled, std::distance(precompiled_.begin(), found),
                    found->second.size());
  auto status = ProxyFileSystem::status(path);
  if (isShimPath(path))
    return status;
  if (!status && holdsText(path))
    return statusOf(path, Device::Folder, std::hash<std::string>{}(path), 0);
  if (!status) {
    digests_.try_emplace(path);
    return status;
  }
  if (!status->isRegularFile())
    return status;
  const SourceView *view = load(path);
  return view ? Status::copyWithNewSize(*status, view->text().size()) : *status;
}

llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> ViewFileSystem::openFileForRead(const llvm::Twine &twine) {
  const std::string path = twine.str();
  if (const auto precompiled = precompiled_.find(path); precompiled != precompiled_.end())
    return std::unique_ptr<llvm::vfs::File>(std::make_unique<TextFile>(*status(path), precompiled->second));
  if (isShimPath(path))
    return ProxyFileSystem::openFileForRead(path);
  auto found = status(path);
  if (!found)
    return found.getError();
  const SourceView *view = load(path);
  if (!view)
    return std::make_error_code(std::errc::io_error);
  return std::unique_ptr<llvm::vfs::File>(std::make_unique<TextFile>(*found, view->text()));
}

const SourceView *ViewFileSystem::view(llvm::StringRef path) const {
  const auto it = views_.find(std::string_view(path.data(), path.size()));
  return it == views_.end() ? nullptr : it->second.get();
}

bool ViewFileSystem::isUsers(const clang::SourceManager &sources, clang::SourceLocation where) const {
  return where.isValid() && view(sources.getFilename(sources.getFileLoc(where))) != nullptr;
}

std::vector<Dependency> ViewFileSystem::dependencies() const {
  std::vector<Dependency> list;
  for (const auto &[path, digest] : digests_)
    list.push_back({path, digest});
  return list;
}

} // namespace assay::frontend
