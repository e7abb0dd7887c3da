// A table of values that belong to objects but are kept outside of them. It has 64 parts with a lock each,
// chosen by the object's address, so that threads seldom compete.
#pragma once

#include <mutex>
#include <unordered_map>

#include <objc/objc.h>

namespace assay::objc {

template <class Value> class SideTable {
public:
  struct Part {
    std::mutex lock;
    std::unordered_map<const void *, Value> values;
  };
  Part &partOf(const void *object) { return parts_[(reinterpret_cast<uintptr_t>(object) >> 5) % 64]; }

private:
  Part parts_[64];
};

} // namespace assay::objc
