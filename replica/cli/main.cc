#include "engine/base/memory.h"
#include "replica/cli/command_line.h"
#include "replica/crash_report.h"

int main(int argc, char** argv) {
  quadrille::base::keep_freed_memory();
  const quadrille::replica::SignalStack stack;
  quadrille::replica::report_crashes();
  return quadrille::cli::run_command_line(argc, argv);
}
