// Native code in memory: loading an object, resolving its calls, and going back from an address to a line.
//
// RuntimeDyld and not JITLink or ORC: one object, loaded at once on the calling thread, needs no sessions, no
// threads and no symbol search, and the memory manager below sees each section, so that the runtime can tell
// code from constants. All sections lie in one mapping, because the small code model reaches 2 GB.
#include "lower.h"
#include "source_place.h"

#include <llvm/DebugInfo/DWARF/DWARFCompileUnit.h>
#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/ExecutionEngine/JITEventListener.h>
#include <llvm/ExecutionEngine/RuntimeDyld.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MathExtras.h>

#include <fmt/format.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <mutex>

namespace assay::lowering {
namespace {

using namespace llvm;

class OneMapping : public RuntimeDyld::MemoryManager {
public:
  ~OneMapping() override {
    if (base_)
      munmap(base_, mapped_);
  }

  bool needsToReserveAllocationSpace() override { return true; }

  void reserveAllocationSpace(uintptr_t codeBytes, Align codeAlign, uintptr_t constantBytes,
                              Align constantAlign, uintptr_t dataBytes, Align dataAlign) override {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    // RuntimeDyld does not count the gaps between sections: one page for each is more than enough.
    const size_t code = alignTo(codeBytes + page, page),
                 rest = alignTo(constantBytes + dataBytes + 2 * page, page);
    void *memory = mmap(nullptr, code + rest, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      return; // the allocations below fail
    base_ = static_cast<uint8_t *>(memory);
    mapped_ = code + rest;
    codeBytes_ = code;
    nextCode_ = base_;
    nextData_ = base_ + code;
  }

  uint8_t *allocateCodeSection(uintptr_t bytes, unsigned align, unsigned, StringRef) override {
    return take(nextCode_, base_ + codeBytes_, bytes, align, codeRanges);
  }
  uint8_t *allocateDataSection(uintptr_t bytes, unsigned align, unsigned, StringRef, bool) override {
    return take(nextData_, base_ + mapped_, bytes, align, dataRanges);
  }
  void registerEHFrames(uint8_t *, uint64_t, size_t) override {}
  void deregisterEHFrames() override {}

  bool finalizeMemory(std::string *message) override {
    if (!base_ || mprotect(base_, codeBytes_, PROT_READ | PROT_EXEC) != 0 ||
        mprotect(base_ + codeBytes_, mapped_ - codeBytes_, PROT_READ) != 0) {
      if (message)
        *message = std::string("memory for code: ") + std::strerror(errno);
      return true;
    }
    return false;
  }

  bool reserved() const { return base_ != nullptr; }
  std::vector<std::pair<uintptr_t, uintptr_t>> codeRanges, dataRanges;

private:
  uint8_t *take(uint8_t *&next, const uint8_t *end, uintptr_t bytes, unsigned align,
                std::vector<std::pair<uintptr_t, uintptr_t>> &ranges) {
    if (!base_)
      return nullptr;
    auto first = reinterpret_cast<uint8_t *>(alignTo(reinterpret_cast<uintptr_t>(next), std::max(align, 1u)));
    if (first + bytes > end)
      return nullptr;
    next = first + bytes;
    ranges.emplace_back(reinterpret_cast<uintptr_t>(first), reinterpret_cast<uintptr_t>(first) + bytes);
    return first;
  }

  uint8_t *base_ = nullptr, *nextCode_ = nullptr, *nextData_ = nullptr;
  size_t mapped_ = 0, codeBytes_ = 0;
};

/// Resolves names from the given table and from nothing else.
class Table : public JITSymbolResolver {
public:
  explicit Table(std::span<const RuntimeSymbol> symbols) : symbols_(symbols) {}

  void lookup(const LookupSet &names, OnResolvedFunction resolved) override {
    LookupResult result;
    for (StringRef name : names) {
      void *address = nullptr;
      for (const RuntimeSymbol &symbol : symbols_)
        if (name == StringRef(symbol.name.data(), symbol.name.size()))
          address = symbol.address;
      if (address)
        result[name] = JITEvaluatedSymbol(reinterpret_cast<uintptr_t>(address), JITSymbolFlags::Exported);
      else
        missing += (missing.empty() ? "" : ", ") + name.str();
    }
    if (missing.empty())
      resolved(std::move(result));
    else
      resolved(make_error<StringError>("unknown symbol", inconvertibleErrorCode()));
  }
  Expected<LookupSet> getResponsibilitySet(const LookupSet &) override { return LookupSet(); }

  std::string missing;

private:
  std::span<const RuntimeSymbol> symbols_;
};

Error badObject(const std::string &message) {
  return Error::usage("bad-object", fmt::format("compiled code cannot be loaded: {}", message),
                      "it may come from another version; remove the cache and compile again");
}

// Lines of an object at its place in memory; read when first asked.
class Lines {
public:
  Lines(const object::ObjectFile &object, std::unique_ptr<RuntimeDyld::LoadedObjectInfo> loaded)
      : object_(object), loaded_(std::move(loaded)) {}

