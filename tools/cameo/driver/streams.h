// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A caller's streams (--stream user): inputs are written late on one, models run on others, outputs
// are read on one more, and only events order them. Memory that the run no longer needs is
// overwritten as soon as its event allows. Targets without a device have none of it.
#pragma once

#include "memory.h"

namespace driver {

class user_streams {
public:
  user_streams();
  ~user_streams();
  user_streams(const user_streams &) = delete;
  user_streams &operator=(const user_streams &) = delete;

  /// Where model `number` of the chain runs.
  void *stream(int number) const { return run_[number]; }
  /// Gives a tensor of a run its event for when the run is done with it.
  void give_done(cameo_tensor &tensor);
  /// Has `image` copied to an input once everything else has been asked for, and gives the tensor
  /// the event behind that.
  void write_late(cameo_tensor &tensor, const bytes &image);
  /// Overwrites an input when the run no longer reads it.
  void spoil(const cameo_tensor &tensor);
  /// The bytes of an output at the moment when its event says that they are there.
  bytes read(const cameo_tensor &tensor);
  /// Waits for all of them, and forgets their events.
  void finish();

private:
  void *pinned(size_t size);
  void *event();

  void *fill_, *read_, *run_[2];
  std::vector<void *> events_, pinned_;
};

} // namespace driver
