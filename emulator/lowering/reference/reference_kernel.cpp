// The reference: makes the neutral module, and lets the lanes of a threadgroup take turns.
#include "reference_kernel.h"

#include "lane.h"

#include "../host_target.h"
#include "../neutral_module.h"
#include "../read_module.h"

#include "support/process/deep_stack.h"

#include <llvm/IR/LLVMContext.h>
#include <llvm/Target/TargetMachine.h>

namespace assay::lowering {

using reference::Lane;
using reference::Standing;
using reference::Surroundings;

namespace {

// Below 0 if lane a has come less far than lane b: see SiteInfo.
int compareKeys(const std::vector<SiteInfo> &sites, const Lane &a, const Lane &b) {
  const auto keyOf = [&](const Lane &lane) {
    std::vector<uint32_t> key;
    for (const SiteLoop &loop : sites[lane.site].loops)
      key.insert(key.end(), {loop.order, lane.counters[loop.counter]});
    key.push_back(sites[lane.site].order);
    return key;
  };
  const auto keyA = keyOf(a), keyB = keyOf(b);
  return keyA < keyB ? -1 : keyB < keyA ? 1 : 0;
}

} // namespace

struct ReferenceKernel::State {
  State(const ModuleInfo &module, const KernelInfo &kernel,
        const std::map<uint32_t, ConstantValue> &constants, const LoweringOptions &options)
      : moduleInfo(module), kernel(kernel), values(constants), options(options) {}

  ModuleInfo moduleInfo;
  KernelInfo kernel;
  std::map<uint32_t, ConstantValue> values;
  LoweringOptions options;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<Optimizer> optimizer;
  Lowering lowering{moduleInfo, kernel, values, options};
  llvm::DenseMap<const llvm::GlobalVariable *, std::vector<uint8_t>> constants;

