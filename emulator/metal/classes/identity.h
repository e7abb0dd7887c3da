// The Apple GPU that this machine's CPU claims to be. Hosts choose code by name, families and memory, so all
// of them can be set.
#pragma once

#include "support/text/result.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace assay::metal {

struct DeviceIdentity {
  std::string name = "Apple M1";
  uint32_t appleFamily = 7; ///< MTLGPUFamilyApple7
  uint32_t metal = 3;       ///< MTLGPUFamilyMetal3
  uint32_t generation = 13; ///< in MTLArchitecture's name; setting the family sets it, too
  uint64_t memoryBytes = uint64_t(16) << 30;
  bool unifiedMemory = true;

  uint64_t workingSetBytes() const { return memoryBytes / 3 * 2; } ///< as an M1 with 16 GiB answers
  uint64_t maxBufferBytes() const { return memoryBytes / 2; }
  /// By MTLGPUFamily's number: Apple1 to appleFamily, Common1 to 3, Mac2, Metal3 to `metal`.
  bool supportsFamily(int64_t family) const;
};

/// "m1" to "m5", with or without a list that is separated by commas: name=TEXT, family=N, metal=3|4,
/// memory=BYTES (K, M, G), unified=yes|no. The list may also be given alone.
///   errors  Usage "bad-device"
Result<DeviceIdentity> parseDevice(std::string_view text);

/// What ASSAY_DEVICE says, or an M1 if it is not set. A mistake in it ends the process with a message,
/// because no host expects a missing device.
const DeviceIdentity &deviceIdentity();

} // namespace assay::metal
