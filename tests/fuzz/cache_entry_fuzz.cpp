// The bytes of the cache's entries: exactly what the writer writes is accepted.
#include "fuzz.h"

#include "host/cache_entries.h"

using namespace assay;
using namespace assay::fuzz;

namespace {

template <class T> void entry(std::string_view bytes) {
  if (const std::optional<T> value = fromBytes<T>(bytes))
    require(toBytes(*value) == bytes, "an accepted entry is written as it was");
}

} // namespace

// The first byte says which kind of entry.
static int tryInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  const std::string_view bytes = textOf(data + 1, size - 1);
  switch (data[0]) {
  case 'm': entry<Manifest>(bytes); break;
  case 'c': entry<CachedModule>(bytes); break;
  case 'f': entry<CachedFacts>(bytes); break;
  case 'p': entry<CachedPipeline>(bytes); break;
  }
  return 0;
}

static const Parser parser("cache_entry", tryInput);
