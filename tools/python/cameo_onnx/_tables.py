# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files of tables as pieces that are read, scored and written one by one: row groups of Parquet, record batches of Arrow."""
import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ._columns import pa
from ._errors import Error
from ._extras import require

ipc, parquet = require("pyarrow.ipc", "score"), require("pyarrow.parquet", "score")

_SUFFIXES = {".parquet", ".pq", ".arrow", ".feather", ".ipc"}
# So much is read at once, or a run's rows if they are more: what a batch costs in Python is small beside it.
_READ_BYTES = 4 << 20
# Outputs are gathered up to so many bytes, and then are a row group.
_ROW_GROUP_BYTES = 64 << 20


class File:
    """A file of a source. `identity` is another where the file has changed."""
    part = ""
    schema: Any
    rows: int
    pieces: int

    def __init__(self, path: Path):
        self.path = path
        self.identity = [path.name, path.stat().st_size, path.stat().st_mtime_ns]

    def read(self, number: int, columns: list[str], rows: int) -> Iterator[Any]:
        """The record batches of a piece: of a multiple of `rows`, but for the last."""
        raise NotImplementedError


@dataclass(frozen=True)
class Piece:
    """The part `number` of a file."""
    file: File
    number: int

    def __str__(self) -> str:
        return f"{self.file.path}, {self.file.part} {self.number}"


class ParquetFile(File):
    part = "row group"

    def __init__(self, path: Path):
        super().__init__(path)
        with parquet.ParquetFile(path) as file:
            self._metadata, self.schema = file.metadata, file.schema_arrow
        self.rows = self._metadata.num_rows
        self.pieces = self._metadata.num_row_groups

    def read(self, number: int, columns: list[str], rows: int) -> Iterator[Any]:
        with parquet.ParquetFile(self.path, metadata=self._metadata, pre_buffer=False, buffer_size=1 << 20) as file:
            group = self._metadata.row_group(number)
            yield from file.iter_batches(_step(rows, group.num_rows, group.total_byte_size), [number], columns)


class ArrowFile(File):
    """Arrow's file format, which Feather is too."""
    part = "record batch"

    def __init__(self, path: Path):
        super().__init__(path)
        with pa.memory_map(os.fspath(path)) as memory, ipc.open_file(memory) as file:
            self.schema, self.pieces = file.schema, file.num_record_batches
        self.rows = int(require("pyarrow.dataset", "score").dataset(path, format="ipc").count_rows())

    def read(self, number: int, columns: list[str], rows: int) -> Iterator[Any]:
        options = ipc.IpcReadOptions(included_fields=[self.schema.get_field_index(name) for name in columns])
        with pa.memory_map(os.fspath(self.path)) as memory, ipc.open_file(memory, options=options) as file:
            batch = file.get_batch(number)
            step = _step(rows, batch.num_rows, batch.nbytes)
            for start in range(0, batch.num_rows, step):
                yield batch.slice(start, step)


def _step(rows: int, count: int, size: int) -> int:
    """Rows to read at once, a multiple of `rows`, of a piece of `count` rows and `size` bytes."""
    return max(1, _READ_BYTES * count // (max(size, 1) * rows)) * rows


_FORMATS = {b"PAR1": ParquetFile, b"ARRO": ArrowFile}


def open_source(source: Any) -> list[File]:
    """The files of a source, in order: a path, a folder, or several of them."""
    paths = [source] if isinstance(source, (str, os.PathLike)) else list(source)
    for one in paths:
        if "://" in os.fspath(one):
            raise Error(f"{one}: only files of this machine are read; Ray Data reads others (cameo_onnx.ray)", "UNSUPPORTED")
    files = [_open(path) for one in paths for path in _list_files(Path(one))]
    if not files:
        raise Error(f"{source} has no files of {', '.join(sorted(_SUFFIXES))}", "IO")
    for file in files:
        if not file.schema.equals(files[0].schema):
            columns = ", ".join(f"{field.name}: {field.type}" for field in file.schema)
            raise Error(f"{file.path} has other columns than {files[0].path}: {columns}", "MALFORMED")
    return files


def _list_files(path: Path) -> list[Path]:
    """In a folder, the tables by name; `_` and `.` begin names of what is none."""
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.rglob("*") if file.suffix in _SUFFIXES and file.is_file()
                  and not any(part.startswith(("_", ".")) for part in file.relative_to(path).parts))


def _open(path: Path) -> File:
    with placed(str(path)):
        with open(path, "rb") as file:
            magic = file.read(4)
        if magic not in _FORMATS:
            raise Error("no file of Parquet's, and none of Arrow's (a stream is not one)", "MALFORMED")
        return _FORMATS[magic](path)


@contextlib.contextmanager
def placed(place: str) -> Iterator[None]:
    """What goes wrong inside, as an error of the package that begins with the place."""
    try:
        yield
    except Error as error:
        raise Error(f"{place}: {error.message}", error.code, error.node, error.tensor) from None
    except OSError as error:
        raise Error(f"{place}: {error.strerror or error}", "IO") from error
    except pa.ArrowException as error:
        raise Error(f"{place}: {error}", "MALFORMED") from error


def write_parquet(path: Path, schema: Any, batches: Iterable[Any]) -> None:
    """A file that is there whole or not at all, whenever the process ends."""
    hidden = path.with_name(f".{path.name}.part")
    with open(hidden, "wb") as file:
        with parquet.ParquetWriter(file, schema) as writer:
            gathered: list[Any] = []
            for batch in batches:
                gathered.append(batch)
                if sum(one.nbytes for one in gathered) >= _ROW_GROUP_BYTES:
                    _flush(writer, gathered)
            _flush(writer, gathered)
        file.flush()
        os.fsync(file.fileno())
    os.replace(hidden, path)


def _flush(writer: Any, batches: list[Any]) -> None:
    if batches:
        writer.write_table(pa.Table.from_batches(batches).combine_chunks())
    batches.clear()


def count_rows(path: Path) -> int:
    with placed(str(path)):
        return int(parquet.read_metadata(path).num_rows)
