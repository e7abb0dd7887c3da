// Finds the replacements of Apple's tools: those of Metal, the compilers of host programs, and the commands
// by which a Mac's build files ask about the machine. The SDK's bin folder has a link for each, and xcrun
// runs them.
#pragma once

#include <string>
#include <vector>

namespace assay::metal {

/// A command that is called by its own name. `name` is that name, and `sdk` the SDK's folder.
using HostTool = int (*)(const std::string &name, const std::string &sdk,
                         const std::vector<std::string> &arguments);

/// Null if there is no such tool.
HostTool findHostTool(const std::string &name);

/// Their names, for messages.
std::string hostToolNames();

} // namespace assay::metal
