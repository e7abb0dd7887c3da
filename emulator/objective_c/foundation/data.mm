// NSData and NSMutableData.
#include "objective_c/foundation/foundation.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace assay::foundation;

namespace {

bool writeFile(const std::string &path, const char *bytes, size_t length) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0)
    return false;
  while (length) {
    const ssize_t count = write(file, bytes, length);
    if (count < 0) {
      const int error = errno;
      close(file);
      errno = error;
      return false;
    }
    bytes += count;
    length -= count;
  }
  return close(file) == 0;
}

} // namespace

bool assay::foundation::readFile(const std::string &path, std::string &bytes) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  char buffer[65536];
  ssize_t count;
  while ((count = read(file, buffer, sizeof buffer)) > 0)
    bytes.append(buffer, count);
  const int error = errno;
  close(file);
  errno = error;
  return count == 0;
}

@implementation NSData {
@protected
  void *bytes_;
  NSUInteger length_;
  BOOL free_;
  void (^deallocator_)(void *, NSUInteger);
}
+ (instancetype)data {
  return [[[self alloc] init] autorelease];
}
+ (instancetype)dataWithBytes:(const void *)bytes length:(NSUInteger)length {
  return [[[self alloc] initWithBytes:bytes length:length] autorelease];
}
+ (instancetype)dataWithBytesNoCopy:(void *)bytes length:(NSUInteger)length {
  return [self dataWithBytesNoCopy:bytes length:length freeWhenDone:YES];
}
+ (instancetype)dataWithBytesNoCopy:(void *)bytes length:(NSUInteger)length freeWhenDone:(BOOL)done {
  return [[[self alloc] initWithBytesNoCopy:bytes length:length freeWhenDone:done] autorelease];
}
+ (instancetype)dataWithData:(NSData *)data {
  return [[[self alloc] initWithData:data] autorelease];
}
+ (instancetype)dataWithContentsOfFile:(NSString *)path {
  return [self dataWithContentsOfFile:path options:0 error:nil];
}
+ (instancetype)dataWithContentsOfFile:(NSString *)path
                               options:(NSDataReadingOptions)options
                                 error:(NSError **)error {
  std::string bytes;
  if (!readFile(textOf(path), bytes)) {
    if (error)
      *error = posixError(errno, errno == ENOENT ? NSFileReadNoSuchFileError : NSFileReadUnknownError, path);
    return nil;
  }
  return [self dataWithBytes:bytes.data() length:bytes.size()];
}
+ (instancetype)dataWithContentsOfURL:(NSURL *)url {
  return [url isFileURL] ? [self dataWithContentsOfFile:[url path]] : nil;
}
+ (instancetype)dataWithContentsOfURL:(NSURL *)url
                              options:(NSDataReadingOptions)options
                                error:(NSError **)error {
  if ([url isFileURL])
    return [self dataWithContentsOfFile:[url path] options:options error:error];
  if (error)
    *error = posixError(EINVAL, NSFileReadUnknownError, [url absoluteString]);
  return nil;
}
- (instancetype)initWithBytes:(const void *)bytes length:(NSUInteger)length {
  bytes_ = malloc(length ? length : 1);
  if (length)
    memcpy(bytes_, bytes, length);
  length_ = length;
  free_ = YES;
  return self;
}
- (instancetype)initWithBytesNoCopy:(void *)bytes length:(NSUInteger)length freeWhenDone:(BOOL)done {
  bytes_ = bytes;
  length_ = length;
  free_ = done;
  return self;
}
- (instancetype)initWithBytesNoCopy:(void *)bytes length:(NSUInteger)length {
  return [self initWithBytesNoCopy:bytes length:length freeWhenDone:YES];
}
- (instancetype)initWithBytesNoCopy:(void *)bytes
                             length:(NSUInteger)length
                        deallocator:(void (^)(void *, NSUInteger))deallocator {
  self = [self initWithBytesNoCopy:bytes length:length freeWhenDone:NO];
  deallocator_ = [deallocator copy];
  return self;
}
- (instancetype)initWithContentsOfURL:(NSURL *)url {
  return [self initWithContentsOfFile:[url isFileURL] ? [url path] : nil];
}
- (instancetype)initWithData:(NSData *)data {
  return [self initWithBytes:[data bytes] length:[data length]];
}
- (instancetype)initWithContentsOfFile:(NSString *)path {
  std::string bytes;
  if (!readFile(textOf(path), bytes)) {
    [self release];
    return nil;
  }
  return [self initWithBytes:bytes.data() length:bytes.size()];
}
- (void)dealloc {
  if (free_)
    free(bytes_);
  if (deallocator_)
    deallocator_(bytes_, length_);
  [deallocator_ release];
  [super dealloc];
}
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
- (id)mutableCopyWithZone:(NSZone *)zone {
  return [[NSMutableData alloc] initWithData:self];
}
- (NSUInteger)length {
  return length_;
}
- (const void *)bytes {
  return bytes_;
}
- (void)getBytes:(void *)buffer length:(NSUInteger)length {
  memcpy(buffer, bytes_, MIN(length, length_));
}
- (void)getBytes:(void *)buffer range:(NSRange)range {
  checkRange(self, _cmd, range, length_);
  memcpy(buffer, (const char *)bytes_ + range.location, range.length);
}
- (BOOL)isEqualToData:(NSData *)data {
  return data && length_ == [data length] && (!length_ || !memcmp(bytes_, [data bytes], length_));
}
- (BOOL)isEqual:(id)object {
  return self == object || ([object isKindOfClass:[NSData class]] && [self isEqualToData:object]);
}
- (NSUInteger)hash {
  return hash({(const char *)bytes_, MIN(length_, 80ul)});
}
- (NSData *)subdataWithRange:(NSRange)range {
  checkRange(self, _cmd, range, length_);
  return [NSData dataWithBytes:(const char *)bytes_ + range.location length:range.length];
}
- (BOOL)writeToFile:(NSString *)path atomically:(BOOL)atomically {
  return [self writeToFile:path options:atomically ? NSDataWritingAtomic : 0 error:nil];
}
- (BOOL)writeToFile:(NSString *)path options:(NSDataWritingOptions)options error:(NSError **)error {
  const std::string to = textOf(path);
  const std::string beside = to + "." + std::to_string(getpid()) + ".tmp";
  const bool atomic = options & NSDataWritingAtomic;
  if (writeFile(atomic ? beside : to, (const char *)bytes_, length_) &&
      (!atomic || !rename(beside.c_str(), to.c_str())))
    return YES;
  if (error)
    *error =
        posixError(errno, errno == EACCES ? NSFileWriteNoPermissionError : NSFileWriteUnknownError, path);
  return NO;
}
- (NSString *)description {
  std::string text = "{length = " + std::to_string(length_) + ", bytes = 0x";
  for (NSUInteger i = 0; i < MIN(length_, 24ul); ++i)
    text += formatted(@"%02x", ((const unsigned char *)bytes_)[i]);
  return stringOf(text + (length_ > 24 ? " ...}" : "}"));
}
@end

