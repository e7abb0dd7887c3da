// NSURL: file locations, and other addresses as they are written.
#include "objective_c/foundation/foundation.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

using namespace assay::foundation;

namespace {

// What a path may have in an address as it is (RFC 3986's unreserved, sub-delims, ':', '@' and '/').
std::string percentEncoded(const std::string &path) {
  std::string text;
  for (char c : path)
    if (isalnum((unsigned char)c) || (c && strchr("-._~!$&'()*+,;=:@/", c)))
      text += c;
    else
      text += formatted(@"%%%02X", (unsigned char)c);
  return text;
}

std::string percentDecoded(const std::string &text) {
  std::string path;
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '%' && i + 2 < text.size() && isxdigit((unsigned char)text[i + 1]) &&
        isxdigit((unsigned char)text[i + 2])) {
      path += (char)strtol(text.substr(i + 1, 2).c_str(), nullptr, 16);
      i += 2;
    } else
      path += text[i];
  return path;
}

std::string absolute(const std::string &path) {
  if (path.starts_with('/'))
    return path;
  if (path.starts_with('~'))
    return textOf([stringOf(path) stringByExpandingTildeInPath]);
  char folder[4096];
  return getcwd(folder, sizeof folder) ? std::string(folder) + "/" + path : path;
}

} // namespace

@implementation NSURL {
  NSString *text_; // the whole address
  NSString *path_; // decoded, without a slash at the end
}
+ (instancetype)fileURLWithPath:(NSString *)path {
  return [[[self alloc] initFileURLWithPath:path] autorelease];
}
+ (instancetype)fileURLWithPath:(NSString *)path isDirectory:(BOOL)directory {
  return [[[self alloc] initFileURLWithPath:path isDirectory:directory] autorelease];
}
+ (instancetype)URLWithString:(NSString *)string {
  return [[[self alloc] initWithString:string] autorelease];
}
- (instancetype)initFileURLWithPath:(NSString *)path {
  struct stat info;
  return [self initFileURLWithPath:path
                       isDirectory:[path hasSuffix:@"/"] ||
                                   (path && !stat([path UTF8String], &info) && S_ISDIR(info.st_mode))];
}
- (instancetype)initFileURLWithPath:(NSString *)path isDirectory:(BOOL)directory {
  if (!path)
    raise(NSInvalidArgumentException, @"-[NSURL %s]: nil path", sel_getName(_cmd));
  std::string text = absolute(textOf(path));
  while (text.size() > 1 && text.back() == '/')
    text.pop_back();
  path_ = newString(text);
  text_ = newString("file://" + percentEncoded(text) + (directory && text != "/" ? "/" : ""));
  return self;
}
- (instancetype)initWithString:(NSString *)string {
  if (!string) {
    [self release];
    return nil;
  }
  text_ = [string copy];
  const std::string text = textOf(string);
  size_t from = text.find("://");
  from = from == std::string::npos ? 0 : text.find('/', from + 3);
  std::string path = from == std::string::npos
                         ? ""
                         : percentDecoded(text.substr(from, text.find_first_of("?#", from) - from));
  while (path.size() > 1 && path.back() == '/')
    path.pop_back();
  path_ = newString(path);
  return self;
}
- (void)dealloc {
  [text_ release];
  [path_ release];
  [super dealloc];
}
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
- (NSString *)path {
  return path_;
}
- (NSString *)absoluteString {
  return text_;
}
- (NSString *)scheme {
  const std::string text = textOf(text_);
  const size_t colon = text.find(':');
  return colon == std::string::npos ? nil : stringOf(text.substr(0, colon));
}
- (BOOL)isFileURL {
  return [text_ hasPrefix:@"file:"];
}
- (NSString *)lastPathComponent {
  return [path_ lastPathComponent];
}
- (NSString *)pathExtension {
  return [path_ pathExtension];
}
- (const char *)fileSystemRepresentation {
  return [path_ UTF8String];
}
- (NSURL *)_assayWithPath:(NSString *)path isDirectory:(BOOL)directory {
  if ([self isFileURL])
    return [NSURL fileURLWithPath:path isDirectory:directory];
  const std::string text = textOf(text_);
  const size_t scheme = text.find("://");
  const size_t from = scheme == std::string::npos ? 0 : std::min(text.find('/', scheme + 3), text.size());
  return [NSURL
      URLWithString:stringOf(text.substr(0, from) + percentEncoded(textOf(path)) + (directory ? "/" : ""))];
}
- (NSURL *)URLByAppendingPathComponent:(NSString *)component {
  NSString *path = [path_ stringByAppendingPathComponent:component];
  struct stat info;
  const bool directory = [component hasSuffix:@"/"] ||
                         ([self isFileURL] && !stat([path UTF8String], &info) && S_ISDIR(info.st_mode));
  return [self _assayWithPath:path isDirectory:directory];
}
- (NSURL *)URLByAppendingPathExtension:(NSString *)extension {
  return [self _assayWithPath:[path_ stringByAppendingPathExtension:extension] isDirectory:NO];
}
- (NSURL *)URLByDeletingLastPathComponent {
  return [self _assayWithPath:[path_ stringByDeletingLastPathComponent] isDirectory:YES];
}
- (NSURL *)URLByDeletingPathExtension {
  return [self _assayWithPath:[path_ stringByDeletingPathExtension] isDirectory:NO];
}
- (BOOL)checkResourceIsReachableAndReturnError:(NSError **)error {
  if (![self isFileURL])
    errno = EINVAL;
  else if (!access([path_ UTF8String], F_OK))
    return YES;
  if (error)
    *error = posixError(errno, NSFileReadNoSuchFileError, path_);
  return NO;
}
- (BOOL)isEqual:(id)object {
  return self == object || ([object isKindOfClass:[NSURL class]] && [text_ isEqual:[object absoluteString]]);
}
- (NSUInteger)hash {
  return [text_ hash];
}
- (NSString *)description {
  return text_;
}
@end
