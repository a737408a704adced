// Answers of a running site, in JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "replica/cli/commands.h"

namespace quadrille::cli {

// GET URL + path.
base::Result<std::string> fetch(const std::string& url, const std::string& path);

// The headers that ask for a version, added to those of a call. What is wrong with them, for --after with a directory.
void ask_for_version(const VersionOptions& version, std::vector<std::string>& headers);
std::optional<std::string> check_version_options(const VersionOptions& version, const std::string& target);

// Text of a member, whatever it is; empty if there is none.
std::string text_of(const nlohmann::ordered_json& json, const char* key);

// For what is no JSON, or has members that no site sends.
base::Error not_a_site(const std::string& url);

}  // namespace quadrille::cli
