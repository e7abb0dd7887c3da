// The characters of strings: UTF-8, UTF-16 and the other encodings, from any bytes.
#include "foundation_fuzz.h"

using namespace assay::foundation;
using namespace assay::fuzz;

static int tryInput(const uint8_t *data, size_t size) {
  const std::string_view bytes = assay::fuzz::textOf(data, size);
  const std::u16string units = toUtf16(bytes);
  require(units.size() == utf16Length(bytes), "a text has as many units as it is long");
  const std::string text = fromUtf16(units);
  require(toUtf16(text) == units, "units have one spelling");
  if (isWellFormed(bytes))
    require(text == bytes, "well-formed text is kept");

  for (const unsigned long encoding :
       {1ul, 4ul, 5ul, 10ul, 0x90000100ul, 0x94000100ul, 0x8c000100ul, 0x98000100ul, 0x9c000100ul, 77ul}) {
    if (const auto decoded = decode(bytes, encoding)) {
      const auto again = encode(*decoded, encoding);
      if (again)
        require(decode(*again, encoding) == decoded, "what is encoded is decoded as it was");
    }
    if (const auto encoded = encode(text, encoding))
      require(decode(*encoded, encoding) == text, "a text survives its encoding");
  }

  std::string joined;
  const size_t middle = units.size() / 2;
  append(joined, slice(text, 0, middle));
  append(joined, slice(text, middle, units.size() - middle));
  require(joined == text, "a text that is cut and joined is as it was");
  (void)foldCase(text);
  (void)toLower(text);
  (void)hash(text);
  return 0;
}

static const Parser parser("encoding", tryInput);
