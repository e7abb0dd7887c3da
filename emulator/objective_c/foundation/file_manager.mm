// NSFileManager.
#include "objective_c/foundation/foundation.h"

#include <cerrno>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace assay::foundation;

#define ASSAY_NAME(name) NSString *const name = @ #name
ASSAY_NAME(NSFileType);
ASSAY_NAME(NSFileSize);
ASSAY_NAME(NSFileModificationDate);
ASSAY_NAME(NSFilePosixPermissions);
ASSAY_NAME(NSFileTypeDirectory);
ASSAY_NAME(NSFileTypeRegular);
ASSAY_NAME(NSFileTypeSymbolicLink);
ASSAY_NAME(NSFileTypeSocket);
ASSAY_NAME(NSFileTypeCharacterSpecial);
ASSAY_NAME(NSFileTypeBlockSpecial);
ASSAY_NAME(NSFileTypeUnknown);

namespace {

NSString *typeOf(mode_t mode) {
  return S_ISREG(mode)    ? NSFileTypeRegular
         : S_ISDIR(mode)  ? NSFileTypeDirectory
         : S_ISLNK(mode)  ? NSFileTypeSymbolicLink
         : S_ISSOCK(mode) ? NSFileTypeSocket
         : S_ISCHR(mode)  ? NSFileTypeCharacterSpecial
         : S_ISBLK(mode)  ? NSFileTypeBlockSpecial
                          : NSFileTypeUnknown;
}

NSInteger readCode(int code) {
  return code == ENOENT   ? NSFileReadNoSuchFileError
         : code == EACCES ? NSFileReadNoPermissionError
                          : NSFileReadUnknownError;
}

BOOL failed(NSError **error, int code, NSInteger cocoaCode, NSString *path) {
  if (error)
    *error = posixError(code, cocoaCode, path);
  return NO;
}

} // namespace

