// assay: the command line. One subcommand for each file beside this one.
#include "program.h"

int main(int argc, char **argv) {
  return assay::cli::runProgram(argc, argv);
}