  Result<void> make(std::string_view bitcode);
  void meet(std::vector<std::unique_ptr<Lane>> &lanes, size_t first, size_t last, const ReferenceGroup &group,
            const uint8_t *published) const;
};

Result<void> ReferenceKernel::State::make(std::string_view bitcode) {
  if (options.numerics.nan != NanBits::Canonical)
    return Error::usage("unsupported", "the reference has no NaNs with payloads");
  auto target = makeHostTarget(options.cpu, options.debug);
  if (!target)
    return target.error();
  machine = std::move(*target);
  auto read = readModule(bitcode, context);
  if (!read)
    return read.error();
  module = std::move(*read);
  module->setDataLayout(machine->createDataLayout());
  lowering.module = module.get();
  lowering.info.kernelName = kernel.name;
  lowering.entry = module->getFunction(kernel.entrySymbol);
  if (!lowering.entry)
    return Error::usage("bad-module", "the module has no entry for kernel " + kernel.name);
  optimizer = std::make_unique<Optimizer>(*machine, options.debug, options.largeFunction);
  if (auto done = makeNeutral(lowering, *optimizer, [](llvm::StringRef) {}); !done)
    return done;

  // Addresses first: a constant may hold the address of another one.
  const llvm::DataLayout &layout = module->getDataLayout();
  for (const llvm::GlobalVariable &variable : module->globals())
    if (variable.hasInitializer() && !lowering.threadgroupIndex.contains(&variable))
      constants[&variable].resize(layout.getTypeAllocSize(variable.getValueType()).getFixedValue());
  DispatchAbi dispatch{};
  GroupAbi group{};
  group.dispatch = &dispatch;
  uint64_t steps = kMostReferenceSteps;
  const Surroundings around{
      &lowering, &layout, &group, 0, &constants, &steps, std::chrono::steady_clock::time_point::max()};
  const LaneAbi builtins{};
  Lane lane(around, builtins, nullptr);
  for (auto &[variable, bytes] : constants)
    reference::store(bytes.data(), lane.constant(*variable->getInitializer()), variable->getValueType(),
                     layout);
  return lane.error ? Result<void>(*lane.error) : Result<void>();
}

// Some of the waiting lanes from `first` to `last` are at an operation: those that have come the least far
// perform theirs.
void ReferenceKernel::State::meet(std::vector<std::unique_ptr<Lane>> &lanes, size_t first, size_t last,
                                  const ReferenceGroup &group, const uint8_t *published) const {
  const std::vector<SiteInfo> &sites = lowering.info.sites;
  const Lane *least = nullptr;
  for (size_t i = first; i < last; ++i)
    if (lanes[i]->standing == Standing::AtSimd && (!least || compareKeys(sites, *lanes[i], *least) < 0))
      least = lanes[i].get();
  const SiteInfo &site = sites[least->site];
  const void *in[kSimdWidth] = {};
  void *out[kSimdWidth] = {};
  uint32_t operand[kSimdWidth] = {};
  ReferenceMeeting meeting{&site,
                           0,
                           in,
                           out,
                           operand,
                           site.published == kNotPublished ? nullptr : published + site.published,
                           lowering.info.publishedBytes};
  for (size_t i = first; i < last; ++i) {
    Lane &lane = *lanes[i];
    if (lane.standing != Standing::AtSimd || compareKeys(sites, lane, *least) != 0)
      continue;
    meeting.active |= 1u << (i - first);
    in[i - first] = lane.in;
    out[i - first] = lane.out;
    operand[i - first] = lane.operand;
    lane.standing = Standing::Ready;
  }
  group.meet(meeting);
}

ReferenceKernel::ReferenceKernel() = default;
ReferenceKernel::~ReferenceKernel() = default;

Result<std::unique_ptr<ReferenceKernel>>
ReferenceKernel::make(std::string_view bitcode, const ModuleInfo &module, const KernelInfo &kernel,
                      const std::map<uint32_t, ConstantValue> &constants, const LoweringOptions &options) {
  std::unique_ptr<ReferenceKernel> made(new ReferenceKernel);
  made->state_ = std::make_unique<State>(module, kernel, constants, options);
  Result<void> done;
  onDeepStack([&] { done = made->state_->make(bitcode); });
  if (!done)
    return done.error();
  return made;
}

const KernelCodeInfo &ReferenceKernel::info() const {
  return state_->lowering.info;
}

Result<void> ReferenceKernel::run(const ReferenceGroup &group) {
  uint64_t steps = group.mostSteps;
  const Surroundings around{&state_->lowering,  &state_->module->getDataLayout(),
                            group.group,        group.arenaBytes,
                            &state_->constants, &steps,
                            group.deadline,     group.resources};
  const size_t threads = group.threads.size(), bytes = info().publishedBytes;
  std::vector<uint8_t> published((threads + kSimdWidth) / kSimdWidth * kSimdWidth * bytes);
  std::vector<std::unique_ptr<Lane>> lanes;
  for (size_t i = 0; i < threads; ++i)
    lanes.push_back(std::make_unique<Lane>(around, group.threads[i], published.data() + i * bytes));

  for (bool waiting = true; waiting;) {
    for (size_t first = 0; first < threads; first += kSimdWidth) {
      const size_t last = std::min(threads, first + kSimdWidth);
      for (bool atSimd = true; atSimd;) {
        atSimd = false;
        for (size_t i = first; i < last; ++i) {
          lanes[i]->run();
          if (lanes[i]->standing == Standing::Failed) {
            if (group.failed)
              *group.failed = uint32_t(i);
            return *lanes[i]->error;
          }
          atSimd |= lanes[i]->standing == Standing::AtSimd;
        }
        if (atSimd)
          state_->meet(lanes, first, last, group, published.data() + first * bytes);
      }
    }
    // Every thread that has not ended stands at a barrier.
    waiting = false;
    for (const auto &lane : lanes)
      if (lane->standing == Standing::AtBarrier) {
        lane->standing = Standing::Ready;
        waiting = true;
      }
  }
  return {};
}

} // namespace assay::lowering
