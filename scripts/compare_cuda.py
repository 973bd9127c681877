#!/usr/bin/env python3
"""gcdc's apply kernel beside XGrammar's CUDA and Triton kernels, on the same buffers (scripts/measure_cuda runs it).

  compare_cuda.py --library libgcdc_cuda.so [--short]

PyTorch owns the buffers, which together are more than twice the cache; each kernel runs over all of them inside one CUDA
graph (where it cannot be captured, between two events, marked "launched"), and its figure is the least of 20 runs, in
microseconds. floor: a copy of half as many bytes as must move. Results are compared, too.
"""
import argparse
import ctypes
import sys


class Masks(ctypes.Structure):
    """gcdc_cuda_masks"""
    _fields_ = [("n_rows", ctypes.c_uint32), ("on", ctypes.c_void_p), ("bits", ctypes.c_void_p), ("words", ctypes.c_uint32),
                ("words_stride", ctypes.c_int64), ("table", ctypes.c_void_p), ("rows", ctypes.c_void_p), ("spill", ctypes.c_void_p),
                ("spill_words", ctypes.c_size_t), ("batch", ctypes.c_void_p), ("tokens", ctypes.c_void_p),
                ("keep_failed", ctypes.c_bool)]


class Logits(ctypes.Structure):
    """gcdc_cuda_logits"""
    _fields_ = [("at", ctypes.c_void_p), ("type", ctypes.c_int), ("width", ctypes.c_uint32), ("stride", ctypes.c_int64),
                ("rows", ctypes.c_void_p)]


def time_runs(torch, launch, n):
    """Microseconds of one of n launches, and how they were run."""
    how = "captured"
    launch(0)
    torch.cuda.synchronize()
    try:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for k in range(n):
                launch(k)
        run = graph.replay
    except Exception:  # a kernel that waits or allocates cannot be captured
        torch.cuda.synchronize()
        how = "launched"

        def run():
            for k in range(n):
                launch(k)
    best = float("inf")
    for _ in range(20):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        best = min(best, begin.elapsed_time(end) * 1000 / n)
    return best, how


def bytes_that_move(torch, allowed, size):
    """Mask read; of 32-byte pieces of logits: all allowed 0, none 32, else 64."""
    per = 32 // size
    rows, width = allowed.shape
    pieces = torch.nn.functional.pad(allowed, (0, -width % per), value=True).view(rows, -1, per)
    every, none = pieces.all(2), ~pieces.any(2)
    return rows * ((width + 31) // 32) * 4 + int((~every).sum()) * 64 - int(none.sum()) * 32


def kernels(torch, library):
    """Name -> apply(logits, bits)."""
    def gcdc(logits, bits):
        masks = Masks(n_rows=logits.shape[0], bits=bits.data_ptr(), words=bits.shape[1], words_stride=bits.stride(0))
        rows = Logits(at=logits.data_ptr(), type={torch.float32: 0, torch.float16: 1, torch.bfloat16: 2}[logits.dtype],
                      width=logits.shape[1], stride=logits.stride(0))
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        if library.gcdc_cuda_apply(ctypes.byref(masks), ctypes.byref(rows), stream):
            raise RuntimeError(library.gcdc_cuda_error().decode())
    found = {"gcdc": gcdc}
    for name in ("cuda", "triton"):
        try:
            module = __import__(f"xgrammar.kernels.apply_token_bitmask_inplace_{name}", fromlist=["x"])
            found[f"xgrammar {name}"] = getattr(module, f"apply_token_bitmask_inplace_{name}")
        except Exception as why:  # not installed, or not built for this machine
            print(f"no xgrammar {name}: {str(why).splitlines()[0] if str(why) else type(why).__name__}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True)
    parser.add_argument("--short", action="store_true")
    options = parser.parse_args()
    try:
        import torch
    except ImportError:
        print("no PyTorch here: left out")
        return 0
    if not torch.cuda.is_available():
        print("PyTorch sees no GPU: left out")
        return 0
    library = ctypes.CDLL(options.library)
    library.gcdc_cuda_error.restype = ctypes.c_char_p
    width, words = 128256, 4008
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    apply = kernels(torch, library)
    wrong = 0
    for n in (64,) if options.short else (64, 4096):
        for dtype in (torch.float32, torch.bfloat16):
            size = torch.finfo(dtype).bits // 8
            k = max(2, 2 * cache // (n * width * size) + 2)
            source = torch.randn(n, width, device="cuda").to(dtype)
            logits = [source.clone() for _ in range(k)]
            for masked in (1, 64000, 127000):
                allowed = torch.ones(n, width, dtype=torch.bool, device="cuda")
                for row in range(n):
                    allowed[row, torch.randperm(width, device="cuda")[:masked]] = False
                weights = 1 << torch.arange(32, device="cuda", dtype=torch.int64)
                bits = [(allowed.view(n, words, 32).long() * weights).sum(2).to(torch.int32)]
                bits += [bits[0].clone() for _ in range(k - 1)]
                expected = source.masked_fill(~allowed, float("-inf"))
                moved = bytes_that_move(torch, allowed, size)
                room = torch.empty(max(moved, 2 * cache) * 2, dtype=torch.uint8, device="cuda")
                half = moved // 2
                copies = max(1, room.numel() // 2 // max(half, 1))
                to = room.numel() // 2

                def copy(i):
                    at = i % copies * half
                    room[to + at:to + at + half].copy_(room[at:at + half])
                floor, _ = time_runs(torch, copy, min(16, copies))
                line = f"{n:5d} rows  {str(dtype)[6:]:8s}  {masked:6d} masked  floor {floor:8.2f}"
                for name, call in apply.items():
                    for x in logits:
                        x.copy_(source)
                    try:
                        us, how = time_runs(torch, lambda i: call(logits[i], bits[i]), k)
                        same = all(torch.equal(x, expected) for x in logits[:2])
                        wrong += name == "gcdc" and not same
                        line += f"  {name} {us:8.2f} (x {us / floor:.2f}{'' if how == 'captured' else ', ' + how}{'' if same else ', WRONG'})"
                    except Exception as why:
                        line += f"  {name}: {str(why).splitlines()[0]}"
                print(line, flush=True)
                del allowed, bits, expected, room
            del source, logits
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
