// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of work on two streams: the caller's, on which kernels run, and the context's own, on
// which transfers run beside them. From run to run an event stands for the caller's stream, whose
// handle may by then be another stream's.
#pragma once

#include "cameo/cuda/call_state.h"

namespace cameo::cuda {

/// Errors of its calls are noted in the call. `compute` is the stream that kernels go to: the
/// caller's, or the one that a body is captured on.
class stream_order {
public:
  explicit stream_order(call_state &call) : call_(call) {}
  call_state &call() const { return call_; }

  /// Makes the stream and the events; false after an error.
  bool open();
  /// Destroys them, as many as there are. All work must have been waited for.
  void close();
  bool is_open() const { return transfers_ && end_; }

  api::stream transfers() const { return transfers_; }
  /// Behind all that the last run has put on either stream.
  api::event end() const { return end_; }

  // ---- A run ----

  /// Orders a run on the caller's stream after the one before.
  bool begin_run(api::stream caller);
  /// Nothing is beside `compute` yet: at the begin of a run, and of each of its passes.
  void begin_pass();
  /// One event stands behind all that was enqueued; the streams have been joined.
  bool end_run(api::stream compute) { return call_.check(api::record(end_, compute)); }
  /// The caller's stream may be gone from here on.
  void end_call() { running_ = false; }
  /// Waits for all that was enqueued; the error is not noted.
  api::error drain();
  /// Whether an event has been reached. "Not yet" is not for the caller's cudaGetLastError to find.
  static api::error query(api::event event);

  // ---- Between the streams ----

  /// Work that `then` is given from now on comes behind all that `first` has been given so far.
  bool order(api::stream first, api::stream then);
  /// Later transfers come behind the work of `compute`.
  bool fork(api::stream compute);
  /// Later work of `compute` comes behind the transfers.
  void join(api::stream compute);
  /// The same, where an upload has not been joined, or where anything has not.
  void join_uploads(api::stream compute);
  void join_all(api::stream compute);
  /// Orders uploads behind the run before, which may still read the memory that they overwrite;
  /// once a run.
  bool before_uploads(api::stream compute);
  /// Later transfers come behind the last run.
  bool behind_run() { return call_.check(api::wait_for(transfers_, end_)); }
  /// There are uploads that `compute` does not wait for yet, and kernels will read.
  void note_upload() { beside_ = uploads_pending_ = true; }

private:
  call_state &call_;
  api::stream transfers_ = nullptr;
  api::stream caller_ = nullptr;
  api::event order_ = nullptr; ///< recorded and waited for at once, again and again
  api::event end_ = nullptr;
  bool running_ = false; ///< `caller_` is the caller's: not from run to run
  bool uploads_pending_ = false;
  bool beside_ = false;
  bool uploads_ordered_ = false; ///< see before_uploads()
};

} // namespace cameo::cuda
