// NSBundle: the folder of a program or library. There is no Info.plist and no .app here; a bundle's resources
// are the files beside its binary, or in Resources/ there.
#include "objective_c/foundation/foundation.h"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace assay::foundation;

namespace {

std::string executable() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, length) : std::string();
}

std::string resolved(const std::string &path) {
  char *real = realpath(path.c_str(), nullptr);
  std::string result = real ? real : path;
  free(real);
  return result;
}

std::string folderOf(const std::string &path) {
  return textOf([stringOf(path) stringByDeletingLastPathComponent]);
}

bool exists(const std::string &path) {
  return !access(path.c_str(), F_OK);
}
bool isFolder(const std::string &path) {
  struct stat info;
  return !stat(path.c_str(), &info) && S_ISDIR(info.st_mode);
}

} // namespace

@implementation NSBundle {
  std::string folder_, binary_;
}
- (instancetype)_assayInitWithBinary:(const std::string &)binary {
  binary_ = binary;
  folder_ = folderOf(binary);
  return self;
}
- (instancetype)initWithPath:(NSString *)path {
  if (!path || !isFolder(textOf(path))) {
    [self release];
    return nil;
  }
  folder_ = resolved(textOf(path));
  return self;
}
- (instancetype)initWithURL:(NSURL *)url {
  return [self initWithPath:[url path]];
}
+ (NSBundle *)bundleWithPath:(NSString *)path {
  return [[[self alloc] initWithPath:path] autorelease];
}
+ (NSBundle *)bundleWithURL:(NSURL *)url {
  return [[[self alloc] initWithURL:url] autorelease];
}
+ (NSBundle *)bundleWithIdentifier:(NSString *)identifier {
  return nil; // no bundle has one
}
+ (NSBundle *)mainBundle {
  static NSBundle *main = [[NSBundle alloc] _assayInitWithBinary:executable()];
  return main;
}
// The image of a class is the one that contains the class's own structure.
+ (NSBundle *)bundleForClass:(Class)cls {
  Dl_info image;
  if (!cls || !dladdr((const void *)cls, &image) || !image.dli_fname || !*image.dli_fname)
    return [self mainBundle];
  const std::string path = resolved(image.dli_fname);
  if (path == textOf([[self mainBundle] executablePath]))
    return [self mainBundle];
  return [[[self alloc] _assayInitWithBinary:path] autorelease];
}
+ (NSArray<NSBundle *> *)allBundles {
  return @[ [self mainBundle] ];
}
// The shared libraries of the process.
+ (NSArray<NSBundle *> *)allFrameworks {
  NSMutableArray *all = [NSMutableArray array];
  dl_iterate_phdr(
      [](dl_phdr_info *info, size_t, void *list) {
        if (info->dlpi_name && *info->dlpi_name == '/')
          [(NSMutableArray *)list
              addObject:[[[NSBundle alloc] _assayInitWithBinary:resolved(info->dlpi_name)] autorelease]];
        return 0;
      },
      all);
  return all;
}
- (NSString *)bundlePath {
  return stringOf(folder_);
}
- (NSURL *)bundleURL {
  return [NSURL fileURLWithPath:[self bundlePath] isDirectory:YES];
}
- (NSString *)resourcePath {
  return stringOf(isFolder(folder_ + "/Resources") ? folder_ + "/Resources" : folder_);
}
- (NSURL *)resourceURL {
  return [NSURL fileURLWithPath:[self resourcePath] isDirectory:YES];
}
- (NSString *)executablePath {
  return binary_.empty() ? nil : stringOf(binary_);
}
- (NSURL *)executableURL {
  return binary_.empty() ? nil : [NSURL fileURLWithPath:[self executablePath]];
}
- (NSString *)bundleIdentifier {
  return nil;
}
- (NSDictionary *)infoDictionary {
  return @{};
}
- (id)objectForInfoDictionaryKey:(NSString *)key {
  return nil;
}
- (NSString *)pathForResource:(NSString *)name ofType:(NSString *)extension {
  return [self pathForResource:name ofType:extension inDirectory:nil];
}
- (NSString *)pathForResource:(NSString *)name ofType:(NSString *)extension inDirectory:(NSString *)folder {
  std::string file = textOf(name);
  if (file.empty())
    return nil;
  if ([extension length])
    file += "." + textOf(extension);
  if ([folder length])
    file = textOf(folder) + "/" + file;
  for (const std::string &place : {folder_ + "/Resources/", folder_ + "/"})
    if (exists(place + file))
      return stringOf(place + file);
  return nil;
}
- (NSURL *)URLForResource:(NSString *)name withExtension:(NSString *)extension {
  NSString *path = [self pathForResource:name ofType:extension];
  return path ? [NSURL fileURLWithPath:path] : nil;
}
- (NSString *)description {
  return stringOf(formatted(@"NSBundle <%s>", folder_.c_str()));
}
@end
