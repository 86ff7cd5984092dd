# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a model makes of the rows of a record batch: `score` and `ray.Scorer` are both this, in a loop of their own."""
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from . import _columns
from ._columns import pa, refuse
from ._errors import Error
from ._model import Port, compile


def as_model(model: Any) -> Any:
    """The model, compiled if it is not. What has `inputs`, `outputs` and `session` as a Model has them is one too."""
    return model if hasattr(model, "session") else compile(model)


class BatchScorer:
    """A session of a model, called with record batches or tables, one behind the other.

    `columns`: the column of each input that is not called as it is; a list of names for a matrix, one for each of its
    columns. `batch`: rows of a run, where the model leaves that open. `keep`: columns that go into the result, in front
    of `outputs` (None: all). `constants`: inputs that are one value for all rows. An input with a default is left to it
    unless `columns` names it.
    """

    def __init__(self, model: Any, columns: Mapping[str, str | Sequence[str]] | None = None, batch: int = 256,
                 keep: Sequence[str] = (), outputs: Sequence[str] | None = None, constants: Mapping[str, Any] | None = None,
                 threads: int = 1):
        if batch < 1:
            raise Error("`batch` is a number of rows, at least 1", "INVALID_ARGUMENT")
        self._model = as_model(model)
        self._constants = dict(constants or {})
        self._inputs = self._choose_inputs(dict(columns or {}))
        self._outputs = self._choose_outputs(outputs)
        self._keep = [keep] if isinstance(keep, str) else list(keep)
        self._fields = [pa.field(port.name, _columns.column_type(port), nullable=False) for port in self._outputs]
        for port in self._outputs:
            if port.name in self._keep:
                refuse(port.name, "is a column to keep and an output too: rename the column, or name other outputs")
        fixed = self._count_fixed_rows()
        self._is_fixed, self._rows = fixed is not None, fixed or batch
        self._session = self._model.session(threads=threads)

    def _choose_inputs(self, columns: dict[str, str | Sequence[str]]) -> list[tuple[Port, str | Sequence[str]]]:
        names = [port.name for port in self._model.inputs]
        for name in (*columns, *self._constants):
            if name not in names:
                refuse(name, f"is no input; they are {', '.join(names)}")
        chosen: list[tuple[Port, str | Sequence[str]]] = []
        for port in self._model.inputs:
            if port.name in self._constants or (port.optional and port.name not in columns):
                continue
            _require_rows(port, "constants= gives it one value")
            chosen.append((port, columns.get(port.name, port.name)))
        if not chosen:
            raise Error("no input of the model takes a column", "INVALID_ARGUMENT")
        return chosen

    def _choose_outputs(self, names: Sequence[str] | None) -> list[Port]:
        ports = {port.name: port for port in self._model.outputs}
        wanted = list(ports) if names is None else [names] if isinstance(names, str) else list(names)
        for name in wanted:
            if name not in ports:
                refuse(name, f"is no output; they are {', '.join(ports)}")
            _require_rows(ports[name], "outputs= names those to write")
        return [ports[name] for name in wanted]

    def _count_fixed_rows(self) -> int | None:
        """How many rows a run takes; None where that is open."""
        counts = {port.dims[0] for port, _ in self._inputs if port.dims and isinstance(port.dims[0], int)}
        if len(counts) > 1 or 0 in counts:
            raise Error(f"the inputs take {sorted(counts)} rows a run: no rows of a table", "INVALID_ARGUMENT")
        return int(counts.pop()) if counts else None

    @property
    def choice(self) -> dict[str, Any]:
        """What of the model and of a table this is about, as JSON."""
        constants = hashlib.sha256()
        for name, value in sorted(self._constants.items()):
            constants.update(f"{name} {np.asarray(value).dtype} {np.shape(value)}".encode() + np.asarray(value).tobytes())
        return {"columns": {port.name: names if isinstance(names, str) else list(names) for port, names in self._inputs},
                "keep": self._keep, "outputs": [port.name for port in self._outputs], "constants": constants.hexdigest()}

    @property
    def reads(self) -> list[str]:
        """The columns that are read."""
        fed = (name for _, names in self._inputs for name in ([names] if isinstance(names, str) else names))
        return list(dict.fromkeys([*fed, *self._keep]))

    def schema(self, given: Any) -> Any:
        """The schema of what comes out, of that of what goes in."""
        names = set(given.names)
        for name in self.reads:
            if name not in names:
                refuse(name, f"is no column; they are {', '.join(given.names)}: columns= says which one an input takes")
        return pa.schema([*(given.field(name) for name in self._keep), *self._fields])

    def __call__(self, batch: Any) -> Any:
        schema = self.schema(batch.schema)
        # Lists of one run have one length, and those of others may have another.
        step = self._rows if self._is_ragged(batch.schema) else max(batch.num_rows, 1)
        parts = [self._score(batch.slice(start, step)) for start in range(0, batch.num_rows, step)]
        made = [_columns.join(list(arrays)) for arrays in zip(*parts)] or [pa.array([], field.type) for field in self._fields]
        kept = [_columns.whole(batch.column(name)) for name in self._keep]
        return pa.RecordBatch.from_arrays([*kept, *made], schema=schema)

    def _is_ragged(self, schema: Any) -> bool:
        return any(isinstance(names, str) and any(not isinstance(extent, int) for extent in (port.dims or ())[1:])
                   and _columns.has_lengths(schema.field(names).type) for port, names in self._inputs)

    def _score(self, batch: Any) -> list[Any]:
        """The columns of the outputs."""
        feeds = {port.name: _columns.read(batch, port, names) for port, names in self._inputs}
        runs = [self._run(*some) for some in self._cut(feeds, batch.num_rows)]
        return [_columns.write(parts[0] if len(parts) == 1 else np.concatenate(parts), port, field.type)
                for port, field, parts in zip(self._outputs, self._fields, zip(*runs))]

    def _cut(self, feeds: dict[str, Any], rows: int) -> Iterator[tuple[dict[str, Any], int]]:
        """The inputs of each run, and how many of its rows are asked for: where their number is fixed, the last row fills up."""
        for start in range(0, rows, self._rows):
            count = min(self._rows, rows - start)
            chosen: Any = slice(start, start + count)
            if self._is_fixed and count < self._rows:
                chosen = np.minimum(np.arange(start, start + self._rows), rows - 1)
            yield {name: array[chosen] for name, array in feeds.items()}, count

    def _run(self, feeds: dict[str, Any], count: int) -> list[Any]:
        results = self._session.run({**feeds, **self._constants})
        given = len(next(iter(feeds.values())))
        for port in self._outputs:
            if results[port.name].shape[0] != given:
                refuse(port.name, f"is {list(results[port.name].shape)} of {given} rows, and no column: "
                       "outputs= names those to write")
        return [results[port.name][:count] for port in self._outputs]


def _require_rows(port: Port, way_out: str) -> None:
    """That a column can be one."""
    if port.kind != "tensor":
        refuse(port.name, f"is a {port.kind}, and no column: {way_out}")
    if not port.dims:
        problem = "has a rank that only a run knows" if port.dims is None else "is a scalar"
        refuse(port.name, f"{problem}, and no column: {way_out}")
    _columns.element_type(port)
