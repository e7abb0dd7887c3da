// The system that host programs are told they run on: the first macOS with the tensor operations of Metal 4.
// sw_vers, uname and NSProcessInfo answer with it.
#pragma once

#define ASSAY_MAC_MAJOR 26
#define ASSAY_MAC_MINOR 2
#define ASSAY_DARWIN_RELEASE "25.2.0"
