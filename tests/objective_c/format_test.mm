// Format strings, judged by printf where it knows the conversion.
#import <Foundation/Foundation.h>

#include <gtest/gtest.h>

namespace {

std::string made(NSString *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  NSString *string = [[[NSString alloc] autorelease] initWithFormat:format arguments:arguments]; // may raise
  va_end(arguments);
  std::string text = [string UTF8String];
  return text;
}

} // namespace

#define EXPECT_AS_PRINTF(format, ...)                                                                        \
  do {                                                                                                       \
    char expected[512];                                                                                      \
    snprintf(expected, sizeof expected, format, __VA_ARGS__);                                                \
    EXPECT_EQ(made(@format, __VA_ARGS__), expected) << format;                                               \
  } while (0)

struct FormatTest : testing::Test {
  NSAutoreleasePool *pool_ = [[NSAutoreleasePool alloc] init];
  ~FormatTest() override { [pool_ drain]; }
};

TEST_F(FormatTest, NumbersAreWrittenAsPrintfDoes) {
  EXPECT_AS_PRINTF("%d %i %u", -1, 42, 4000000000u);
  EXPECT_AS_PRINTF("%5d|%-5d|%05d|%+d|% d", 42, 42, 42, 42, 42);
  EXPECT_AS_PRINTF("%*d|%-*d|%.*f", 6, 1, 6, 2, 3, 3.14159);
  EXPECT_AS_PRINTF("%*d", -6, 1);
  EXPECT_AS_PRINTF("%hhd %hd %ld %lld", (char)-3, (short)-300, 1l << 40, 1ll << 50);
  EXPECT_AS_PRINTF("%zu %zd %jd %td", (size_t)7, (ssize_t)-7, (intmax_t)8, (ptrdiff_t)-9);
  EXPECT_AS_PRINTF("%x %X %#x %o %#o", 255u, 255u, 255u, 8u, 8u);
  EXPECT_AS_PRINTF("%f %.2f %10.3f %e %g %G %a", 1.5, 2.345, 3.14159, 12345.678, 1e-10, 1e20, 1.5);
  EXPECT_AS_PRINTF("%Lf", 1.25L);
  EXPECT_AS_PRINTF("%c%c%%", 'o', 'k');
  EXPECT_AS_PRINTF("%s|%10s|%-10s|%.3s", "text", "text", "text", "text");
  EXPECT_AS_PRINTF("%p", (void *)0x1234);
  EXPECT_AS_PRINTF("%2$d %1$s", "one", 2);
  EXPECT_AS_PRINTF("%2$*1$d", 8, 5);
}

TEST_F(FormatTest, ObjectsAreDescribed) {
  EXPECT_EQ(made(@"%@ and %@", @"one", @2), "one and 2");
  EXPECT_EQ(made(@"%@", nil), "(null)");
  EXPECT_EQ(made(@"[%8@] [%-8@] [%.2@]", @"text", @"text", @"text"), "[    text] [text    ] [te]");
  EXPECT_EQ(made(@"%2$@ %1$@ %2$@", @"a", @"b"), "b a b");
  EXPECT_EQ(made(@"%@", [NSObject class]), "NSObject");
  EXPECT_EQ(made(@"%@", [NSURL fileURLWithPath:@"/tmp/a b"]), "file:///tmp/a%20b");
  NSObject *object = [[[NSObject alloc] init] autorelease];
  EXPECT_EQ(made(@"%@", object), made(@"<NSObject: %p>", (void *)object));
}

TEST_F(FormatTest, Utf16UnitsAndStringsAreWritten) {
  const unichar units[] = {0x20ac, 'x', 0};
  EXPECT_EQ(made(@"%C%C", (unichar)0x20ac, (unichar)'y'), "\u20acy");
  EXPECT_EQ(made(@"%C%C", (unichar)0xd83d, (unichar)0xde00), "\U0001F600");
  EXPECT_EQ(made(@"%S|%4S", units, units), "\u20acx|  \u20acx");
}

TEST_F(FormatTest, TextAroundIsKept) {
  EXPECT_EQ(made(@"\u00e9 %d \U0001F600", 1), "\u00e9 1 \U0001F600");
  EXPECT_EQ(made(@"100%%"), "100%");
  EXPECT_EQ(made(@""), "");
  EXPECT_EQ(made(@"%@%@%@%@%@%@%@%@%@%@", @0, @1, @2, @3, @4, @5, @6, @7, @8, @9), "0123456789");
  EXPECT_EQ(made(@"%d %f %d %f %d %f %d %f %d %f %d %f", 1, 1., 2, 2., 3, 3., 4, 4., 5, 5., 6, 6.),
            "1 1.000000 2 2.000000 3 3.000000 4 4.000000 5 5.000000 6 6.000000");
}

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat"
#pragma clang diagnostic ignored "-Wformat-invalid-specifier"
TEST_F(FormatTest, UnknownConversionsAreNamed) {
  NSString *zero = [[[NSString alloc] initWithBytes:"%\0d" length:3
                                           encoding:NSUTF8StringEncoding] autorelease];
  EXPECT_THROW(made(zero, 1), NSException *);
  for (NSString *format in @[
         @"%y", @"%5", @"%2147483648d", @"%.1000001f", @"%-*d", @"%4097$d", @"%99999999999$d", @"%1$f%1$d"
       ]) {
    NSString *reason = nil;
    @try {
      made(format, INT_MIN, 1);
    } @catch (NSException *exception) {
      reason = exception.reason;
    }
    EXPECT_TRUE([reason containsString:format]) << [reason UTF8String];
  }
}

TEST_F(FormatTest, ALengthTakesNoMoreThanItsConversion) {
  EXPECT_EQ(made(@"%hld %d", 70000, 7), "70000 7");
  EXPECT_EQ(made(@"%Ld %zf %hs %lp", 5000000000ll, 1.5, "text", (void *)nullptr),
            "5000000000 1.500000 text 0x0");
  EXPECT_EQ(made(@"%.2147483647s|%.99999999999@", "text", @"object"), "text|object");
}
#pragma clang diagnostic pop

TEST_F(FormatTest, CollectionsAreDescribedInNests) {
  NSDictionary *nested = @{@"list" : @[ @1, @"two words", @[] ], @"key" : @{@"a" : @"b"}};
  EXPECT_EQ(made(@"%@", nested), "{\n"
                                 "    key = {\n"
                                 "        a = b;\n"
                                 "    };\n"
                                 "    list = (\n"
                                 "        1,\n"
                                 "        \"two words\",\n"
                                 "        (\n"
                                 "        )\n"
                                 "    );\n"
                                 "}");
}

TEST_F(FormatTest, NoPointerIsAZero) {
  EXPECT_EQ(made(@"%p", nullptr), "0x0");
  EXPECT_EQ(made(@"[%6p][%-6p]", nullptr, nullptr), "[   0x0][0x0   ]");
}
