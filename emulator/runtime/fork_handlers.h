// After a fork(), what the runtime keeps for the whole process is usable in the parent and in the child.
#pragma once

namespace assay::runtime {

/// Thread-safe; cheap after the first call.
void installForkHandlers();

} // namespace assay::runtime
