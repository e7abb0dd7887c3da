// The numbers of Apple's releases, which hosts compare with.
#pragma once

#define __MAC_10_13 101300
#define __MAC_10_14 101400
#define __MAC_10_15 101500
#define __MAC_11_0 110000
#define __MAC_12_0 120000
#define __MAC_13_0 130000
#define __MAC_14_0 140000
#define __MAC_15_0 150000
#define __MAC_26_0 260000
#define __IPHONE_15_0 150000
#define __IPHONE_16_0 160000
#define __IPHONE_17_0 170000
#define __IPHONE_18_0 180000
#define __IPHONE_26_0 260000
