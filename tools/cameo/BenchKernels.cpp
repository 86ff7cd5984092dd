// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BenchKernels.h"

#include "Support/Diagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

#include <algorithm>

using namespace cameo;
using namespace cameo::cli;
namespace json = llvm::json;

namespace {

double toSeconds(int64_t nanoseconds) { return static_cast<double>(nanoseconds) * 1e-9; }

json::Object toJson(const Roofline &roofline) {
  json::Array levels;
  for (const Roofline::Level &level : roofline.levels)
    levels.push_back(json::Object{
        {"name", level.name}, {"bytes", level.bytes}, {"bytes_per_s", level.bytesPerSecond}});
  return json::Object{{"flops_per_s", roofline.operationsPerSecond}, {"levels", std::move(levels)}};
}

json::Object toJson(const Prediction &prediction) {
  return json::Object{{"machine", json::fixUTF8(prediction.machine)},
                      {"ms", prediction.microseconds * 1e-3},
                      {"limit_ms", prediction.limitMicroseconds * 1e-3}};
}

} // namespace

const Prediction *KernelTable::findPrediction() const {
  return predictions && device ? predictions->find(*device) : nullptr;
}

/// The time below which no machine of this roofline can be: that of its operations or that of its
/// bytes, as if they lay in the nearest level that has room for them.
double KernelTable::getBound(const KernelProfile &kernel) const {
  auto level = llvm::find_if(roofline.levels, [&](const Roofline::Level &each) {
    return each.bytes >= kernel.bytes / std::max<int64_t>(kernel.calls, 1) || each.bytes == 0;
  });
  return std::max(static_cast<double>(kernel.operations) / roofline.operationsPerSecond,
                  static_cast<double>(kernel.bytes) / level->bytesPerSecond);
}

json::Object KernelTable::describeDevice() const {
  return json::Object{{"arch", fmt::format("sm_{}{}", device->major, device->minor)},
                      {"multiprocessors", device->multiprocessors}};
}

json::Object KernelTable::toJson(const KernelProfile &kernel) const {
  json::Object row{{"kernel", kernel.kernel},
                   {"calls", kernel.calls},
                   {"ms", toSeconds(kernel.nanoseconds) * 1e3},
                   {"bytes", kernel.bytes},
                   {"flops", kernel.operations}};
  if (!device)
    row["roofline"] = getBound(kernel) / std::max(1e-9, toSeconds(kernel.nanoseconds));
  else if (const Prediction *prediction = findPrediction())
    if (const PredictedKernel *predicted = prediction->find(kernel.kernel))
      row["predicted_ms"] = predicted->microseconds * 1e-3;
  return row;
}

void KernelTable::addTo(json::Object &report, llvm::ArrayRef<KernelProfile> profile) const {
  if (!device)
    report["roofline"] = ::toJson(roofline);
  if (const Prediction *prediction = findPrediction())
    report["predicted"] = ::toJson(*prediction);
  json::Array rows;
  for (const KernelProfile &kernel : profile)
    rows.push_back(toJson(kernel));
  report["profile"] = std::move(rows);
}

std::string KernelTable::getHeading() const {
  std::string text;
  if (!device) {
    text = fmt::format("roofline: {:.1f} GFLOP/s", roofline.operationsPerSecond * 1e-9);
    for (const Roofline::Level &level : roofline.levels)
      text += fmt::format(", {} {:.1f} GB/s", level.name, level.bytesPerSecond * 1e-9);
    return text + "\n\n     ms  share  calls    GFLOP/s     GB/s  roofline  kernel\n";
  }
  text = fmt::format("device: sm_{}{}, {} multiprocessors; kernels by events around them, in runs "
                     "of their own\n",
                     device->major, device->minor, device->multiprocessors);
  if (const Prediction *prediction = findPrediction())
    text +=
        fmt::format("predicted of {}: {:.4f} ms with the gaps between kernels, {:.4f} at least\n",
                    escapeText(prediction->machine), prediction->microseconds * 1e-3,
                    prediction->limitMicroseconds * 1e-3);
  else if (predictions)
    text += fmt::format("nothing is predicted of such a device, only of {}\n",
                        predictions->listMachines());
  return text + "\n     ms  share  calls    GFLOP/s     GB/s predicted  kernel\n";
}

std::string KernelTable::judge(const KernelProfile &kernel) const {
  if (!device)
    return fmt::format("{:8.0f}%",
                       100 * getBound(kernel) / std::max(1e-9, toSeconds(kernel.nanoseconds)));
  const Prediction *prediction = findPrediction();
  const PredictedKernel *predicted = prediction ? prediction->find(kernel.kernel) : nullptr;
  return predicted ? fmt::format("{:9.4f}", predicted->microseconds * 1e-3) : "        -";
}

std::string KernelTable::toText(llvm::ArrayRef<KernelProfile> profile) const {
  std::vector<KernelProfile> kernels = profile.vec();
  llvm::sort(kernels, [](const KernelProfile &a, const KernelProfile &b) {
    return std::pair(b.nanoseconds, a.kernel) < std::pair(a.nanoseconds, b.kernel);
  });
  double total = 0;
  for (const KernelProfile &kernel : kernels)
    total += static_cast<double>(kernel.nanoseconds);
  std::string text = getHeading();
  for (const KernelProfile &kernel : kernels) {
    double nanoseconds = std::max(1.0, static_cast<double>(kernel.nanoseconds));
    text += fmt::format("{:7.4f} {:5.1f}% {:6} {:10.1f} {:8.1f} {}  {}\n", nanoseconds * 1e-6,
                        100 * nanoseconds / std::max(1.0, total), kernel.calls,
                        static_cast<double>(kernel.operations) / nanoseconds,
                        static_cast<double>(kernel.bytes) / nanoseconds, judge(kernel),
                        escapeText(kernel.kernel));
  }
  return text;
}
