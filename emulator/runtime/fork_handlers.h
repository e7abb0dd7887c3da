// Keeps the runtime's state of the whole process usable after a fork(), in the parent and in the child.
#pragma once

namespace assay::runtime {

/// Thread-safe; cheap after the first call.
void installForkHandlers();

} // namespace assay::runtime
