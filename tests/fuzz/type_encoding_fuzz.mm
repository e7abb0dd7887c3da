// Type encodings, which a program may put together itself: each has an end inside the text, and a size or an
// exception.
#include "foundation_fuzz.h"

#include "objective_c/foundation/type_encoding.h"

using namespace assay::foundation;
using namespace assay::fuzz;

static int tryInput(const uint8_t *data, size_t size) {
  const std::string text(textOf(data, size));
  const char *const begin = text.c_str(), *const last = begin + text.size();
  endsOrRaises([&] {
    const char *end = afterType(begin);
    require(end >= begin && end <= last, "a type ends inside its text");
    require(end > begin || !*begin, "a type has a length");
  });
  endsOrRaises([&] { (void)sizeOfType(begin); });
  endsOrRaises([&] {
    NSMethodSignature *signature = [NSMethodSignature signatureWithObjCTypes:begin];
    std::string all = [signature methodReturnType];
    for (NSUInteger i = 0; i < [signature numberOfArguments]; ++i)
      all += [signature getArgumentTypeAtIndex:i];
    require(all.size() <= text.size(), "a signature has the types of its text");
    require([signature isEqual:[NSMethodSignature signatureWithObjCTypes:begin]], "a text has one signature");
    (void)[signature isOneway];
    (void)[signature methodReturnLength];
  });
  return 0;
}

static const Parser parser("type_encoding", tryInput);
