// The classes by which Metal describes the types of arguments. Reflection here gives bindings (library.mm)
// and knows no members of structures: no object of these classes is ever made, and methods that would return
// one return nil. They are defined so that hosts which name them link.
#import <Metal/Metal.h>

@implementation MTLType
@end

@implementation MTLStructMember
- (MTLStructType *)structType {
  return nil;
}
- (MTLArrayType *)arrayType {
  return nil;
}
- (MTLPointerType *)pointerType {
  return nil;
}
- (MTLTextureReferenceType *)textureReferenceType {
  return nil;
}
@end

@implementation MTLStructType
- (MTLStructMember *)memberByName:(NSString *)name {
  for (MTLStructMember *member in _members)
    if ([member.name isEqualToString:name])
      return member;
  return nil;
}
@end

@implementation MTLArrayType
- (MTLStructType *)elementStructType {
  return nil;
}
- (MTLArrayType *)elementArrayType {
  return nil;
}
- (MTLPointerType *)elementPointerType {
  return nil;
}
- (MTLTextureReferenceType *)elementTextureReferenceType {
  return nil;
}
@end

@implementation MTLPointerType
- (MTLStructType *)elementStructType {
  return nil;
}
- (MTLArrayType *)elementArrayType {
  return nil;
}
@end

@implementation MTLTextureReferenceType
@end

@implementation MTLArgument
@end

@implementation MTLAttribute
@end
