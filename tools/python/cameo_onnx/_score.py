# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables through a model on one machine: larger than memory, on all cores, in order, and on from where a run was killed."""
import collections
import concurrent.futures
import fcntl
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._errors import Error
from ._scorer import BatchScorer, as_model
from ._tables import Piece, count_rows, open_source, placed, write_parquet


@dataclass(frozen=True)
class Scored:
    """`rows` are those of the whole source, of which `resumed` had been scored before; `files` are in their order."""
    rows: int
    resumed: int
    seconds: float
    files: tuple[str, ...]


def score(source: Any, model: Any, sink: str | os.PathLike[str], columns: Mapping[str, str | Sequence[str]] | None = None,
          batch: int = 256, *, keep: Sequence[str] = (), outputs: Sequence[str] | None = None,
          constants: Mapping[str, Any] | None = None, workers: int = 0,
          progress: bool | Callable[[int, int], None] | None = None) -> Scored:
    """Runs a model on all rows of `source`, and writes what it makes of them into the folder `sink`, as Parquet.

    `source`: a file of Parquet's or Arrow's, a folder of them, in the order of their names, or several. Each row group,
    or record batch, becomes a file `part-NUMBER.parquet`, in the order of the rows; when all are there, so is `_SUCCESS`.
    The same call goes on with a sink that a run has left. One that belongs to another source, model or choice is an
    Error POLICY, one that another process is writing BUSY.

    `model`: a Model, or what `compile` takes. `columns`: the column of each input that is not called as it is; a list of
    names for a matrix, one for each of its columns. `batch`: rows of a run, where the model leaves that open. `keep`:
    columns that are written in front of `outputs` (None: all). `constants`: inputs that are one value for all rows.
    `workers`: sessions at once, of one thread each; 0 is one a core, on a GPU two. `progress`: called with the rows done
    and all rows; True is a line on stderr, None one where that is a terminal.
    """
    start, model = time.monotonic(), as_model(model)
    if workers < 0:
        raise Error("`workers` is how many, or 0 for one a core", "INVALID_ARGUMENT")
    workers = workers or (len(os.sched_getaffinity(0)) if model.target == "cpu" else 2)
    make = lambda: BatchScorer(model, columns, batch, keep, outputs, constants)  # noqa: E731
    files, scorer = open_source(source), make()
    schema, total = scorer.schema(files[0].schema), sum(file.rows for file in files)
    pieces = [Piece(file, number) for file in files for number in range(file.pieces)]
    run = {"source": [file.identity for file in files], "model": model.fingerprint, **scorer.choice}
    with _Sink(Path(sink), run, len(pieces)) as folder:
        resumed = sum(count_rows(path) for path in folder.paths if path.exists())
        told = _Progress(progress, resumed, total)
        todo = [(piece, path) for piece, path in zip(pieces, folder.paths) if not path.exists()]
        with _Pool(make, min(workers, len(todo)), workers) as pool:
            def score_piece(piece: Piece, path: Path) -> None:
                with placed(str(piece)):
                    batches = pool.map(piece.file.read(piece.number, scorer.reads, batch))
                    write_parquet(path, schema, told.count(batches))
            pool.run(score_piece, todo)
        told.end()
        (folder.path / "_SUCCESS").touch()
    return Scored(total, resumed, time.monotonic() - start, tuple(map(str, folder.paths)))


class _Pool:
    """Threads that read and write pieces, and as many as there are sessions that score what the first have read."""

    def __init__(self, make: Callable[[], BatchScorer], pieces: int, workers: int):
        self._make, self._local, self._stopped = make, threading.local(), threading.Event()
        self._ahead = workers // max(pieces, 1) + 1
        self._pieces = concurrent.futures.ThreadPoolExecutor(max(pieces, 1), "cameo_onnx.read")
        self._workers = concurrent.futures.ThreadPoolExecutor(workers, "cameo_onnx.score")

    def __enter__(self) -> "_Pool":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._stopped.set()
        self._pieces.shutdown(cancel_futures=True)
        self._workers.shutdown(cancel_futures=True)

    def _score(self, batch: Any) -> Any:
        if not hasattr(self._local, "scorer"):
            self._local.scorer = self._make()
        return self._local.scorer(batch)

    def map(self, batches: Iterable[Any]) -> Iterator[Any]:
        """What comes of each, in order; so many are read ahead as keep the sessions at work."""
        waiting: collections.deque[concurrent.futures.Future[Any]] = collections.deque()
        for batch in batches:
            if self._stopped.is_set():
                raise Error("another piece has failed", "INTERNAL")
            waiting.append(self._workers.submit(self._score, batch))
            if len(waiting) > self._ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    def run(self, work: Callable[..., None], arguments: Iterable[tuple[Any, ...]]) -> None:
        """Calls `work` on all; the first that fails ends the others."""
        for future in concurrent.futures.as_completed([self._pieces.submit(work, *some) for some in arguments]):
            future.result()


class _Progress:
    def __init__(self, wanted: bool | Callable[[int, int], None] | None, done: int, total: int):
        prints = sys.stderr.isatty() if wanted is None else wanted is True
        self._tell = wanted if callable(wanted) else self._print if prints else None
        self._done, self._total, self._first = done, total, done
        self._lock, self._start, self._printed = threading.Lock(), time.monotonic(), 0.0

    def count(self, batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            yield batch
            with self._lock:
                self._done += batch.num_rows
                if self._tell:
                    self._tell(self._done, self._total)

    def _print(self, done: int, total: int) -> None:
        now = time.monotonic()
        if now - self._printed < 0.2 and done < total:
            return
        rate = (done - self._first) / max(now - self._start, 1e-9)
        self._printed = now
        print(f"\r{done:,} of {total:,} rows, {rate:,.0f} a second, {(total - done) / max(rate, 1e-9):,.0f} s left ",
              end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._printed:
            print(file=sys.stderr)


class _Sink:
    """The folder that is written: by one process at a time, for one run."""

    def __init__(self, path: Path, run: dict[str, Any], count: int):
        self.path, self._run = path, json.loads(json.dumps(run))
        self.paths = [path / f"part-{number:0{max(5, len(str(count)))}}.parquet" for number in range(count)]

    def __enter__(self) -> "_Sink":
        with placed(str(self.path)):
            self.path.mkdir(parents=True, exist_ok=True)
            claim = self.path / "_score.json"
            found = [one.name for one in self.path.iterdir()]
            if found and not claim.exists():
                raise Error(f"has '{min(found)}' in it, and `score` did not make it: name a folder that is new or empty", "POLICY")
            self._file = open(claim, "a+")
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self._claim()
            except BaseException as error:
                self._file.close()
                if isinstance(error, BlockingIOError):
                    raise Error("another process is writing it", "BUSY") from None
                raise
        return self

    def _claim(self) -> None:
        """Says whose the folder is, or finds another run's. One that was killed before it had said so has written nothing."""
        self._file.seek(0)
        try:
            before = json.load(self._file)
        except json.JSONDecodeError:
            self._file.truncate(0)
            json.dump(self._run, self._file, indent=1)
            self._file.flush()
            os.fsync(self._file.fileno())
            return
        other = [name for name, value in self._run.items() if before.get(name) != value]
        if other:
            raise Error(f"was begun with another {', '.join(other)}: say the same again, or name a folder that is new or empty",
                        "POLICY")

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._file.close()
