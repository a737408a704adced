// Copies of a store as files: fetched from a running site, and packed as backups.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace quadrille::cli {

// Fetches a copy of the store of the site at `url` into `directory`/data.mdb, whole and on the disk, or not at all.
// What a call that broke off left there (copy.part, copy.json) the next one goes on with, while the site still has that
// copy.
base::Result<void> download_store(const std::string& url, const std::filesystem::path& directory);

// The same as one file with the hash of its bytes behind them. `file` must not exist.
base::Result<void> download_backup(const std::string& url, const std::filesystem::path& file);
// A backup's store as `directory`/data.mdb; the directory holds nothing else. InvalidInput: it is no backup, or not
// whole.
base::Result<void> unpack_backup(const std::filesystem::path& file, const std::filesystem::path& directory);

}  // namespace quadrille::cli
