// What NSString and NSURL read from text: numbers, paths, addresses.
#include "foundation_fuzz.h"

#include <cmath>

using namespace assay::fuzz;

static int tryInput(const uint8_t *data, size_t size) {
  const std::string input(textOf(data, size));
  endsOrRaises([&] {
    NSString *text = assay::foundation::stringOf(input);
    require([text intValue] == std::clamp<long long>([text longLongValue], INT_MIN, INT_MAX),
            "an int is clamped");
    require(!std::isnan([text doubleValue]), "no text is NaN");
    (void)[text floatValue];
    (void)[text boolValue];

    NSString *last = [text lastPathComponent];
    require([last rangeOfString:@"/"].location == NSNotFound || [last isEqual:@"/"],
            "a component has no slash");
    require([[text stringByDeletingPathExtension] length] <= [text length],
            "without its extension a path is shorter");
    NSString *standard = [text stringByStandardizingPath];
    require([standard hasPrefix:@"~"] || [standard isEqual:[standard stringByStandardizingPath]],
            "a standard path stays as it is");
    (void)[NSString pathWithComponents:[text pathComponents]];
    (void)[[text stringByAppendingPathComponent:text] pathExtension];

    NSURL *url = [NSURL URLWithString:text];
    (void)[url scheme];
    (void)[url isFileURL];
    (void)[url lastPathComponent];
    (void)[url pathExtension];
    (void)[url URLByDeletingLastPathComponent];
    (void)[url URLByDeletingPathExtension];

    // A path survives the way to an address and back.
    NSURL *file = [NSURL fileURLWithPath:[@"/" stringByAppendingString:text] isDirectory:NO];
    NSURL *again = [NSURL URLWithString:[file absoluteString]];
    require([[again path] isEqual:[file path]], "an address leads to its path");
  });
  return 0;
}

static const Parser parser("address", tryInput);
