# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables through a model on the machines of a Ray cluster, as actors of Ray Data."""
from collections.abc import Mapping, Sequence
from typing import Any

from ._columns import pa
from ._extras import require
from ._scorer import BatchScorer, as_model

__all__ = ["Scorer", "score"]


class Scorer(BatchScorer):
    """The class that `Dataset.map_batches(Scorer, batch_format="pyarrow", fn_constructor_kwargs=...)` makes actors of.

    `model`: a Model, which travels as it was built, a reference of ray.put() to one, or what `compile` takes, which each actor
    then compiles for its own machine. The other arguments are those of `cameo_onnx.score`.
    """

    def __init__(self, model: Any, columns: Mapping[str, str | Sequence[str]] | None = None, batch: int = 256,
                 keep: Sequence[str] = (), outputs: Sequence[str] | None = None, constants: Mapping[str, Any] | None = None,
                 threads: int = 1):
        ray = require("ray", "ray")
        model = ray.get(model) if isinstance(model, ray.ObjectRef) else model
        super().__init__(model, columns, batch, keep, outputs, constants, threads)

    def __call__(self, batch: Any) -> Any:
        return pa.Table.from_batches([super().__call__(batch)])


def score(dataset: Any, model: Any, columns: Mapping[str, str | Sequence[str]] | None = None, batch: int = 256, *,
          keep: Sequence[str] = (), outputs: Sequence[str] | None = None, constants: Mapping[str, Any] | None = None,
          actors: int | tuple[int, int] | None = None, num_cpus: float | None = None, num_gpus: float = 0) -> Any:
    """The Dataset of what the model makes of the rows of `dataset`; as others it is computed when it is asked for.

    A Model travels as it was built, and what `compile` takes is compiled here, for machines like this one; the other
    arguments are those of `cameo_onnx.score`. `actors`: how many, or (least, most); one a core or GPU that the cluster has
    now. An actor takes `num_cpus` processors out of Ray's account, by default so few that half are left to those that
    read and write, and has as many threads as it takes whole ones, at least one.
    """
    ray, data = require("ray", "ray"), require("ray.data", "ray")
    if not ray.is_initialized():
        ray.init()
    # Ray Data leaves the processors to the GPU's actors, unless it is told.
    share = _share_of_a_cpu(ray.nodes()) if num_cpus is None and not num_gpus else num_cpus
    if actors is None:
        resources = ray.cluster_resources()
        whole = resources.get("GPU", 0) / num_gpus if num_gpus else resources.get("CPU", 1) / max(1, share or 0)
        actors = max(1, int(whole))
    least, most = actors if isinstance(actors, tuple) else (actors, actors)
    arguments = {"model": ray.put(as_model(model)), "columns": columns, "batch": batch, "keep": keep, "outputs": outputs,
                 "constants": constants, "threads": max(1, int(share or 0))}
    # Scorer cuts what it is given into runs: whole blocks, but for GPUs Ray wants a number of rows.
    rows = 16 * batch if num_gpus else None
    return dataset.map_batches(Scorer, batch_size=rows, batch_format="pyarrow", num_cpus=share, num_gpus=num_gpus or None,
                               compute=data.ActorPoolStrategy(min_size=least, max_size=most), fn_constructor_kwargs=arguments)


def _share_of_a_cpu(nodes: list[dict[str, Any]]) -> float:
    """What an actor asks Ray for. A task that reads asks for a whole processor: with an actor a core, half of each lets one
    start on any machine of two, and on those of one actors may take nothing."""
    most = max((node["Resources"].get("CPU", 0) for node in nodes if node["Alive"]), default=0)
    return 0.5 if most >= 2 else 0
