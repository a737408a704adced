#include "replica/cli/command_line.h"

int main(int argc, char** argv) { return quadrille::cli::run_command_line(argc, argv); }
