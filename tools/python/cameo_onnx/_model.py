# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models and sessions."""
import concurrent.futures
import hashlib
import os
import tempfile
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import _core, _program
from ._errors import Error


@dataclass(frozen=True)
class Port:
    """An input or output. `dims` are numbers, text ("batch", "2*n + 1") where a run decides, None where only the run knows;
    `dims` itself is None where the rank is not known either. `keys`: of the columns of an output that is a tensor in place of
    a list of dicts."""
    name: str
    dtype: str
    dims: tuple[int | str | None, ...] | None
    kind: str
    optional: bool
    keys: tuple[int | str, ...] | None = None


@dataclass(frozen=True)
class Memory:
    """What a run needs, in bytes; `late_symbols` extents become known in the run, and the arenas reach up to the first."""
    host_arena: int
    device_arena: int
    weights: int
    alignment: int
    peak_bytes: int
    peak_tensor: str | None
    late_symbols: int


# What `cameo build` takes and `cameo explain` does not.
_BUILD_ONLY = {"cxxflags", "max_program_seconds", "max_program_bytes", "output"}


def _flags(flags: dict[str, Any]) -> list[str]:
    """Flags of the command line: dim={"n": 4}, precision="strict", strided_outputs=True; a list repeats one, None is none."""
    words = []
    for name, value in flags.items():
        flag = "--" + name.replace("_", "-")
        if value is None:
            continue
        if isinstance(value, bool):
            words.append(flag if value else flag + "=false")
        elif isinstance(value, dict):
            words += [f"{flag}={key}={one}" for key, one in value.items()]
        elif isinstance(value, (list, tuple)):
            words += [f"{flag}={one}" for one in value]
        else:
            words.append(f"{flag}={value}")
    return words


class Session(_core.Session):
    """Runs a model; belongs to one thread at a time, and waits for nobody: a second call at once raises Error BUSY.

    A child of fork() may go on with its parent's sessions of a CPU, which run on the calling thread alone there, and has
    threads in those that it makes itself.
    """

    model: "Model"

    def __init__(self, model: "Model", threads: int, executor: concurrent.futures.Executor | None = None):
        super().__init__(model._library, threads, executor)
        self.model = model
        self._worker: concurrent.futures.Executor | None = None
        _sessions.add(self)

    def run_async(self, feeds: dict[str, Any], out: dict[str, Any] | None = None) -> "concurrent.futures.Future[dict[str, Any]]":
        """A concurrent.futures.Future of what run() returns; calls run one behind the other, on a thread of the session.
        asyncio.wrap_future makes it one to await. The arrays stay as they are until then."""
        if self._worker is None:
            self._worker = concurrent.futures.ThreadPoolExecutor(1, "cameo_onnx")
        return self._worker.submit(self.run, feeds, out)


_sessions: "weakref.WeakSet[Session]" = weakref.WeakSet()


def _drop_workers() -> None:
    for session in _sessions:
        session._worker = None


os.register_at_fork(after_in_child=_drop_workers)


class Model:
    """A compiled model: the shared library of its C API, loaded."""

    path: str | None
    name: str
    target: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    def __init__(self, path: str | os.PathLike[str], name: str = "", source: str | bytes | None = None,
                 flags: Iterable[str] = ()):
        self.path = os.fspath(path)
        self._name, self._source, self._flags = name, source, tuple(flags)
        self._library = _core.Library(os.path.abspath(self.path), name)
        self.name, self.target = self._library.name, self._library.target
        self.inputs = tuple(Port(*port) for port in self._library.inputs())
        self.outputs = tuple(Port(*port) for port in self._library.outputs())

    def session(self, threads: int = 0, executor: concurrent.futures.Executor | None = None) -> Session:
        """`threads`: 0 is as many as the process may use, 1 the calling thread alone. `executor`: a concurrent.futures one
        whose threads do the work, in `threads` pieces, so that sessions may share a pool."""
        return Session(self, threads, executor)

    def memory(self, shapes: Mapping[str, Iterable[int]] | None = None) -> Memory:
        """What a run on inputs of these shapes needs; {name: shape}."""
        return Memory(**self._library.memory({name: tuple(shape) for name, shape in (shapes or {}).items()}))

    @property
    def plan(self) -> dict[str, Any]:
        """The report of `cameo explain`: where each value lives, and why."""
        if self._source is None:
            raise Error("a library alone has no plan: compile() its model, or `cameo explain`", "UNSUPPORTED")
        if isinstance(self._source, bytes):
            return _program.report(["explain", "-", *self._flags], self._source)
        return _program.report(["explain", self._source, *self._flags])

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the library."""
        return hashlib.sha256(self._read()).hexdigest()

    def __repr__(self) -> str:
        ports = (", ".join(f"{p.name}: {p.dtype}{list(p.dims) if p.dims is not None else ''}" for p in side)
                 for side in (self.inputs, self.outputs))
        return "<cameo_onnx.Model {}: {} -> {}>".format(self.name, *ports)

    def __reduce__(self) -> tuple[Any, ...]:
        """The library itself, so that whoever unpickles needs neither compiler nor cache; built for a machine like this one."""
        return _restore, (self._read(), self._name, self._source, self._flags)

    def _read(self) -> bytes:
        try:
            return Path(self.path or "").read_bytes()
        except OSError as error:
            raise Error(f"{self.path} cannot be read any more ({error.strerror}): compile the model again, "
                        "with output= for a library that no cache removes", "IO") from None


def _restore(image: bytes, name: str, source: str | bytes | None, flags: Iterable[str]) -> Model:
    # dlopen takes files; the mapping outlives the name.
    with tempfile.NamedTemporaryFile(prefix="cameo_onnx-", suffix=".so") as file:
        file.write(image)
        file.flush()
        return _Unpickled(file.name, image, name, source, flags)


class _Unpickled(Model):
    """A model whose library has no file any more."""

    def __init__(self, path: str, image: bytes, name: str, source: str | bytes | None, flags: Iterable[str]):
        super().__init__(path, name, source, flags)
        self.path, self._image = None, image

    def _read(self) -> bytes:
        return self._image


def compile(model: Any, **flags: Any) -> Model:
    """Compiles a model (a path, bytes, or an onnx.ModelProto) and builds it for this machine, or takes it from the cache of
    `cameo`. Flags are those of `cameo build`: dim={"n": 4}, precision="strict", cxxflags="-march=x86-64-v3"."""
    words = _flags(flags)
    explain = _flags({name: value for name, value in flags.items() if name not in _BUILD_ONLY})
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if isinstance(model, (bytes, bytearray, memoryview)):
        source = bytes(model)
        return Model(_program.report(["build", "-", *words], source)["library"], source=source, flags=explain)
    path = _program.report(["build", os.fspath(model), *words])["library"]
    return Model(path, source=os.path.abspath(model), flags=explain)


def load(path: str | os.PathLike[str], name: str = "") -> Model:
    """Loads a library that `cameo build` has made. `name`: of the model, for one that was linked otherwise and exports
    NAME_describe."""
    return Model(path, name)
