#include "policies/check/imported_symbols.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

namespace quadrille::policies::check {
namespace {

template <class Struct>
std::optional<Struct> read_at(std::string_view file, uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(Struct)) return std::nullopt;
  Struct read;
  std::memcpy(&read, file.data() + offset, sizeof read);
  return read;
}

std::string name_at(std::string_view file, const Elf64_Shdr& names, uint64_t place) {
  if (place >= names.sh_size || names.sh_offset > file.size() || names.sh_size > file.size() - names.sh_offset)
    return {};
  const std::string_view rest = file.substr(names.sh_offset, names.sh_size).substr(place);
  return std::string(rest.substr(0, rest.find('\0')));
}

bool is_library(std::string_view file) {
  return file.starts_with(ELFMAG) && file.size() > EI_CLASS && file[EI_CLASS] == ELFCLASS64;
}

struct Known {
  std::string_view symbol;  // or how it begins, with a '*' at the end
  std::string_view meaning;
};

constexpr std::array clocks = {Known{"time", "time"},
                               Known{"clock", "clock"},
                               Known{"clock_gettime", "clock_gettime"},
                               Known{"gettimeofday", "gettimeofday"},
                               Known{"times", "times"},
                               Known{"timespec_get", "timespec_get"},
                               Known{"ftime", "ftime"},
                               Known{"_ZNSt6chrono3_V212system_clock3nowEv", "std::chrono::system_clock::now"},
                               Known{"_ZNSt6chrono3_V212steady_clock3nowEv", "std::chrono::steady_clock::now"}};
constexpr std::array chances = {Known{"rand", "rand"},
                                Known{"random", "random"},
                                Known{"rand_r", "rand_r"},
                                Known{"drand48", "drand48"},
                                Known{"lrand48", "lrand48"},
                                Known{"mrand48", "mrand48"},
                                Known{"srand", "srand"},
                                Known{"srandom", "srandom"},
                                Known{"getrandom", "getrandom"},
                                Known{"getentropy", "getentropy"},
                                Known{"arc4random*", "arc4random"},
                                Known{"_ZNSt13random_device*", "std::random_device"}};
constexpr std::array environments = {Known{"getenv", "getenv"},
                                     Known{"secure_getenv", "secure_getenv"},
                                     Known{"environ", "environ"},
                                     Known{"__environ", "environ"},
                                     Known{"setlocale", "setlocale"},
                                     Known{"newlocale", "newlocale"},
                                     Known{"localeconv", "localeconv"},
                                     Known{"nl_langinfo", "nl_langinfo"},
                                     Known{"strcoll", "strcoll"},
                                     Known{"strxfrm", "strxfrm"},
                                     Known{"wcscoll", "wcscoll"},
                                     Known{"localtime*", "localtime"},
                                     Known{"tzset", "tzset"},
                                     Known{"gethostname", "gethostname"},
                                     Known{"getpid", "getpid"},
                                     Known{"getcwd", "getcwd"},
                                     Known{"getuid", "getuid"},
                                     Known{"fopen*", "fopen"},
                                     Known{"open", "open"},
                                     Known{"open64", "open"},
                                     Known{"_ZNSt6localeC1EPKc", "std::locale(name)"},
                                     Known{"_ZNSt6locale6globalERKS_", "std::locale::global"},
                                     Known{"_ZNSt13basic_filebufIcSt11char_traitsIcEE4open*", "std::fstream"},
                                     Known{"_ZNSt14basic_ifstreamIcSt11char_traitsIcEEC1*", "std::ifstream"}};
constexpr std::array hashes = {
    Known{"_ZSt11_Hash_bytesPKvmm", "std::hash"},
    Known{"_ZNKSt8__detail20_Prime_rehash_policy*", "std::unordered_map or std::unordered_set"}};

bool fits(const Known& known, std::string_view symbol) {
  if (known.symbol.ends_with('*')) return symbol.starts_with(known.symbol.substr(0, known.symbol.size() - 1));
  return symbol == known.symbol;
}

template <size_t count>
void put(const std::array<Known, count>& all, std::string_view symbol, std::vector<std::string>& found) {
  for (const Known& known : all) {
    if (!fits(known, symbol)) continue;
    if (std::find(found.begin(), found.end(), known.meaning) == found.end()) found.emplace_back(known.meaning);
  }
}

}  // namespace

std::vector<std::string> imported_symbols(std::string_view file) {
  std::vector<std::string> symbols;
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (!header || !is_library(file) || header->e_shentsize != sizeof(Elf64_Shdr)) return symbols;
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section = read_at<Elf64_Shdr>(file, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section || section->sh_type != SHT_DYNSYM) continue;
    const auto names = read_at<Elf64_Shdr>(file, header->e_shoff + uint64_t{section->sh_link} * sizeof(Elf64_Shdr));
    if (!names) continue;
    const uint64_t count = std::min<uint64_t>(section->sh_size, file.size()) / sizeof(Elf64_Sym);
    for (uint64_t k = 0; k < count; ++k) {
      const auto symbol = read_at<Elf64_Sym>(file, section->sh_offset + k * sizeof(Elf64_Sym));
      if (!symbol) break;
      if (symbol->st_shndx != SHN_UNDEF) continue;
      std::string name = name_at(file, *names, symbol->st_name);
      if (!name.empty()) symbols.push_back(std::move(name));
    }
  }
  std::sort(symbols.begin(), symbols.end());
  return symbols;
}

Imports classify_imports(const std::vector<std::string>& symbols) {
  Imports imports;
  for (const std::string& symbol : symbols) {
    put(clocks, symbol, imports.clock);
    put(chances, symbol, imports.chance);
    put(environments, symbol, imports.environment);
    put(hashes, symbol, imports.hashing);
  }
  return imports;
}

}  // namespace quadrille::policies::check
