// Bundles: where a program or a library lies, and the files beside it. A bundle's resources are searched for
// in its folder and in its subfolder Resources/.
#pragma once

#include <Foundation/NSObject.h>

@class NSString, NSURL, NSArray<ObjectType>, NSDictionary<KeyType, ObjectType>;

@interface NSBundle : NSObject
@property(class, readonly) NSBundle *mainBundle;
+ (NSBundle *)bundleForClass:(Class)cls;
+ (NSBundle *)bundleWithPath:(NSString *)path;
+ (NSBundle *)bundleWithURL:(NSURL *)url;
+ (NSBundle *)bundleWithIdentifier:(NSString *)identifier;
@property(class, readonly, copy) NSArray<NSBundle *> *allBundles;
@property(class, readonly, copy) NSArray<NSBundle *> *allFrameworks;
- (instancetype)initWithPath:(NSString *)path;
- (instancetype)initWithURL:(NSURL *)url;
@property(readonly, copy) NSString *bundlePath;
@property(readonly, copy) NSURL *bundleURL;
@property(readonly, copy) NSString *resourcePath;
@property(readonly, copy) NSURL *resourceURL;
@property(readonly, copy) NSString *executablePath;
@property(readonly, copy) NSURL *executableURL;
@property(readonly, copy) NSString *bundleIdentifier;
@property(readonly, copy) NSDictionary<NSString *, id> *infoDictionary;
- (NSString *)pathForResource:(NSString *)name ofType:(NSString *)extension;
- (NSString *)pathForResource:(NSString *)name ofType:(NSString *)extension inDirectory:(NSString *)folder;
- (NSURL *)URLForResource:(NSString *)name withExtension:(NSString *)extension;
- (id)objectForInfoDictionaryKey:(NSString *)key;
@end