@implementation NSFileManager
+ (NSFileManager *)defaultManager {
  static NSFileManager *only = [[NSFileManager alloc] init];
  return only;
}
- (BOOL)fileExistsAtPath:(NSString *)path {
  return [self fileExistsAtPath:path isDirectory:nullptr];
}
- (BOOL)fileExistsAtPath:(NSString *)path isDirectory:(BOOL *)directory {
  struct stat info;
  if (!path || stat([path UTF8String], &info))
    return NO;
  if (directory)
    *directory = S_ISDIR(info.st_mode);
  return YES;
}
- (BOOL)isReadableFileAtPath:(NSString *)path {
  return path && !access([path UTF8String], R_OK);
}
- (BOOL)isWritableFileAtPath:(NSString *)path {
  return path && !access([path UTF8String], W_OK);
}
- (BOOL)isExecutableFileAtPath:(NSString *)path {
  return path && !access([path UTF8String], X_OK);
}
// Of a symbolic link itself, not of what it points to.
- (NSDictionary *)attributesOfItemAtPath:(NSString *)path error:(NSError **)error {
  struct stat info;
  if (!path || lstat([path UTF8String], &info)) {
    failed(error, path ? errno : EINVAL, readCode(path ? errno : EINVAL), path);
    return nil;
  }
  return @{
    NSFileType : typeOf(info.st_mode),
    NSFileSize : @((unsigned long long)info.st_size),
    NSFileModificationDate : [NSDate
        dateWithTimeIntervalSince1970:(double)info.st_mtim.tv_sec + 1e-9 * (double)info.st_mtim.tv_nsec],
    NSFilePosixPermissions : @(info.st_mode & 07777u)
  };
}
- (NSString *)destinationOfSymbolicLinkAtPath:(NSString *)path error:(NSError **)error {
  char target[4096];
  const ssize_t length = path ? readlink([path UTF8String], target, sizeof target) : -1;
  if (length < 0) {
    failed(error, path ? errno : EINVAL, readCode(path ? errno : EINVAL), path);
    return nil;
  }
  return stringOf(std::string(target, length));
}
- (NSArray<NSString *> *)contentsOfDirectoryAtPath:(NSString *)path error:(NSError **)error {
  std::error_code code;
  NSMutableArray *names = [NSMutableArray array];
  for (auto entry = std::filesystem::directory_iterator(textOf(path), code);
       !code && entry != std::filesystem::directory_iterator(); entry.increment(code))
    [names addObject:stringOf(entry->path().filename().string())];
  if (code) {
    failed(error, code.value(), readCode(code.value()), path);
    return nil;
  }
  return [names sortedArrayUsingSelector:@selector(compare:)];
}
- (NSData *)contentsAtPath:(NSString *)path {
  return [NSData dataWithContentsOfFile:path];
}
- (BOOL)createFileAtPath:(NSString *)path contents:(NSData *)data attributes:(NSDictionary *)attributes {
  return [(data ? data : [NSData data]) writeToFile:path atomically:NO];
}
- (BOOL)createDirectoryAtPath:(NSString *)path
    withIntermediateDirectories:(BOOL)intermediate
                     attributes:(NSDictionary *)attributes
                          error:(NSError **)error {
  std::error_code code;
  const std::filesystem::path folder = textOf(path);
  if (intermediate)
    std::filesystem::create_directories(folder, code);
  else if (!std::filesystem::create_directory(folder, code) && !code)
    code = std::make_error_code(std::errc::file_exists);
  return code ? failed(error, code.value(),
                       code.value() == EEXIST ? NSFileWriteFileExistsError : NSFileWriteUnknownError, path)
              : YES;
}
- (BOOL)removeItemAtPath:(NSString *)path error:(NSError **)error {
  std::error_code code;
  if (!std::filesystem::remove_all(textOf(path), code) && !code)
    code = std::make_error_code(std::errc::no_such_file_or_directory);
  return code ? failed(error, code.value(),
                       code.value() == ENOENT ? NSFileNoSuchFileError : NSFileWriteUnknownError, path)
              : YES;
}
- (BOOL)copyItemAtPath:(NSString *)from toPath:(NSString *)to error:(NSError **)error {
  namespace fs = std::filesystem;
  std::error_code code;
  if (fs::exists(fs::symlink_status(textOf(to), code)))
    return failed(error, EEXIST, NSFileWriteFileExistsError, to);
  fs::copy(textOf(from), textOf(to), fs::copy_options::recursive | fs::copy_options::copy_symlinks, code);
  return code ? failed(error, code.value(),
                       code.value() == ENOENT ? NSFileReadNoSuchFileError : NSFileWriteUnknownError, from)
              : YES;
}
- (BOOL)moveItemAtPath:(NSString *)from toPath:(NSString *)to error:(NSError **)error {
  std::error_code code;
  if (std::filesystem::exists(std::filesystem::symlink_status(textOf(to), code)))
    return failed(error, EEXIST, NSFileWriteFileExistsError, to);
  std::filesystem::rename(textOf(from), textOf(to), code);
  if (code == std::errc::cross_device_link)
    return [self copyItemAtPath:from toPath:to error:error] && [self removeItemAtPath:from error:error];
  return code ? failed(error, code.value(),
                       code.value() == ENOENT ? NSFileNoSuchFileError : NSFileWriteUnknownError, from)
              : YES;
}
- (BOOL)createDirectoryAtURL:(NSURL *)url
    withIntermediateDirectories:(BOOL)intermediate
                     attributes:(NSDictionary *)attributes
                          error:(NSError **)error {
  return [self createDirectoryAtPath:[url path]
         withIntermediateDirectories:intermediate
                          attributes:attributes
                               error:error];
}
- (BOOL)removeItemAtURL:(NSURL *)url error:(NSError **)error {
  return [self removeItemAtPath:[url path] error:error];
}
- (BOOL)copyItemAtURL:(NSURL *)from toURL:(NSURL *)to error:(NSError **)error {
  return [self copyItemAtPath:[from path] toPath:[to path] error:error];
}
- (BOOL)moveItemAtURL:(NSURL *)from toURL:(NSURL *)to error:(NSError **)error {
  return [self moveItemAtPath:[from path] toPath:[to path] error:error];
}
- (NSArray<NSURL *> *)URLsForDirectory:(NSSearchPathDirectory)directory
                             inDomains:(NSSearchPathDomainMask)domains {
  NSMutableArray *urls = [NSMutableArray array];
  for (NSString *path in NSSearchPathForDirectoriesInDomains(directory, domains, YES))
    [urls addObject:[NSURL fileURLWithPath:path isDirectory:YES]];
  return urls;
}
- (NSURL *)temporaryDirectory {
  return [NSURL fileURLWithPath:NSTemporaryDirectory() isDirectory:YES];
}
- (NSString *)currentDirectoryPath {
  std::error_code code;
  return stringOf(std::filesystem::current_path(code).string());
}
@end

NSArray<NSString *> *NSSearchPathForDirectoriesInDomains(NSSearchPathDirectory directory,
                                                         NSSearchPathDomainMask domains, BOOL expandTilde) {
  NSString *name = directory == NSLibraryDirectory              ? @"Library"
                   : directory == NSDocumentDirectory           ? @"Documents"
                   : directory == NSDesktopDirectory            ? @"Desktop"
                   : directory == NSCachesDirectory             ? @"Library/Caches"
                   : directory == NSApplicationSupportDirectory ? @"Library/Application Support"
                   : directory == NSDownloadsDirectory          ? @"Downloads"
                                                                : nil;
  if (!name || !(domains & NSUserDomainMask))
    return @[];
  return @[ [expandTilde ? NSHomeDirectory() : @"~" stringByAppendingPathComponent:name] ];
}
