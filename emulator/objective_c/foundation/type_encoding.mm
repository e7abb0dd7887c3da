// Clang's type encodings, read from left to right. A program may also put one together itself, so nothing is
// taken for granted: neither the end of what was begun nor a size that memory could have.
#include "objective_c/foundation/type_encoding.h"

#include "objective_c/foundation/foundation.h"

#include <algorithm>
#include <cctype>

namespace assay::foundation {
namespace {

constexpr size_t kLargest = size_t(1) << 47; // bytes; more than a process can have
constexpr int kDeepest = 100;                // structures and arrays in one another

struct Layout {
  size_t size, alignment;
};

[[noreturn]] void unfinished(const char *type) {
  raise(NSInvalidArgumentException, @"the type '%s' does not end", type);
}
[[noreturn]] void sizeless(const char *type) {
  raise(NSInvalidArgumentException, @"the type '%s' has no known size", type);
}

// A name in quotes, of a class or of a member.
const char *afterName(const char *quote) {
  const char *end = strchr(quote + 1, '"');
  if (!end)
    unfinished(quote);
  return end + 1;
}

bool isQualifier(char c) { // const, in, .., _Atomic
  return c && strchr("rnNoORVA", c);
}

size_t elementCount(const char *&type) {
  size_t count = 0;
  for (; isdigit((unsigned char)*type); ++type)
    count = std::min(kLargest, count * 10 + size_t(*type - '0'));
  return count;
}

Layout layoutOf(const char *&type, int depth = 0) {
  const char *const begin = type;
  const auto simple = [&](size_t size) {
    type = afterType(type);
    return Layout{size, size};
  };
  if (depth > kDeepest)
    sizeless(begin);
  while (isQualifier(*type))
    ++type;
  switch (*type) {
  case 'c':
  case 'C':
  case 'B': return simple(1);
  case 's':
  case 'S': return simple(2);
  case 'i':
  case 'I':
  case 'f': return simple(4);
  case 'l':
  case 'L':
  case 'q':
  case 'Q':
  case 'd':
  case '*':
  case '@':
  case '#':
  case ':':
  case '^': return simple(8);
  case 'D': return simple(16);
  case '[': {
    ++type;
    const size_t count = elementCount(type);
    const Layout element = layoutOf(type, depth + 1);
    if (*type != ']')
      unfinished(begin);
    ++type;
    if (element.size && count > kLargest / element.size)
      sizeless(begin);
    return {count * element.size, element.alignment};
  }
  case '{': {
    Layout all{0, 1};
    while (*type && *type != '=' && *type != '}')
      ++type;
    if (*type == '=')
      ++type;
    while (*type != '}') {
      if (!*type)
        unfinished(begin);
      if (*type == '"') { // a member's name
        type = afterName(type);
        continue;
      }
      const Layout member = layoutOf(type, depth + 1);
      all.size = (all.size + member.alignment - 1) / member.alignment * member.alignment + member.size;
      all.alignment = std::max(all.alignment, member.alignment);
      if (all.size > kLargest)
        sizeless(begin);
    }
    ++type;
    all.size = (all.size + all.alignment - 1) / all.alignment * all.alignment;
    return all;
  }
  }
  sizeless(begin);
}

} // namespace

const char *afterType(const char *type) {
  const char *const begin = type;
  while (isQualifier(*type) || *type == '^' || *type == 'j') // also a pointer, a complex number
    ++type;
  switch (*type) {
  case '\0': return type;
  case '@':
    ++type;
    if (*type == '?') // a block
      ++type;
    return *type == '"' ? afterName(type) : type; // the class
  case 'b':                                       // a bit-field
    for (++type; isdigit((unsigned char)*type);)
      ++type;
    return type;
  case '[':
  case '{':
  case '(': {
    int depth = 0;
    do {
      if (!*type)
        unfinished(begin);
      if (*type == '"') { // a name may contain any of the signs
        type = afterName(type);
        continue;
      }
      depth += *type == '[' || *type == '{' || *type == '(';
      depth -= *type == ']' || *type == '}' || *type == ')';
      ++type;
    } while (depth);
    return type;
  }
  default: return type + 1;
  }
}

size_t sizeOfType(const char *type) {
  return layoutOf(type).size;
}

} // namespace assay::foundation
