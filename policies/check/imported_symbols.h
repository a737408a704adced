// What a shared library takes from elsewhere: evidence of what a policy may depend on. ELF, 64 bits, of this machine's
// byte order: Tool Interface Standard, "Executable and Linking Format", version 1.2, and its 64-bit form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace quadrille::policies::check {

// The undefined names of its table of dynamic symbols, sorted. Empty for bytes that are no such file.
std::vector<std::string> imported_symbols(std::string_view file);

struct Imports {
  std::vector<std::string> clock;
  std::vector<std::string> chance;
  std::vector<std::string> environment;  // variables, locales, files
  std::vector<std::string> hashing;      // unordered containers
};
// Sorted into what each may mean; C++ names as a person writes them.
Imports classify_imports(const std::vector<std::string>& symbols);

}  // namespace quadrille::policies::check
