// See kernel_codes.h.
#include "kernel_codes.h"

#include "environment.h"
#include "state.h"

#include <algorithm>

namespace assay::detail {
namespace {

constexpr uint64_t kFewThreads = 4096; // the code of another shape will do

bool isSmall(const runtime::DispatchRequest &request) {
  return request.gridThreads.count() <= kFewThreads;
}

bool share(const BufferAbi &a, const BufferAbi &b) {
  return a.base && b.base && a.begin() < b.begin() + b.allBytes() && b.begin() < a.begin() + a.allBytes();
}

bool areIndependent(const runtime::DispatchRequest &request, const KernelCodeInfo &kernel) {
  const IndependentThreads &threads = kernel.independent;
  const bool oneRow = request.gridThreads.y == 1 && request.gridThreads.z == 1;
  if (!threads.known || (threads.inRows && !oneRow))
    return false;
  for (uint32_t written = 0; written < kBufferSlots; ++written)
    for (uint32_t slot = 0; slot < kBufferSlots; ++slot) {
      const BufferAbi &mine = request.buffers[written], &other = request.buffers[slot];
      if (slot == written || !(threads.written >> written & 1) || !(kernel.usedBuffers >> slot & 1) ||
          !share(mine, other))
        continue;
      const bool sameElements = threads.ownElements >> written & threads.ownElements >> slot & 1;
      if (!oneRow || !sameElements || mine.base != other.base)
        return false;
    }
  return true;
}

} // namespace

KernelCodes::KernelCodes(std::shared_ptr<const LibraryState> library, const KernelInfo &kernel,
                         Constants constants, lowering::LoweringOptions options, CompileCache cache,
                         bool watchesSimdgroups)
    : library_(std::move(library)), kernel_(kernel), constants_(std::move(constants)),
      options_(std::move(options)), cache_(std::move(cache)), watchesSimdgroups_(watchesSimdgroups),
      quickThreads_(environmentQuickThreads()) {}

KernelRecipe KernelCodes::recipe(Engine engine, GroupShape shape, Watch watch) const {
  lowering::LoweringOptions options = options_;
  options.observeMemory = watch.observeMemory;
  options.countWork = watch.countWork;
  // Where nobody checks accesses, an address outside of memory has no shadow, either.
  options.trackUndefined = options.boundsChecks ? watch.track : TrackUndefined::No;
  options.engine = engine;
  options.independentOnFibers = false;
  options.lockstep = options_.lockstep && engine != Engine::Vector; // where lanes go together anyway
  options.group = shape;
  return {library_, kernel_, constants_, options, cache_};
}

Result<void> KernelCodes::beginReference() {
  const Result<std::string_view> bitcode = library_->bitcode();
  if (!bitcode)
    return bitcode.error();
  Result<std::vector<uint8_t>> active =
      recipe(Engine::Reference, kRowsShape, watchOfOptions()).activeArguments(*bitcode);
  if (!active)
    return active.error();
  active_ = std::move(*active);
  auto kernel = lowering::ReferenceKernel::make(*bitcode, library_->info, kernel_, constants_, options_);
  if (!kernel)
    return asUsageIfConstantIsMissing(kernel.error());
  reference_ = std::make_unique<ReferenceRun>(std::move(*kernel));
  facts_ = *reference_->code().info;
  return {};
}

Result<void> KernelCodes::begin() {
  if (options_.engine == Engine::Reference)
    return beginReference();
  const Watch watch = watchOfOptions();
  KernelRecipe first = recipe(usesVectors() ? Engine::Vector : Engine::Fiber, kRowsShape, watch);
  const bool mayBegin = mayBeginOnFibers();
  first.options.independentOnFibers = mayBegin;
  first_ = KernelTask::of(first);
  const bool shared = first_->isBegun();
  const Result<KernelTask::Facts> &facts = first_->facts();
  if (!facts)
    return facts.error();
  facts_ = facts->info;
  active_ = facts->active;
  fromCache_ = facts->fromCache || shared;
  if (mayBegin && facts_.independent.known) {
    fibers_[watch] = independent_ = first_;
    first.options.independentOnFibers = false;
    first_ = KernelTask::of(first);
    return {};
  }
  onFibers_ = facts_.onFibers;
  // What Engine::Vector refused has been begun for fibers, but not in lockstep.
  if (!usesVectors() || (!onFibers_.empty() && !options_.lockstep))
    fibers_[watch] = first_;
  if (!onFibers_.empty() || comparesEngines()) {
    const Result<KernelTask::Facts> &ofFibers = fibersTask(watch)->facts();
    if (!ofFibers)
      return ofFibers.error();
    if (!onFibers_.empty())
      facts_ = ofFibers->info;
  }
  if (!options_.debug)
    return {};
  // A debugger sets its breakpoints before anything runs.
  const Task shown = usesVectors() && onFibers_.empty() ? first_ : fibersTask(watch);
  return shown->code() ? Result<void>() : Result<void>(shown->code().error());
}

bool KernelCodes::mayBeQuick() const {
  return quickThreads_ && !options_.debug && options_.numerics.nan == NanBits::Canonical;
}

bool KernelCodes::mayBeginOnFibers() const {
  return options_.independentOnFibers && options_.engine == Engine::Vector && options_.boundsChecks &&
         mayBeQuick();
}

bool KernelCodes::vectorises() const {
  if (!independent_)
    return facts_.threadsPerCall > 1;
  const Result<KernelTask::Facts> &facts = first_->facts();
  return facts && facts->info.threadsPerCall > 1;
}

const std::string &KernelCodes::onFibers() const {
  if (!independent_)
    return onFibers_;
  const Result<KernelTask::Facts> &facts = first_->facts();
  return facts ? facts->info.onFibers : onFibers_;
}

const KernelCodeInfo &KernelCodes::info() const {
  if (reference_)
    return facts_;
  const Task task = usesVectors() && onFibers().empty() ? first_ : fibersTask(watchOfOptions());
  const Result<KernelTask::Code> &code = task->code();
  return code ? *(*code)->code().info : facts_;
}

KernelCodes::Task KernelCodes::fibersTask(Watch watch) const {
  const auto known = [&]() -> Task & { return fibers_[watch]; };
  {
    const std::unique_lock lock = CompileWorkers::lock();
    if (known())
      return known();
  }
  Task task = KernelTask::of(recipe(Engine::Fiber, kRowsShape, watch));
  const std::unique_lock lock = CompileWorkers::lock();
  if (!known())
    known() = std::move(task);
  return known();
}

bool KernelCodes::madeCode() const {
  const std::unique_lock lock = CompileWorkers::lock();
  bool made = false;
  for (const auto &[watch, task] : fibers_)
    made |= task && task->madeCode();
  for (const auto &[watch, codes] : simdgroups_)
    for (const OfShape &code : codes)
      made |= code.task->madeCode();
  return made;
}

Result<const KernelCode *> KernelCodes::fibers() const {
  return watched(watchOfOptions());
}

Result<const KernelCode *> KernelCodes::watched(Watch watch) const {
  const Result<KernelTask::Code> &code = fibersTask(watch)->code(); // kept in fibers_
  if (!code)
    return code.error();
  return &(*code)->code();
}

KernelCodes::Task KernelCodes::simdgroups(GroupShape shape, Watch watch, bool isSmall, bool toPrepare) const {
  std::vector<OfShape> known;
  {
    const std::unique_lock lock = CompileWorkers::lock();
    known = simdgroups_[watch];
  }
  // Whether a code needs its shape is the same for all shapes; whether it is refused need not be.
  const auto needsShape = [&](KernelTask &task) {
    if (toPrepare && !task.knownFacts())
      return facts_.needsShape;
    const Result<KernelTask::Facts> &facts = task.facts();
    return !facts || facts->info.threadsPerCall == 1 || facts->info.needsShape;
  };
  const auto suits = [&](const OfShape &one) {
    return one.shape == shape || (isSmall && one.shape.serves(shape, true)) ||
           (one.shape.serves(shape, false) && !needsShape(*one.task));
  };
  // In the order in which dispatches needed them: what others add meanwhile must not change the choice.
  for (const OfShape &one : known)
    if (suits(one))
      return one.task;
  OfShape added{kRowsShape, first_};
  if (watch != Watch{} || !usesVectors() || !suits(added))
    added = {shape, KernelTask::of(recipe(Engine::Vector, shape, watch))};
  const std::unique_lock lock = CompileWorkers::lock();
  std::vector<OfShape> &all = simdgroups_[watch];
  for (const OfShape &one : all)
    if (one.shape == added.shape) // another thread has been here
      return one.task;
  all.push_back(added);
  return added.task;
}

KernelCodes::CodesOfDispatch KernelCodes::simdgroups(const runtime::DispatchRequest &request, Watch watch,
                                                     bool toPrepare) const {
  const runtime::Size3 &grid = request.gridThreads, &full = request.threadsPerThreadgroup;
  // The lengths that threadgroups have along one axis: the full one, and what is left at the far edge.
  const auto lengths = [](uint32_t grid, uint32_t full) {
    return std::array{grid >= full ? full : 0, grid % full};
  };
  const auto alongX = lengths(grid.x, full.x), alongY = lengths(grid.y, full.y),
             alongZ = lengths(grid.z, full.z);
  // Where there is only one threadgroup along an axis, it begins at 0.
  const uint32_t stepX = grid.x > full.x ? full.x : 0, stepY = grid.y > full.y ? full.y : 0;
  const bool small = isSmall(request);
  CodesOfDispatch codes;
  for (uint32_t i = 0; i < codes.size(); ++i) {
    // What is left at an edge has the code that serves most: of few threads, it comes first.
    const uint32_t cut = small ? uint32_t(codes.size()) - 1 - i : i;
    const uint32_t x = alongX[cut & 1], y = alongY[cut >> 1 & 1], z = alongZ[cut >> 2];
    if (x && y && z)
      codes[cut] = simdgroups(groupShapeOf(x, y, z, stepX, stepY), watch, small, toPrepare);
  }
  return codes;
}

lowering::CodeEffort KernelCodes::effortOf(const runtime::DispatchRequest &request) const {
  const bool isQuick = mayBeQuick() && request.gridThreads.count() <= quickThreads_;
  return isQuick ? lowering::CodeEffort::Quick : lowering::CodeEffort::Full;
}

bool KernelCodes::runsOnFibers(const runtime::DispatchRequest &request) const {
  return !usesVectors() || request.observer || request.countWork ||
         request.schedule.kind == runtime::ScheduleKind::Shuffle;
}

KernelCodes::Watch KernelCodes::watchOf(const runtime::DispatchRequest &request) const {
  const Observer *const observer = request.observer;
  const TrackUndefined track = observer ? observer->tracksUndefined() : TrackUndefined::No;
  const bool observes = (observer && observer->wantsMemory()) || options_.observeMemory;
  return {observes, track, request.countWork || options_.countWork};
}

bool KernelCodes::beginsOnFibers(const runtime::DispatchRequest &request) const {
  return independent_ && !runsOnFibers(request) && effortOf(request) == lowering::CodeEffort::Quick &&
         areIndependent(request, facts_);
}

void KernelCodes::prepare(const runtime::DispatchRequest &request) const {
  if (reference_)
    return;
  if (beginsOnFibers(request)) {
    if (hasPatience())
      independent_->start(lowering::CodeEffort::Quick);
    return;
  }
  if (runsOnFibers(request) || !onFibers_.empty())
    return fibersTask(watchOf(request))->start();
  bool first = false;
  for (const Task &task : simdgroups(request, {}, true))
    if (task) {
      task->start(effortOf(request));
      first |= task == first_;
    }
  if (!first)
    first_->forget();
}

void KernelCodes::finishPrepared(const runtime::DispatchRequest &request) const {
  if (reference_)
    return;
  if (beginsOnFibers(request)) {
    if (hasPatience())
      independent_->code(lowering::CodeEffort::Quick);
    return;
  }
  if (runsOnFibers(request) || !onFibers_.empty()) {
    fibersTask(watchOf(request))->code();
    return;
  }
  for (const Task &task : simdgroups(request, {}, true))
    if (task)
      task->code(effortOf(request));
}

Result<void> KernelCodes::choose(runtime::DispatchRequest &request) const {
  request.edgeCodes = {};
  if (beginsOnFibers(request)) {
    const Result<bool> chosen = chooseIndependent(request);
    if (!chosen)
      return chosen.error();
    if (*chosen)
      return {};
  }
  if (!runsOnFibers(request)) {
    const Result<bool> chosen = chooseSimdgroups(request, {});
    if (!chosen)
      return chosen.error();
    if (*chosen)
      return {};
  }
  const Result<const KernelCode *> code = watched(watchOf(request));
  if (!code)
    return code.error();
  request.code = *code;
  request.edgeCodes = {};
  return {};
}

void KernelCodes::ran(const runtime::DispatchRequest &request, std::chrono::nanoseconds time) const {
  if (request.code && request.code->info->isQuick)
    quickTime_ += time.count();
}

Result<bool> KernelCodes::chooseWatchedSimdgroups(runtime::DispatchRequest &request,
                                                  TrackUndefined track) const {
  // What Engine::Vector refuses without an observer it refuses with one.
  if (!watchesSimdgroups_ || (usesVectors() && !onFibers_.empty()))
    return false;
  return chooseSimdgroups(request, {true, track, false});
}

Result<bool> KernelCodes::chooseIndependent(runtime::DispatchRequest &request) const {
  if (!hasPatience()) {
    bool there = true;
    for (const Task &task : simdgroups(request, {}, false)) {
      if (!task)
        continue;
      const Result<KernelTask::Facts> &facts = task->facts();
      // What vectors refuse stays on fibers.
      const Task &better = facts && facts->info.threadsPerCall > 1 ? task : independent_;
      better->start(lowering::CodeEffort::Full);
      there &= better->hasFullCode();
    }
    if (there)
      return false;
  }
  const Result<KernelTask::Code> &code = independent_->code(lowering::CodeEffort::Quick);
  if (!code)
    return code.error();
  request.code = &(*code)->code();
  return true;
}

Result<bool> KernelCodes::chooseSimdgroups(runtime::DispatchRequest &request, Watch watch) const {
  request.edgeCodes = {};
  request.code = nullptr;
  const CodesOfDispatch tasks = simdgroups(request, watch, false);
  for (const Task &task : tasks) {
    if (!task)
      continue;
    const Result<KernelTask::Facts> &facts = task->facts();
    if (!facts)
      return facts.error();
    if (facts->info.threadsPerCall == 1) {
      if (task != first_) // which fibers may need
        task->forget();
      return false;
    }
  }
  const lowering::CodeEffort effort = watch == Watch{} ? effortOf(request) : lowering::CodeEffort::Full;
  for (const Task &task : tasks)
    if (task) {
      task->start(effort); // at the same time, if there are several
      if (effort == lowering::CodeEffort::Quick && !hasPatience())
        task->start(lowering::CodeEffort::Full);
    }
  for (size_t cut = 0; cut < tasks.size(); ++cut) {
    if (!tasks[cut])
      continue;
    const Result<KernelTask::Code> &code = tasks[cut]->code(effort);
    if (!code)
      return code.error();
    request.edgeCodes[cut] = &(*code)->code();
    if (!request.code)
      request.code = request.edgeCodes[cut];
  }
  return true;
}

} // namespace assay::detail
