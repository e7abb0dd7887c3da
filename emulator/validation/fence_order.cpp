// See fence_order.h.
#include "validation/fence_order.h"

#include <algorithm>

namespace assay::validation {

SharedKnowledge join(const SharedKnowledge &a, const SharedKnowledge &b) {
  if (!a || a == b)
    return b;
  if (!b)
    return a;
  auto both = std::make_shared<Knowledge>(*a);
  for (const auto &[group, barriers] : b->groups) {
    uint32_t &known = both->groups[group];
    known = std::max(known, barriers);
  }
  for (const auto &[thread, time] : b->threads) {
    uint32_t &known = both->threads[thread];
    known = std::max(known, time);
  }
  return both;
}

void FenceOrder::dispatchBegin() {
  device_.clear();
}

void FenceOrder::groupBegin(uint32_t group, uint32_t threads) {
  group_ = group;
  threads_.assign(threads, {});
  threadgroup_.clear();
}

// The numbers of metal::thread_scope. -1: no other thread.
int FenceOrder::scopeClass(uint32_t scope) {
  switch (scope) {
  case 0: return -1;
  case 4: return 0;
  case 1: return 1;
  default: return 2;
  }
}

void FenceOrder::release(uint32_t thread, MemorySpace space, uint32_t scope, Knowledge own) {
  const int to = scopeClass(scope);
  if (to < 0)
    return;
  Thread &by = threads_[thread];
  by.released[size_t(space)][size_t(to)] =
      join(std::make_shared<const Knowledge>(std::move(own)), by.known[size_t(space)]);
}

void FenceOrder::add(Location &to, const Entry &entry) {
  auto found = std::find_if(to.begin(), to.end(), [&](const Entry &other) {
    return other.earlier == entry.earlier &&
           (entry.earlier || (other.group == entry.group && other.simdgroup == entry.simdgroup));
  });
  if (found == to.end()) {
    to.push_back(entry);
    return;
  }
  for (size_t space = 0; space < kMemorySpaces; ++space)
    for (size_t scope = 0; scope < kScopes; ++scope)
      found->messages[space][scope] = join(found->messages[space][scope], entry.messages[space][scope]);
}

// What threadgroups that have ended left becomes one entry: nobody is in their narrower scopes.
void FenceOrder::settle(Location &location) const {
  Entry earlier{0, 0, true, {}};
  bool any = false;
  std::erase_if(location, [&](const Entry &entry) {
    if (entry.earlier || entry.group == group_)
      return false;
    for (size_t space = 0; space < kMemorySpaces; ++space)
      earlier.messages[space][2] = join(earlier.messages[space][2], entry.messages[space][2]);
    return any = true;
  });
  if (any)
    add(location, earlier);
}

void FenceOrder::atomic(uint32_t thread, uint64_t address, AtomicKind kind, MemorySpace space) {
  Thread &by = threads_[thread];
  auto &locations = space == MemorySpace::Threadgroup ? threadgroup_ : device_;
  const bool releases = std::any_of(by.released.begin(), by.released.end(), [](const auto &scopes) {
    return std::any_of(scopes.begin(), scopes.end(), [](const auto &message) { return message != nullptr; });
  });
  auto found = locations.find(address);
  if (found == locations.end()) {
    if (kind == AtomicKind::Load || !releases)
      return;
    found = locations.emplace(address, Location()).first;
  }
  Location &location = found->second;
  settle(location);
  if (kind != AtomicKind::Store)
    for (const Entry &entry : location)
      add(by.pending, entry);
  if (kind == AtomicKind::Store)
    location.clear();
  if (kind != AtomicKind::Load && releases)
    add(location, {group_, thread / kSimdWidth, false, by.released});
}

void FenceOrder::acquire(uint32_t thread, uint32_t flags, uint32_t scope) {
  Thread &by = threads_[thread];
  const int mine = scopeClass(scope);
  for (const Entry &entry : by.pending) {
    const int distance = entry.earlier ? 2 : entry.simdgroup == thread / kSimdWidth ? 0 : 1;
    if (mine < distance)
      continue;
    for (size_t space = 0; space < kMemorySpaces; ++space)
      for (size_t theirs = size_t(distance); theirs < kScopes; ++theirs)
        if (flags >> space & 1)
          by.known[space] = join(by.known[space], entry.messages[space][theirs]);
  }
}

void FenceOrder::share(MemorySpace space, uint32_t first, uint32_t last, uint32_t mask) {
  SharedKnowledge all;
  const auto forEach = [&](auto visit) {
    for (uint32_t thread = first; thread < std::min(last, uint32_t(threads_.size())); ++thread)
      if (mask >> thread % kSimdWidth & 1)
        visit(threads_[thread].known[size_t(space)]);
  };
  forEach([&](const SharedKnowledge &known) { all = join(all, known); });
  if (all)
    forEach([&](SharedKnowledge &known) { known = all; });
}

} // namespace assay::validation
