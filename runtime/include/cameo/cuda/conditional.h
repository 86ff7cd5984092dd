// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches and loops that the device decides about, as generated host code sees them: a context's
// ask() and repeat() begin them.
#pragma once

#include "cameo/cuda/conditional_bodies.h"

namespace cameo::cuda {

class context;

/// Work that the device decides about. Between the begin and the end of a body, the context's
/// `compute` enqueues to that body of a conditional node, or rehearses it.
class conditional {
public:
  conditional(const conditional &) = delete;
  conditional &operator=(const conditional &) = delete;

protected:
  conditional(context &c, conditional_bodies &bodies) : context_(c), bodies_(bodies) {}
  /// Also ends a body that a failure has left.
  ~conditional() { end_body(); }

  /// Adds a node of a graph, behind what `compute` has been given where that is its capture; stores
  /// its `count` bodies.
  bool add_node(api::conditional_kind kind, api::conditional_handle handle, api::graph graph,
                api::graph *bodies, int count);
  /// Null: a rehearsal.
  bool begin_body(api::graph body);
  void end_body();
  call_state &call() const { return bodies_.call(); }

  context &context_;
  conditional_bodies &bodies_;
  exec outside_; ///< what `compute` is around it

private:
  bool inside_ = false;
  bool captures_ = false;
  bool rehearsed_outside_ = false; ///< exec_state::rehearsing around it
};

class asked;

/// A branch on a bool of the device:
/// ```
/// for (choice b = a.choose(0); b.next();) {
///   if (b.taken()) ... else ...
/// }
/// ```
/// A run waits for the bool and takes one branch; where it has planned its memory anew it rehearses
/// the other one, so that a capture of the same shapes finds what both need. A run that is captured
/// takes both, each into a body of a conditional node, of which every launch of the graph takes
/// one; so does the body of a loop that the device runs. So both may only enqueue.
class choice : private conditional {
public:
  /// Ends the branch before; whether there is one to be taken now.
  bool next();
  /// Which one.
  bool taken() const { return taken_; }

private:
  friend class asked;
  choice(asked &a, int32_t number);

  bool take_first();
  bool take_second();
  bool add_branches();

  asked &asked_;
  int32_t number_;
  int turn_ = 0;
  bool taken_ = false;
  api::graph branches_[2] = {};
};

/// Bools of the device that choices go by: one copy and one wait of a run for all of them.
class asked {
public:
  asked(const asked &) = delete;
  asked &operator=(const asked &) = delete;
  ~asked();

  /// Bool `number` chooses.
  choice choose(int32_t number) { return choice(*this, number); }
  /// The first error so far.
  status end() const;

private:
  friend class context;
  friend class choice;
  asked(context &c, conditional_bodies &bodies, const bool *conditions, int32_t count);

  /// Waits where nobody has.
  bool read(int32_t number, bool &value);

  static constexpr int32_t most = 16; ///< as many as the compiler reads back at once

  context &context_;
  conditional_bodies &bodies_;
  const bool *conditions_;
  const bool decides_; ///< the host does, in a plain run
  fetched values_;     ///< slot -1 when they have been awaited
  bool read_[most] = {};
};

/// A loop that ends when a bool of the device is false:
/// ```
/// while (r.next()) {
///   ...
///   if (!r.confirmed())
///     break;
///   ...
///   r.again(condition);
/// }
/// ```
/// Its body is captured once, into a conditional node that repeats it: of the caller's graph where
/// the run is captured, else of one of its own, which the run launches. So the body may only
/// enqueue, and is the same in each iteration. A run that has planned its memory anew rehearses it
/// before.
///
/// A device without such nodes gets the body from the host, iteration by iteration, up to
/// confirmed() before the condition of the one before is looked at: so much may run in vain.
class repetition : private conditional {
public:
  ~repetition();

  /// Ends the body before; whether it is to be enqueued now.
  bool next();
  /// Whether this iteration is one, in front of the first work in it whose results stay.
  bool confirmed();
  /// Ends an iteration: another one follows where `condition`, on the device, is true, unless there
  /// have been as many as there may be, or a kernel of the loop has raised an error.
  void again(const bool *condition);
  /// The first error so far.
  status end();

private:
  friend class context;
  repetition(context &c, conditional_bodies &bodies, const int64_t *trips, bool begins,
             int64_t most);

  bool add_loop();
  void start();
  bool begin_trip();
  /// On the device, whether another iteration follows the `trip`-th. Two change places.
  bool *flag_of(int64_t trip) const { return goes_on_ + trip % 2; }

  const int64_t *trips_;
  int64_t most_;
  int64_t left_;               ///< turns of the body
  uint32_t first_ = 0;         ///< its first kernel, by which its errors are known
  api::graph graph_ = nullptr; ///< of a plain run
  api::graph body_ = nullptr;
  api::conditional_handle handle_ = 0;
  bool by_host_ = false;    ///< the host looks at the condition
  int64_t trips_begun_ = 0; ///< by the host
  bool *goes_on_ = nullptr; ///< see flag_of
  fetched look_;            ///< at what follows the last iteration; slot -1: at nothing
  size_t scratch_mark_;
};

} // namespace cameo::cuda
