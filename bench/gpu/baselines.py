# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What others take on the same device, where PyTorch is there: products by cuBLAS, convolutions by cuDNN, an encoder of
BERT-base's size as it is, compiled, and tuned. Each at a named precision, of random numbers, the median by events."""
import importlib.util

REPEATS = 50
# Rows, columns, depth: of BERT-base at 128 tokens, and of one token of a decoder of 1e9 weights.
PRODUCTS = [(128, 768, 768), (128, 2304, 768), (128, 3072, 768), (128, 768, 3072), (1, 2048, 2048), (1, 8192, 2048), (1, 2048, 8192)]
# Channels in and out, width, taps of one side, stride: of ResNet-50, one image.
CONVOLUTIONS = [(3, 64, 224, 7, 2), (64, 64, 56, 3, 1), (256, 64, 56, 1, 1), (128, 128, 28, 3, 1), (256, 256, 14, 3, 1),
                (1024, 256, 14, 1, 1), (512, 512, 7, 3, 1), (512, 2048, 7, 1, 1)]


def missing():
    """Why nothing can be measured; empty where it can."""
    if not importlib.util.find_spec("torch"):
        return "no PyTorch"
    import torch
    return "" if torch.cuda.is_available() else "PyTorch finds no device"


def precisions(torch):
    """Element type, and whether products of floats are rounded to tf32 first."""
    return {"fp32": (torch.float32, False), "tf32": (torch.float32, True), "fp16": (torch.float16, False), "bf16": (torch.bfloat16, False)}


def time_us(torch, work):
    for _ in range(3):
        work()
    times = []
    for _ in range(REPEATS):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        times.append(1e3 * begin.elapsed_time(end))
    return sorted(times)[REPEATS // 2]


def measure():
    """(name, fields) of each, as they are known."""
    import torch
    torch.manual_seed(0)
    yield "versions", {"torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version()}
    for name, (dtype, is_rounded) in precisions(torch).items():
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = is_rounded

        def draw(*shape, dtype=dtype):
            return torch.randn(*shape, device="cuda", dtype=dtype)

        with torch.inference_mode():
            for m, n, k in PRODUCTS:
                a, b = draw(m, k), draw(k, n)
                yield f"product {m} x {n} x {k}", {"precision": name, "us": time_us(torch, lambda a=a, b=b: a @ b)}
            for channels, outputs, width, taps, stride in CONVOLUTIONS:
                x, w = draw(1, channels, width, width), draw(outputs, channels, taps, taps)
                us = time_us(torch, lambda x=x, w=w, s=stride, p=taps // 2: torch.nn.functional.conv2d(x, w, stride=s, padding=p))
                yield f"convolution {channels} to {outputs}, {width}, {taps} x {taps} by {stride}", {"precision": name, "us": us}
            layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, activation="gelu", batch_first=True)
            encoder = torch.nn.TransformerEncoder(layer, 12, enable_nested_tensor=False).to("cuda", dtype).eval()
            x = draw(1, 128, 768)
            for mode in ("eager", "reduce-overhead", "max-autotune"):
                work = encoder if mode == "eager" else torch.compile(encoder, mode=mode)
                yield f"encoder of 12 layers, 128 tokens, {mode}", {"precision": name, "us": time_us(torch, lambda work=work: work(x))}
