// The program `quadrille`: from arguments to a command.
#pragma once

namespace quadrille::cli {

// Returns the exit status: 0 done, 1 the work failed or found a violation, 2 used wrongly.
int run_command_line(int argc, char** argv);

}  // namespace quadrille::cli
