// Locations. Files are what Metal's clients use; other addresses are kept as they are written.
#pragma once

#include <Foundation/NSObject.h>

@class NSString;

@interface NSURL : NSObject <NSCopying>
+ (instancetype)fileURLWithPath:(NSString *)path;
+ (instancetype)fileURLWithPath:(NSString *)path isDirectory:(BOOL)directory;
+ (instancetype)URLWithString:(NSString *)string;
- (instancetype)initFileURLWithPath:(NSString *)path;
- (instancetype)initFileURLWithPath:(NSString *)path isDirectory:(BOOL)directory;
- (instancetype)initWithString:(NSString *)string;
@property(readonly, copy) NSString *path;
@property(readonly, copy) NSString *absoluteString;
@property(readonly, copy) NSString *scheme;
@property(readonly, copy) NSString *lastPathComponent;
@property(readonly, copy) NSString *pathExtension;
@property(readonly, getter=isFileURL) BOOL fileURL;
@property(readonly) const char *fileSystemRepresentation NS_RETURNS_INNER_POINTER;
- (NSURL *)URLByAppendingPathComponent:(NSString *)component;
- (NSURL *)URLByAppendingPathExtension:(NSString *)extension;
@property(readonly, copy) NSURL *URLByDeletingLastPathComponent;
@property(readonly, copy) NSURL *URLByDeletingPathExtension;
- (BOOL)checkResourceIsReachableAndReturnError:(NSError **)error;
@end
