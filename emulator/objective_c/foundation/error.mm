// NSError.
#include "objective_c/foundation/foundation.h"

#include <cstring>

using namespace assay::foundation;

#define ASSAY_NAME(name) NSString *const name = @ #name
ASSAY_NAME(NSCocoaErrorDomain);
ASSAY_NAME(NSPOSIXErrorDomain);
ASSAY_NAME(NSOSStatusErrorDomain);
ASSAY_NAME(NSMachErrorDomain);
NSString *const NSUnderlyingErrorKey = @"NSUnderlyingError";
NSString *const NSLocalizedDescriptionKey = @"NSLocalizedDescription";
NSString *const NSLocalizedFailureReasonErrorKey = @"NSLocalizedFailureReason";
NSString *const NSLocalizedRecoverySuggestionErrorKey = @"NSLocalizedRecoverySuggestion";
NSString *const NSLocalizedRecoveryOptionsErrorKey = @"NSLocalizedRecoveryOptions";
NSString *const NSRecoveryAttempterErrorKey = @"NSRecoveryAttempter";
NSString *const NSHelpAnchorErrorKey = @"NSHelpAnchor";
NSString *const NSDebugDescriptionErrorKey = @"NSDebugDescription";
NSString *const NSLocalizedFailureErrorKey = @"NSLocalizedFailure";
NSString *const NSStringEncodingErrorKey = @"NSStringEncoding";
NSString *const NSURLErrorKey = @"NSURL";
NSString *const NSFilePathErrorKey = @"NSFilePath";

@implementation NSError {
  NSString *domain_;
  NSInteger code_;
  NSDictionary *userInfo_;
}
+ (instancetype)errorWithDomain:(NSErrorDomain)domain code:(NSInteger)code userInfo:(NSDictionary *)info {
  return [[[self alloc] initWithDomain:domain code:code userInfo:info] autorelease];
}
- (instancetype)initWithDomain:(NSErrorDomain)domain code:(NSInteger)code userInfo:(NSDictionary *)info {
  domain_ = [domain copy];
  code_ = code;
  userInfo_ = info ? [info copy] : [[NSDictionary alloc] init];
  return self;
}
- (void)dealloc {
  [domain_ release];
  [userInfo_ release];
  [super dealloc];
}
- (id)copyWithZone:(NSZone *)zone {
  return [self retain];
}
- (NSErrorDomain)domain {
  return domain_;
}
- (NSInteger)code {
  return code_;
}
- (NSDictionary *)userInfo {
  return userInfo_;
}
- (NSString *)localizedDescription {
  if (NSString *text = userInfo_[NSLocalizedDescriptionKey])
    return text;
  NSString *reason = [self localizedFailureReason];
  if (NSString *failure = userInfo_[NSLocalizedFailureErrorKey])
    return reason ? [NSString stringWithFormat:@"%@ %@", failure, reason] : failure;
  if (reason)
    return [NSString stringWithFormat:@"The operation couldn\u2019t be completed. %@", reason];
  return [NSString
      stringWithFormat:@"The operation couldn\u2019t be completed. (%@ error %ld.)", domain_, (long)code_];
}
- (NSString *)localizedFailureReason {
  if (NSString *text = userInfo_[NSLocalizedFailureReasonErrorKey])
    return text;
  return [domain_ isEqualToString:NSPOSIXErrorDomain] ? @(strerror((int)code_)) : nil;
}
- (NSString *)localizedRecoverySuggestion {
  return userInfo_[NSLocalizedRecoverySuggestionErrorKey];
}
- (NSArray *)localizedRecoveryOptions {
  return userInfo_[NSLocalizedRecoveryOptionsErrorKey];
}
- (BOOL)isEqual:(id)object {
  return self == object ||
         ([object isKindOfClass:[NSError class]] && [domain_ isEqualToString:[object domain]] &&
          code_ == [object code] && [userInfo_ isEqual:[object userInfo]]);
}
- (NSUInteger)hash {
  return [domain_ hash] ^ (NSUInteger)code_;
}
- (NSString *)description {
  // The text is one that somebody wrote, not the sentence that localizedDescription makes of the code.
  std::string info;
  for (id key in userInfo_) {
    id value = userInfo_[key];
    info += formatted(@"%s%@=", info.empty() ? "" : ", ", key);
    info += [value isKindOfClass:[NSError class]] ? formatted(@"%p {%@}", (void *)value, value)
                                                  : formatted(@"%@", value);
  }
  NSString *said = userInfo_[NSLocalizedDescriptionKey];
  if (!said && (userInfo_[NSLocalizedFailureErrorKey]))
    said = [self localizedDescription];
  if (!said && [domain_ isEqualToString:NSPOSIXErrorDomain])
    said = [self localizedFailureReason];
  return [NSString stringWithFormat:@"Error Domain=%@ Code=%ld \"%@\"%s%s%s", domain_, (long)code_, said,
                                    info.empty() ? "" : " UserInfo={", info.c_str(), info.empty() ? "" : "}"];
}
@end

NSError *assay::foundation::posixError(int code, NSInteger cocoaCode, NSString *path) {
  NSError *cause = [NSError errorWithDomain:NSPOSIXErrorDomain code:code userInfo:nil];
  return [NSError errorWithDomain:NSCocoaErrorDomain
                             code:cocoaCode
                         userInfo:@{
                           NSLocalizedDescriptionKey :
                               [NSString stringWithFormat:@"%@: %s", path ? path : @"(null)", strerror(code)],
                           NSFilePathErrorKey : path ? path : @"",
                           NSUnderlyingErrorKey : cause
                         }];
}
