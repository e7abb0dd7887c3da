// Clang's type encodings, read from left to right.
#include "metal/foundation/type_encoding.h"

#include "metal/foundation/foundation.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace assay::foundation {
namespace {

struct Layout {
  size_t size, alignment;
};

Layout layoutOf(const char *&type) {
  const auto simple = [&](size_t size) {
    type = afterType(type);
    return Layout{size, size};
  };
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
  case 'r':
  case 'n':
  case 'N':
  case 'o':
  case 'O':
  case 'R':
  case 'V':
  case 'A': return layoutOf(++type);
  case '[': {
    ++type;
    const size_t count = strtoul(type, const_cast<char **>(&type), 10);
    const Layout element = layoutOf(type);
    ++type;
    return {count * element.size, element.alignment};
  }
  case '{': {
    Layout all{0, 1};
    while (*type != '=' && *type != '}')
      ++type;
    if (*type == '=')
      ++type;
    while (*type != '}') {
      if (*type == '"') { // a member's name
        type = strchr(type + 1, '"') + 1;
        continue;
      }
      const Layout member = layoutOf(type);
      all.size = (all.size + member.alignment - 1) / member.alignment * member.alignment + member.size;
      all.alignment = std::max(all.alignment, member.alignment);
    }
    ++type;
    all.size = (all.size + all.alignment - 1) / all.alignment * all.alignment;
    return all;
  }
  }
  raise(NSInvalidArgumentException, @"the type '%s' has no known size", type);
}

} // namespace

const char *afterType(const char *type) {
  switch (*type) {
  case '\0': return type;
  case 'r':
  case 'n':
  case 'N':
  case 'o':
  case 'O':
  case 'R':
  case 'V':
  case 'A': // const, in, .., _Atomic
  case '^':
  case 'j': return afterType(type + 1); // a pointer, a complex number
  case '@':
    ++type;
    if (*type == '?') // a block
      ++type;
    if (*type == '"') // the class
      type = strchr(type + 1, '"') + 1;
    return type;
  case 'b': // a bit-field
    for (++type; isdigit((unsigned char)*type);)
      ++type;
    return type;
  case '[':
  case '{':
  case '(': {
    int depth = 0;
    do {
      if (*type == '"') // a name may contain any of the signs
        type = strchr(type + 1, '"');
      depth += *type == '[' || *type == '{' || *type == '(';
      depth -= *type == ']' || *type == '}' || *type == ')';
      ++type;
    } while (depth && *type);
    return type;
  }
  default: return type + 1;
  }
}

size_t sizeOfType(const char *type) {
  return layoutOf(type).size;
}

} // namespace assay::foundation
