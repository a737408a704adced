// How the command line tells trouble: one line on standard error, and the exit status.
#pragma once

#include <string>

#include "engine/base/result.h"

namespace quadrille::cli {

enum ExitStatus : int {
  Done = 0,
  Failed = 1,  // the work failed, or found a violation
  UsedWrongly = 2,
};

// "quadrille: <message>", with the error's position in front of it if it has one. Returns Failed.
int report(const base::Error& error);
// Something that a person should know and that is no reason to stop: the same line. From any thread.
void print_notice(const std::string& message);
// The same for a command that makes no sense. Returns UsedWrongly.
int report_usage(const std::string& message);

// The error of a query or an update that stands in `where` (a file, or "the query").
base::Error error_in_text(const std::string& where, const base::Error& error);

}  // namespace quadrille::cli
