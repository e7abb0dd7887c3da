// The assay program as a function, so that everything but main() is a library.
#pragma once

namespace assay::cli {

/// Parses the command line and runs the subcommand that it names. Exit code: 0 all well; 1 the kernel is at
/// fault (it does not compile, or it failed while it ran), or `diff` found a difference; 2 any other error (a
/// file, an option, a binding, memory, standard output).
int runProgram(int argc, char **argv);

} // namespace assay::cli
