// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo: the command line. Verbs are in a file each; exit codes are those of Support/Diagnostic.h.

#include "Common.h"
#include "InternalErrors.h"
#include "ManPage.h"
#include "Support/NearNames.h"

#include "llvm/Support/ErrorHandling.h"

#include <csignal>
#include <cstdlib>
#include <new>
#include <unistd.h>

using namespace cameo;

namespace cameo::cli {
/// " (COMMIT)", or nothing where the sources are not in a repository; Commit.cmake writes it.
extern const char *const commit;
} // namespace cameo::cli

CLI::App &cli::addVerb(CLI::App &app, const std::string &name, const std::string &description,
                       const std::string &example) {
  CLI::App &verb = *app.add_subcommand(name, description);
  verb.footer("For example:\n  " + example);
  return verb;
}

namespace {

[[noreturn]] void exitWithoutMemory() {
  // Nothing that allocates: a fixed line, and no destructors.
  static constexpr char kLine[] = "cameo: there is not enough memory for this model\n";
  (void)!::write(STDERR_FILENO, kLine, sizeof kLine - 1);
  ::_exit(static_cast<int>(ExitClass::Limit));
}

/// The flag or verb that nothing is called, and what it may be a slip of.
Diagnostic explainUnknown(const CLI::App &app, const std::string &problem) {
  const CLI::App *verb = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
  std::string help = "cameo " + (verb == &app ? "" : verb->get_name() + " ") + "--help";
  Diagnostic diagnostic{ExitClass::Usage, "cameo", "", problem, help + " lists what there is"};
  std::vector<std::string> words = app.remaining(/*recurse=*/true), known;
  auto unknown = llvm::find_if(words, [](llvm::StringRef word) { return word.starts_with("--"); });
  if (unknown == words.end())
    return diagnostic;
  for (const CLI::Option *option : verb->get_options())
    for (const std::string &name : option->get_lnames())
      known.push_back("--" + name);
  llvm::StringRef flag = llvm::StringRef(*unknown).split('=').first;
  diagnostic.problem =
      "there is no flag " + quoteText(flag) + (verb == &app ? "" : " of cameo " + verb->get_name());
  diagnostic.hint = suggestNear(
      flag, llvm::SmallVector<llvm::StringRef>(known.begin(), known.end()), diagnostic.hint);
  return diagnostic;
}

int run(int argc, char **argv) {
  CLI::App app("Compiles ONNX models, ahead of time, to readable C++ and CUDA.", "cameo");
  app.require_subcommand(1);
  const std::string version = std::string("cameo " CAMEO_VERSION) + cli::commit;
  app.set_version_flag("--version", version);
  app.add_flag_callback(
      "--man",
      [&] { throw CLI::CallForVersion(cli::formatManPage(app, "cameo " CAMEO_VERSION), 0); },
      "print the manual page");
  std::vector<cli::Verb> verbs;
  for (auto add : {cli::addCompile, cli::addInspect, cli::addExplain, cli::addVerify, cli::addRun,
                   cli::addBench, cli::addBuild, cli::addReduce, cli::addCheck, cli::addBaseline,
                   cli::addDiff, cli::addOps})
    verbs.push_back(add(app));

  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError &error) {
    // A word that is no verb is what is wrong, not that there is none.
    bool isVerb = argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty();
    if (!isVerb)
      return cli::report(explainUnknown(app, error.what()));
    llvm::SmallVector<std::string> names;
    for (const CLI::App *verb : app.get_subcommands([](CLI::App *) { return true; }))
      names.push_back(verb->get_name());
    return cli::report(
        {ExitClass::Usage, "cameo", "", "there is no command " + quoteText(argv[1]),
         suggestNear(argv[1], llvm::SmallVector<llvm::StringRef>(names.begin(), names.end()),
                     "cameo --help lists what there is")});
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() != 0)
      return cli::report(explainUnknown(app, error.what()));
    // --help, --version and --man.
    std::ostringstream text;
    app.exit(error, text, text);
    return cli::print(text.str());
  }
  std::vector<CLI::App *> all = app.get_subcommands([](CLI::App *) { return true; });
  for (auto [verb, runVerb] : llvm::zip_equal(all, verbs))
    if (verb->parsed())
      return runVerb();
  return static_cast<int>(ExitClass::Usage);
}

} // namespace

int main(int argc, char **argv) {
  // A reader that goes away is an error of that write, not the end of this program.
  std::signal(SIGPIPE, SIG_IGN);
  // Whoever started it may have been ignoring how its own programs end.
  std::signal(SIGCHLD, SIG_DFL);
  std::set_new_handler(exitWithoutMemory);
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { exitWithoutMemory(); });
  cli::installInternalErrorHandlers();
  // Messages of compilers go into diagnostics, which are ASCII.
  ::setenv("LC_ALL", "C", 1);
  try {
    return run(argc, argv);
  } catch (const std::exception &error) {
    return cli::report({ExitClass::Internal, "cameo", "", error.what(), ""});
  }
}
