// Tracks the order that fences make through atomic operations, between any two threads of the grid.
//
// The rule is that of C++. One thread executes a fence that releases, and then an atomic store. Another
// thread executes an atomic load that reads the stored value, or a value that updates made from it, and then
// a fence that acquires. Then everything before the first fence happens before everything after the second.
// Both fences must name the memory, and the scope of each must include the other thread. source: MSL
// specification, sections on memory order and on fences; it refers to C++.
//
// A vector clock of all threads would be as long as the grid. Here a clock is sparse. For a threadgroup, it
// has the number of barriers that the threadgroup has passed, because its threads know all that came before
// these. It also has entries for single threads.
#pragma once

#include "../support/abi/kernel_code.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace assay::validation {

/// Kinds of memory that mem_flags name: bit i is kind i.
enum class MemorySpace : uint8_t { Device, Threadgroup, Texture };
inline constexpr size_t kMemorySpaces = 3;

/// What a thread knows of others.
struct Knowledge {
  std::map<uint32_t, uint32_t> groups;  ///< all that a threadgroup did before this many of its barriers
  std::map<uint64_t, uint32_t> threads; ///< all that a thread did before this time
};
using SharedKnowledge = std::shared_ptr<const Knowledge>;

inline constexpr uint64_t threadId(uint32_t group, uint32_t thread) {
  return uint64_t(group) * kMaxThreadsPerThreadgroup + thread;
}
SharedKnowledge join(const SharedKnowledge &a, const SharedKnowledge &b);

class FenceOrder {
public:
  void dispatchBegin();
  void groupBegin(uint32_t group, uint32_t threads);

  /// own   what the thread has done, and what it knows without fences
  void release(uint32_t thread, MemorySpace space, uint32_t scope, Knowledge own);
  void acquire(uint32_t thread, uint32_t flags, uint32_t scope);
  void atomic(uint32_t thread, uint64_t address, AtomicKind kind, MemorySpace space);
  /// Makes the threads of [first, last) whose lanes are in the mask know all that any of them knows.
  void share(MemorySpace space, uint32_t first, uint32_t last, uint32_t mask);

  const Knowledge *known(uint32_t thread, MemorySpace space) const {
    return threads_[thread].known[size_t(space)].get();
  }

private:
  static constexpr size_t kScopes = 3; // simdgroup, threadgroup, device
  using Messages = std::array<std::array<SharedKnowledge, kScopes>, kMemorySpaces>;
  /// What one simdgroup has released into a location, or all earlier threadgroups.
  struct Entry {
    uint32_t group = 0, simdgroup = 0;
    bool earlier = false; ///< by threadgroups that have ended: only device scope is left
    Messages messages;
  };
  using Location = std::vector<Entry>;
  struct Thread {
    std::array<SharedKnowledge, kMemorySpaces> known;
    Messages released;
    Location pending; ///< read by atomic operations, and not acquired yet
  };
  static int scopeClass(uint32_t scope);
  static void add(Location &to, const Entry &entry);
  void settle(Location &location) const;

  uint32_t group_ = 0;
  std::vector<Thread> threads_;
  std::unordered_map<uint64_t, Location> device_, threadgroup_;
};

} // namespace assay::validation
