// The assay program as a function, so that everything but main() is a library.
#pragma once

namespace assay::cli {

/// Parses the command line and runs the subcommand that it names. The exit code: 0 all well; 1 the kernel is at fault
/// (it does not compile, or it failed while it ran); 2 the request is at fault (a file, an option, a binding).
int runProgram(int argc, char **argv);

} // namespace assay::cli