  SourcePlace at(uintptr_t pc) {
    const std::lock_guard guard(mutex_);
    if (!context_) {
      placed_ = loaded_->getObjectForDebug(object_);
      context_ = DWARFContext::create(placed_.getBinary() ? *placed_.getBinary() : object_);
    }
    // Merged instructions have no line of their own: they take the line of the nearest code before them.
    constexpr uintptr_t kReach = 256;
    for (uintptr_t back = 0; back < kReach && back < pc; ++back)
      if (const SourcePlace place = exactlyAt(pc - back); place.known())
        return place;
    return {};
  }

private:
  SourcePlace exactlyAt(uintptr_t pc) {
    DWARFCompileUnit *unit = context_->getCompileUnitForCodeAddress(pc);
    if (!unit)
      return {};
    // The line table of a relocatable object is kept by section.
    uint64_t section = object::SectionedAddress::UndefSection;
    for (const object::SectionRef &candidate : object_.sections())
      if (candidate.isText())
        section = candidate.getIndex();
    const DIInliningInfo frames = context_->getInliningInfoForAddress(
        {pc, section}, DILineInfoSpecifier(DILineInfoSpecifier::FileLineInfoKind::RelativeFilePath));
    for (uint32_t i = 0; i < frames.getNumberOfFrames(); ++i) {
      const DILineInfo &frame = frames.getFrame(i);
      if (inShim(frame.FileName))
        continue;
      if (frame.Line == 0 || frame.FileName == DILineInfo::BadString)
        return {};
      return {frame.FileName, frame.Line, frame.Column};
    }
    return {};
  }

  const object::ObjectFile &object_;
  std::unique_ptr<RuntimeDyld::LoadedObjectInfo> loaded_;
  object::OwningBinary<object::ObjectFile> placed_;
  std::unique_ptr<DWARFContext> context_;
  std::mutex mutex_;
};

} // namespace

struct NativeKernel::State {
  LoweredKernel lowered;
  KernelCode code;
  OneMapping memory;
  std::unique_ptr<Table> table;
  std::unique_ptr<RuntimeDyld> linker; ///< what it loaded asks it for addresses, later
  std::unique_ptr<object::ObjectFile> object;
  std::unique_ptr<Lines> lines;
  JITEventListener *listener = nullptr;
};

NativeKernel::NativeKernel() : state_(std::make_unique<State>()) {}

NativeKernel::~NativeKernel() {
  if (state_->listener)
    state_->listener->notifyFreeingObject(reinterpret_cast<uintptr_t>(state_.get()));
}

const KernelCode &NativeKernel::code() const {
  return state_->code;
}

Result<std::unique_ptr<NativeKernel>> NativeKernel::load(LoweredKernel lowered,
                                                         std::span<const RuntimeSymbol> symbols, bool debug) {
  std::unique_ptr<NativeKernel> kernel(new NativeKernel);
  State &state = *kernel->state_;
  state.lowered = std::move(lowered);
  auto object = object::ObjectFile::createObjectFile(MemoryBufferRef(state.lowered.object, "kernel"));
  if (!object)
    return badObject(toString(object.takeError()));
  state.object = std::move(*object);

  Table &table = *(state.table = std::make_unique<Table>(symbols));
  RuntimeDyld &linker = *(state.linker = std::make_unique<RuntimeDyld>(state.memory, table));
  std::unique_ptr<RuntimeDyld::LoadedObjectInfo> loaded = linker.loadObject(*state.object);
  if (linker.hasError() || !loaded)
    return badObject(linker.getErrorString().str());
  linker.resolveRelocations();
  if (!table.missing.empty())
    return Error::kernel("unsupported",
                         fmt::format("kernel {} calls what does not exist here: {}",
                                     state.lowered.info.kernelName, table.missing),
                         {}, "define the function in the kernel's source, or use another");
  if (linker.hasError())
    return badObject(linker.getErrorString().str());
  std::string message;
  if (state.memory.finalizeMemory(&message))
    return badObject(message);
  const JITEvaluatedSymbol entry = linker.getSymbol(state.lowered.info.symbol);
  if (!entry.getAddress())
    return badObject(fmt::format("no symbol {}", state.lowered.info.symbol));

  if (debug) {
    state.listener = JITEventListener::createGDBRegistrationListener();
    if (state.listener)
      state.listener->notifyObjectLoaded(reinterpret_cast<uintptr_t>(&state), *state.object, *loaded);
  }
  state.lines = std::make_unique<Lines>(*state.object, std::move(loaded));
  state.code.entry = reinterpret_cast<KernelEntry>(entry.getAddress());
  state.code.info = &state.lowered.info;
  state.code.codeRanges = state.memory.codeRanges;
  state.code.dataRanges = state.memory.dataRanges;
  state.code.locate = [lines = state.lines.get()](uintptr_t pc) { return lines->at(pc); };
  return kernel;
}

} // namespace assay::lowering
