// What a call of os_log passes to the runtime: metal_logging fills it in, in a thread's own memory.
// emulator/runtime copies it in the call and formats it later. Plain C types: both sides include this file.
#pragma once

/// One argument: `count` elements of a type of scalar_types.def one after the other; or an address.
struct __assay_log_argument {
  unsigned type;  ///< row of scalar_types.def, or one of those below
  unsigned count; ///< 1, or the length of a vector
  unsigned char bits[32];
};
enum : unsigned {
  __assay_log_pointer = 100, ///< bits: an address
  __assay_log_string = 101   ///< bits: the address of a text that ends in 0
};

struct __assay_log_record {
  unsigned level; ///< of log_levels.def
  unsigned count; ///< of arguments
  const char *subsystem, *category, *format;
  const struct __assay_log_argument *arguments;
};
