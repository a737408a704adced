#include "engine/base/memory.h"
#include "replica/cli/command_line.h"

int main(int argc, char** argv) {
  quadrille::base::keep_freed_memory();
  return quadrille::cli::run_command_line(argc, argv);
}
