// A check's report, as people read it.
#pragma once

#include <string>

#include "policies/check/policy_check.h"

namespace quadrille::policies::check {

struct ReportHeading {
  std::string policy;   // "sum, version 1, built in"
  std::string command;  // that checks it again, without --case
  double seconds = 0;
};

std::string write_report(const CheckReport& report, const CheckOptions& options, const ReportHeading& heading);

}  // namespace quadrille::policies::check