@implementation NSMutableData {
  NSUInteger capacity_;
}
+ (instancetype)dataWithCapacity:(NSUInteger)capacity {
  return [self data];
}
+ (instancetype)dataWithLength:(NSUInteger)length {
  return [[[self alloc] initWithLength:length] autorelease];
}
- (instancetype)init {
  return [self initWithBytes:nullptr length:0];
}
- (instancetype)initWithBytesNoCopy:(void *)bytes length:(NSUInteger)length freeWhenDone:(BOOL)done {
  self = [self initWithBytes:bytes length:length];
  if (done)
    free(bytes);
  return self;
}
- (instancetype)initWithBytesNoCopy:(void *)bytes
                             length:(NSUInteger)length
                        deallocator:(void (^)(void *, NSUInteger))deallocator {
  self = [self initWithBytes:bytes length:length];
  if (deallocator)
    deallocator(bytes, length);
  return self;
}
- (instancetype)initWithLength:(NSUInteger)length {
  self = [self init];
  [self setLength:length];
  return self;
}
- (id)copyWithZone:(NSZone *)zone {
  return [[NSData alloc] initWithData:self];
}
- (NSUInteger)length {
  return length_;
}
- (void)setLength:(NSUInteger)length {
  if (length > capacity_) {
    capacity_ = MAX(length, 2 * capacity_);
    bytes_ = realloc(bytes_, capacity_);
  }
  if (length > length_)
    memset((char *)bytes_ + length_, 0, length - length_);
  length_ = length;
}
- (void *)mutableBytes {
  return bytes_;
}
- (void)appendBytes:(const void *)bytes length:(NSUInteger)length {
  const NSUInteger old = length_;
  [self setLength:old + length];
  if (length)
    memcpy((char *)bytes_ + old, bytes, length);
}
- (void)appendData:(NSData *)data {
  [self appendBytes:[data bytes] length:[data length]];
}
- (void)increaseLengthBy:(NSUInteger)more {
  [self setLength:length_ + more];
}
// The bytes become longer where the range does not lie in them.
- (void)resetBytesInRange:(NSRange)range {
  [self _assayReach:range selector:_cmd];
  memset((char *)bytes_ + range.location, 0, range.length);
}
- (void)replaceBytesInRange:(NSRange)range withBytes:(const void *)bytes {
  [self _assayReach:range selector:_cmd];
  if (range.length)
    memcpy((char *)bytes_ + range.location, bytes, range.length);
}
- (void)_assayReach:(NSRange)range selector:(SEL)selector {
  checkRange(self, selector, NSMakeRange(range.location, 0), length_);
  if (NSMaxRange(range) > length_)
    [self setLength:NSMaxRange(range)];
}
@end
