// Strings as file paths. Trailing slashes are ignored, and several slashes count as one.
#include "objective_c/foundation/foundation.h"

#include <cstdlib>
#include <vector>

using namespace assay::foundation;

namespace {

std::string trimmed(std::string path) {
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  return path;
}

std::string lastComponent(const std::string &whole) {
  const std::string path = trimmed(whole);
  const size_t slash = path.rfind('/');
  return path == "/" || slash == std::string::npos ? path : path.substr(slash + 1);
}

// Where the dot of the extension is, in the last component. A leading dot makes a hidden file, not an
// extension.
size_t dotOf(const std::string &component) {
  const size_t dot = component.rfind('.');
  return dot == 0 || dot + 1 == component.size() ? std::string::npos : dot;
}

std::string joined(std::string path, const std::string &component) {
  const size_t from = component.find_first_not_of('/');
  if (from == std::string::npos)
    return trimmed(path.empty() && !component.empty() ? "/" : path);
  if (path.empty())
    return trimmed(component);
  path = trimmed(path);
  if (path != "/")
    path += '/';
  return trimmed(path + component.substr(from));
}

} // namespace

@implementation NSString (NSStringPathExtensions)

+ (NSString *)pathWithComponents:(NSArray<NSString *> *)components {
  std::string path;
  for (NSString *component in components)
    path = path.empty() ? trimmed(textOf(component)) : joined(path, textOf(component));
  return stringOf(path);
}
- (NSArray<NSString *> *)pathComponents {
  const std::string path = [self _assayText];
  NSMutableArray *components = [NSMutableArray array];
  if (path.starts_with('/'))
    [components addObject:@"/"];
  for (size_t from = 0; from < path.size();) {
    const size_t to = std::min(path.find('/', from), path.size());
    if (to > from)
      [components addObject:stringOf(path.substr(from, to - from))];
    from = to + 1;
  }
  if (path.size() > 1 && path.back() == '/' && path.find_first_not_of('/') != std::string::npos)
    [components addObject:@"/"];
  return components;
}
- (BOOL)isAbsolutePath {
  const std::string path = [self _assayText];
  return path.starts_with('/') || path.starts_with('~');
}
- (NSString *)lastPathComponent {
  return stringOf(lastComponent([self _assayText]));
}
- (NSString *)pathExtension {
  const std::string last = lastComponent([self _assayText]);
  const size_t dot = dotOf(last);
  return stringOf(dot == std::string::npos ? "" : last.substr(dot + 1));
}
- (NSString *)stringByDeletingLastPathComponent {
  const std::string path = trimmed([self _assayText]);
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return @"";
  return stringOf(slash == 0 ? "/" : trimmed(path.substr(0, slash)));
}
- (NSString *)stringByDeletingPathExtension {
  const std::string path = trimmed([self _assayText]), last = lastComponent(path);
  const size_t dot = dotOf(last);
  return stringOf(dot == std::string::npos ? path : path.substr(0, path.size() - (last.size() - dot)));
}
- (NSString *)stringByAppendingPathComponent:(NSString *)component {
  return stringOf(joined([self _assayText], textOf(component)));
}
- (NSString *)stringByAppendingPathExtension:(NSString *)extension {
  return stringOf(trimmed([self _assayText]) + "." + textOf(extension));
}
- (NSString *)stringByExpandingTildeInPath {
  const std::string path = [self _assayText];
  if (path != "~" && !path.starts_with("~/"))
    return self;
  return stringOf(trimmed(textOf(NSHomeDirectory()) + path.substr(1)));
}
- (NSString *)stringByStandardizingPath {
  const std::string path = textOf([self stringByExpandingTildeInPath]);
  const bool absolute = path.starts_with('/');
  std::vector<std::string> parts;
  for (size_t from = 0; from < path.size();) {
    const size_t to = std::min(path.find('/', from), path.size());
    const std::string part = path.substr(from, to - from);
    if (part == ".." && absolute) {
      if (!parts.empty())
        parts.pop_back();
    } else if (!part.empty() && part != ".")
      parts.push_back(part);
    from = to + 1;
  }
  std::string result = absolute ? "/" : "";
  for (size_t i = 0; i < parts.size(); ++i)
    result += (i ? "/" : "") + parts[i];
  return stringOf(result);
}

@end

NSString *NSHomeDirectory(void) {
  const char *home = getenv("HOME");
  return home ? @(home) : @"/";
}

NSString *NSTemporaryDirectory(void) {
  const char *folder = getenv("TMPDIR");
  return stringOf(trimmed(folder && *folder ? folder : "/tmp") + "/");
}
