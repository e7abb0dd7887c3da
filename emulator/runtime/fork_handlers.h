// fork(): what the runtime keeps for the process stays usable in both.
#pragma once

namespace assay::runtime {

/// Thread-safe; cheap after the first call.
void installForkHandlers();

} // namespace assay::runtime
