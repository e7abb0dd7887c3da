// Format strings of Foundation. What a format takes, it takes from memory of the fuzzer's own.
#include "foundation_fuzz.h"

#include <sys/mman.h>

using namespace assay::foundation;
using namespace assay::fuzz;

namespace {

constexpr size_t kSlots = 8192;

// Every argument is the address of one object. As a number its lower half is 16, so that it is also a width;
// as a text it is a few bytes that end in zero.
uint64_t everything() {
  static const uint64_t address = [] {
    void *page = mmap(reinterpret_cast<void *>(0x2b00'0000'0000), 4096, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    require(page != MAP_FAILED, "the fuzzer has its page");
    auto *object = reinterpret_cast<Class *>(static_cast<char *>(page) + 16);
    *object = [NSObject class];
    return reinterpret_cast<uint64_t>(object);
  }();
  return address;
}

std::string printed(NSString *format, uint64_t value) {
#ifdef __x86_64__
  static uint64_t slots[kSlots];
  std::fill(std::begin(slots), std::end(slots), value);
  va_list arguments;
  arguments[0].gp_offset = 48; // the registers have been taken: everything is on the stack
  arguments[0].fp_offset = 176;
  arguments[0].overflow_arg_area = slots;
  arguments[0].reg_save_area = nullptr;
  return formatted(format, arguments);
#else
  return textOf(format);
#endif
}

} // namespace

static int tryInput(const uint8_t *data, size_t size) {
  const std::string text(assay::fuzz::textOf(data, size));
  for (const uint64_t value : {uint64_t(0), everything()})
    endsOrRaises([&] {
      const std::string result = printed(stringOf(text), value);
      if (text.find('%') == std::string::npos)
        require(result == assay::foundation::textOf(stringOf(text)),
                "a format without conversions is its own text");
    });
  return 0;
}

static const Parser parser("format", tryInput);
