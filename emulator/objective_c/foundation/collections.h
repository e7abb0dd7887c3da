// What arrays, dictionaries and sets share.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "objective_c/foundation/foundation.h"

namespace assay::foundation {

// The arguments of a variadic method up to nil.
#define ASSAY_COLLECT(first, into)                                                                           \
  std::vector<id> into;                                                                                      \
  if (first) {                                                                                               \
    va_list arguments;                                                                                       \
    va_start(arguments, first);                                                                              \
    for (id each = first; each; each = va_arg(arguments, id))                                                \
      into.push_back(each);                                                                                  \
    va_end(arguments);                                                                                       \
  }

struct HashOfObject {
  size_t operator()(id object) const { return [object hash]; }
};
struct EqualObjects {
  bool operator()(id one, id other) const { return one == other || [one isEqual:other]; }
};

// Implements for-in over objects in an array.
NSUInteger enumerate(NSFastEnumerationState *state, const std::vector<id> &objects, unsigned long *mutations);

NSEnumerator *enumeratorOf(std::vector<id> objects);

std::string indent(int depth);
// An element inside a collection's description: quoted unless it is letters and digits, or a collection.
std::string describeElement(id object, int depth);

} // namespace assay::foundation
