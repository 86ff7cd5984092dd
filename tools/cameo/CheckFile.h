// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cameo.toml: which models a project has, on which targets they run, and what they are held to.

#ifndef CAMEO_TOOLS_CHECKFILE_H
#define CAMEO_TOOLS_CHECKFILE_H

#include "Budgets.h"
#include "Measure.h"

namespace cameo::cli {

struct CheckedModel {
  std::string name, path;
  std::vector<const Platform *> platforms;
  /// Flags of every verb, among them `dims`, and flags of verify alone.
  std::vector<std::string> flags, verifyFlags;
  MeasureFlags how;
  bool hasNumbers = true;
  /// By the target that they are of, "" being all.
  std::map<std::string, std::vector<Budget>> budgets;

  /// Budgets of all targets, each replaced by this platform's own where it has one.
  std::vector<Budget> listBudgets(const Platform &platform) const;
  MeasureTask makeTask(const Platform &platform) const;
};

struct CheckFile {
  std::string baseline = "baseline";
  std::vector<CheckedModel> models;
};

/// Reads the file and makes its folder the working folder, to which its paths are relative. A
/// diagnostic names the line (exit 2) or the file (exit 3).
std::optional<Diagnostic> enterCheckFile(const std::string &path, CheckFile &file);

/// Makes a path of the command line one that holds in any working folder; `-` and "" stay.
void makeAbsolute(std::string &path);

/// The folder of a record in a folder of them: `net.cpu`.
std::string getRecordFolder(const std::string &folder, const std::string &name,
                            const std::string &target);

/// A record as `cameo baseline` wrote it, with its data.
std::optional<Diagnostic> readRecord(const std::string &folder, Record &record);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_CHECKFILE_H
