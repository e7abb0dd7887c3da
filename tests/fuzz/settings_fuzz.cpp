// What the command line and environment variables name: numerics profiles, schedules, devices, versions of
// Metal. Every parser gets the same text.
#include "fuzz.h"

#include "classes/identity.h"
#include "cli/commands.h"
#include "host/numerics_text.h"
#include "host/schedule_text.h"

using namespace assay;
using namespace assay::fuzz;

static int tryInput(const uint8_t *data, size_t size) {
  const std::string_view text = textOf(data, size);
  if (const Result<NumericsProfile> profile = parseNumerics(text); acceptedOrExplained(profile)) {
    const Result<NumericsProfile> again = parseNumerics(numericsText(*profile));
    require(again && *again == *profile, "a printed profile is read as it was");
  }
  if (const Result<runtime::Schedule> schedule = parseSchedule(text); acceptedOrExplained(schedule)) {
    const Result<runtime::Schedule> again = parseSchedule(scheduleText(schedule->kind, schedule->seed));
    require(again && again->kind == schedule->kind && again->seed == schedule->seed,
            "a printed schedule is read as it was");
  }
  if (const Result<metal::DeviceIdentity> device = metal::parseDevice(text); acceptedOrExplained(device)) {
    require(!device->name.empty(), "a device has a name");
    require(device->appleFamily >= 1 && device->appleFamily <= 10, "a device is of a family that there is");
    require(device->memoryBytes >= 1u << 20 && device->maxBufferBytes() <= device->memoryBytes,
            "a device has memory");
  }
  if (const Result<MathMode> mode = parseMathMode(text, "--math-mode "); acceptedOrExplained(mode))
    require(nameOf(*mode) == text, "a printed mode is as it was");
  if (const LanguageVersionInfo *version = findLanguageVersion(text))
    require(version->name == text, "a version is found by its name");
  return 0;
}

static const Parser parser("settings", tryInput);
