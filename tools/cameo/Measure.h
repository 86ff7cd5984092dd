// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A record of a model, by the verbs of this or of another Cameo, each in a process of its own.

#ifndef CAMEO_TOOLS_MEASURE_H
#define CAMEO_TOOLS_MEASURE_H

#include "NativeBuild.h"
#include "Record.h"

namespace cameo::cli {

/// How models are measured, beside the flags of every verb.
struct MeasureFlags {
  /// --seconds, --threads, --seed, --cxxflags and --no-run.
  void addTo(CLI::App &verb);

  double seconds = 1;
  int threads = 1;
  uint64_t seed = 0;
  std::string cxxFlags;
  bool isPlanOnly = false;
};

/// One model on one target.
struct MeasureTask {
  std::string model;
  /// A target, or the emulator of one.
  const Platform *platform = nullptr;
  /// Flags of every verb, without --target.
  std::vector<std::string> flags;
  MeasureFlags how;
  /// Another Cameo; empty: this one.
  std::string program = {};
  /// An earlier record, on whose data it runs as far as that is kept; null: inputs are made up.
  const Record *earlier = nullptr;
  /// Where what it was run on is written, and what came out; not read where nothing is run.
  std::string data = {};

  /// Sources of measurements on this machine, Plan first.
  std::vector<Source> listSources() const;
};

/// Adds what is of one source; Plan goes before Run. On failure the diagnostic of the verb.
std::optional<Diagnostic> measure(const MeasureTask &task, Source source, Record &record);
/// All that listSources() has.
std::optional<Diagnostic> measure(const MeasureTask &task, Record &record);

/// The flags of every verb that were given to this one, without --target. --emit-plan is refused
/// (exit 2): it is a file of one compilation.
std::optional<Diagnostic> readSteering(CLI::App &verb, std::vector<std::string> &words);

/// How a verb in a process of its own ended: what it said last is the message.
std::optional<Diagnostic> readEnd(const ProgramEnd &end, const std::string &errors);

} // namespace cameo::cli

#endif // CAMEO_TOOLS_MEASURE_H
