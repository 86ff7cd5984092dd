// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The report of `cameo explain --kernels`: by which kernels a program runs, and for those that the
// compiler chose, what else there was. Read off the planned module, choices as who made them left
// them there (Kernels/Explained.h).

#ifndef CAMEO_REPORT_KERNELREPORT_H
#define CAMEO_REPORT_KERNELREPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"

#include <optional>
#include <string>
#include <vector>

namespace cameo {

struct KernelReport {
  /// A variant that was weighed.
  struct Way {
    /// The names of its record and of the template that it calls.
    std::string name, function;
    /// The numbers chosen for it: `tile = 4`.
    std::vector<std::pair<std::string, int64_t>> choices;
    /// Its predicted time on one core; none where no price is known.
    std::optional<int64_t> picoseconds;
    /// The resource that most of that is spent on, and its share.
    std::string bound;
    int64_t percent = 0;
    /// The guard that does not hold; empty where it may be taken.
    std::string refusedBy;
    bool isTaken = false;
  };
  /// A launch's predicted time on a device, the mean of all that its function has.
  struct Time {
    std::string machine;
    double microseconds = 0;
    /// The part of the machine that is busy all the time.
    std::string binds;
  };
  struct Kernel {
    /// `Conv:conv1`, the first of those that it computes; empty where it is none of the model's.
    std::string node;
    /// How many nodes it computes.
    size_t numNodes = 0;
    /// The template that is called; empty for a loop over elements.
    std::string function;
    /// That which the template has taken the call over from; empty for none.
    std::string replaced;
    /// The word of --precision by which a device rounds what is multiplied; empty for none.
    std::string factors;
    /// The range of one of several calls, `H * W <= 400`, and whether it has the sizes that costs
    /// are weighed by elsewhere. Empty and true where there is one call.
    std::string where;
    bool isUsual = true;
    std::string side;
    /// The type of its first result, as Dialect/Core/IR/TypeReport.h has it.
    llvm::json::Object type;
    std::vector<Way> ways;
    /// The function of generated code that is it, by addFinished; empty where several or none are.
    std::string called;
    /// By who knows times of functions.
    std::vector<Time> times;
  };

  /// A run's predicted time on a device, and the least it can be.
  struct Run {
    std::string machine;
    double microseconds = 0, limitMicroseconds = 0;
  };

  std::vector<Kernel> kernels;
  std::vector<Run> runs;
  bool hasDevice = false;

  llvm::json::Array toJson() const;
  /// For reading in a terminal.
  std::string toText() const;
};

/// The report of a module behind Plan that was to be explained (Options::explainKernels).
KernelReport makeKernelReport(mlir::ModuleOp planned, bool hasDevice);
/// Adds the functions, of the module behind Finish.
void addFinished(KernelReport &report, mlir::ModuleOp finished);

} // namespace cameo

#endif // CAMEO_REPORT_KERNELREPORT_H
