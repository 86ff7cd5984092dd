// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of a compiled model in numbers and names, so that it can be held against an earlier
// one or against budgets: read off the reports of the other verbs, and written as one of its own.

#ifndef CAMEO_TOOLS_RECORD_H
#define CAMEO_TOOLS_RECORD_H

#include "Common.h"

#include "Import/TensorData.h"

namespace cameo::cli {

/// Which verb's report a number is of.
enum class Source {
  Plan,    ///< compile: NAME.plan.json and --emit-plan
  Inspect, ///< inspect
  Run,     ///< run
  Bench,   ///< bench
  Outputs  ///< outputs, held against those of another record
};

/// A number that may have a budget.
struct MeasureInfo {
  llvm::StringLiteral name, title;
  Source source;
};

/// In the order in which reports show them.
llvm::ArrayRef<MeasureInfo> getMeasures();
/// Null for a name of none.
const MeasureInfo *findMeasure(llvm::StringRef name);
/// The names, for messages.
llvm::SmallVector<llvm::StringRef> getMeasureNames();
/// `1234`, or five digits of what is no integer.
std::string formatMeasure(double value);

struct RecordedOutput {
  std::string name, dtype;
  std::vector<int64_t> shape;
  /// Digest of its elements.
  std::string digest;
};

struct Record {
  /// The model's name, by which records of two folders are matched.
  std::string name;
  std::string model, target;
  /// The compiler, and the processor and flags of the timing; empty where nothing was timed.
  std::string compiler, cpu, cxxFlags;
  /// Flags of every verb that it was compiled with.
  std::vector<std::string> flags;
  std::map<std::string, double> measures;
  /// How far the least time of a fifth of the runs is from that of all, as a share of it: the
  /// largest. None where it was not timed.
  std::optional<double> noise;
  /// `MatMul:first (call)`, in order: launches, copies, waits, branches and loops.
  std::vector<std::string> steps;
  std::vector<std::string> inputs;
  std::vector<RecordedOutput> outputs;
  /// Where input_K.pb and output_K.pb of its run are; empty: they were not kept.
  std::string data;

  /// `net (cpu)`.
  std::string getTitle() const { return escapeText(name) + " (" + escapeText(target) + ")"; }

  /// Take what a report of the verb has that a record has.
  void addPlan(const llvm::json::Object &plan);
  void addPlacement(const llvm::json::Object &report);
  void addInspect(const llvm::json::Object &report);
  void addRun(const llvm::json::Object &report);
  void addBench(const llvm::json::Object &report);
  /// Its outputs, from the files in `data`; on failure says which cannot be read.
  std::optional<Diagnostic> addOutputs();
  /// A report of any of these verbs, NAME.plan.json, or a record; false where it is none.
  bool add(const llvm::json::Object &report);

  llvm::json::Object toJson() const;

private:
  void addRecord(const llvm::json::Object &report);
};

/// A JSON object in a file; what is wrong is exit 3 or 4.
std::optional<Diagnostic> readJsonObject(const std::string &path, llvm::json::Object &object);

/// The inputs or outputs of a record's data by position, `stem` being `input_` or `output_`.
std::optional<Diagnostic> readRecordedData(const std::string &folder, llvm::StringRef stem,
                                           std::map<int64_t, TensorData> &tensors);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_RECORD_H
