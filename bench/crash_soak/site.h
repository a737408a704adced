// One site of the soak: a directory, and the process that serves it while there is one.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace quadrille::crash_soak {

// Runs a program to its end; its exit status, 128 + signal if it was killed. What it prints goes to the file.
int run(const std::vector<std::string>& arguments, const std::filesystem::path& output);

// Starts one, with nothing to read and these files to write to.
pid_t start_process(const std::vector<std::string>& arguments, const std::filesystem::path& out,
                    const std::filesystem::path& err);
std::string read_file(const std::filesystem::path& name);

class Site {
 public:
  // Makes the site in directory/NAME, with this configuration; throws std::runtime_error if that does not work.
  Site(std::string program, const std::filesystem::path& directory, std::string name,
       const std::vector<std::string>& members, const std::filesystem::path& config);
  ~Site();  // kills it
  Site(const Site&) = delete;
  Site& operator=(const Site&) = delete;

  const std::string& name() const { return name_; }
  const std::string& url() const { return url_; }            // set by wait_until_ready
  const std::string& sync_address() const { return sync_; }  // likewise; kept from the last time else
  std::filesystem::path directory() const { return directory_ / name_; }
  std::string trace() const;  // what the process has written to standard error
  // Empty if the store is sound, else what `quadrille verify` says. Only while it is not served.
  std::string verify() const;

  void start(const std::vector<std::string>& peers);
  bool wait_until_ready();  // false: it has ended, or says nothing for a minute
  void kill();
  int stop();  // SIGTERM; its exit status, 137 if it had to be killed after a minute

 private:
  int wait_for_end();
  std::filesystem::path file(const std::string& suffix) const { return directory_ / (name_ + suffix); }

  std::string program_;
  std::filesystem::path directory_;
  std::string name_;
  pid_t process_ = -1;
  std::string url_;
  std::string sync_;
};

}  // namespace quadrille::crash_soak
