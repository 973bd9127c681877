"""gcdc inside llama.cpp: run_llama_cpp.py MODEL_FOLDER WORK_FOLDER

libllama is built from the sdist of llama-cpp-python (C++ compiler, CMake, Ninja; some minutes), without its tools. The tiny
model becomes a GGUF by llama.cpp's own converter. In C: lib/bindings/llama/example.c, linked with build/release's runtime. In
Python: llama-cpp-python over the same libllama, with gcdc.llama_cpp.
"""
import os
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import cases
import gcdc

VERSION = "0.3.36"
MODEL, WORK = Path(sys.argv[1]), Path(sys.argv[2])
SOURCE, BUILD = WORK / f"llama_cpp_python-{VERSION}", WORK / "libllama"
LLAMA = SOURCE / "vendor/llama.cpp"
REPORT = cases.Report("llama.cpp", f"of llama-cpp-python {VERSION}")


def call(*command, **options):
    return subprocess.run([str(c) for c in command], check=True, **options)


def prepare():
    """The sources, libllama, the model as GGUF."""
    if not SOURCE.exists():
        call(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "llama-cpp-python", "--dest", WORK,
             f"llama-cpp-python=={VERSION}")
        with tarfile.open(WORK / f"{SOURCE.name}.tar.gz") as archive:
            archive.extractall(WORK, filter="data")
    if not (BUILD / "bin/libllama.so").exists():
        off = [f"-D{name}=OFF" for name in ("GGML_NATIVE", "GGML_OPENMP", "GGML_LLAMAFILE", "LLAMA_BUILD_COMMON", "LLAMA_BUILD_TESTS",
                                            "LLAMA_BUILD_TOOLS", "LLAMA_BUILD_EXAMPLES", "LLAMA_BUILD_SERVER", "LLAMA_BUILD_APP")]
        call("cmake", "-S", LLAMA, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=None", "-DCMAKE_C_FLAGS=-O2 -DNDEBUG",
             "-DCMAKE_CXX_FLAGS=-O1 -DNDEBUG", "-DBUILD_SHARED_LIBS=ON", *off, stdout=subprocess.DEVNULL)
        call("nice", "ninja", "-C", BUILD, "--quiet", "llama")
    gguf = WORK / "tiny.gguf"
    if not gguf.exists():
        call(sys.executable, LLAMA / "convert_hf_to_gguf.py", MODEL, "--outfile", gguf, "--outtype", "f32",
             env=os.environ | {"PYTHONPATH": str(LLAMA / "gguf-py")}, stderr=subprocess.DEVNULL)
    return gguf


def in_c(gguf, artifact):
    """The example program: its judge is a second matcher, ours is jsonschema."""
    bindings, runtime = cases.TOP / "lib/bindings/llama", cases.TOP / "build/release/libgcdc_runtime.a"
    call("cc", "-std=gnu11", "-O1", "-o", WORK / "example", bindings / "example.c", bindings / "gcdc_llama_sampler.c",
         f"-I{cases.TOP}/lib/include", f"-I{LLAMA}/include", f"-I{LLAMA}/ggml/include", f"-L{BUILD}/bin", "-lllama", "-lggml",
         "-lggml-base", runtime, "-lzstd", "-lm", f"-Wl,-rpath,{BUILD}/bin")
    for texts, limit in ((8, 24), (200, 60)):
        begin = time.perf_counter()
        done = subprocess.run([WORK / "example", gguf, artifact, str(texts), str(limit)], stdout=subprocess.PIPE, check=False,
                              env=os.environ | {"LD_LIBRARY_PATH": f"{BUILD}/bin"})
        good = sum(map(cases.is_tool_call, done.stdout.decode().splitlines()))  # the grammar ignores blanks, not newlines
        REPORT.case(f"C sampler, {texts} texts, {limit} tokens", good == texts and done.returncode == 0,
                    f"{good} of {texts}, {time.perf_counter() - begin:.1f} s")


def in_python(gguf, artifact):
    sys.path.insert(0, str(SOURCE))
    os.environ["LLAMA_CPP_LIB_PATH"] = str(BUILD / "bin")
    import llama_cpp

    import gcdc.llama_cpp
    llama = llama_cpp.Llama(str(gguf), n_ctx=256, n_threads=1, seed=3, verbose=False)

    def texts(n, limit, budget=True, **options):
        out = []
        for i in range(n):
            processor = gcdc.llama_cpp.LogitsProcessor(artifact, max_tokens=limit if budget else None)
            processor.check(llama)
            done = llama.create_completion("Call a tool: ", max_tokens=limit, seed=i, temperature=1.0, top_k=0, top_p=1.0, min_p=0.0,
                                           logits_processor=llama_cpp.LogitsProcessorList([processor]), **options)
            out.append((done["choices"][0]["text"], done["choices"][0]["finish_reason"]))
        return out
    for n, limit in ((8, 24), (24, 60)):
        got = texts(n, limit)
        good = sum(cases.is_tool_call(t) and why == "stop" for t, why in got)
        REPORT.case(f"llama-cpp-python, {n} texts, {limit} tokens", good == n, f"{good} of {n} whole and ended by EOS")
    good = sum(cases.is_tool_call(t) for t, _ in texts(8, 40, budget=False))
    REPORT.case("the same without a budget", good < 8, f"{good} of 8 whole")


def main():
    WORK.mkdir(parents=True, exist_ok=True)
    gguf = prepare()
    vocab = gcdc.Vocab(cases.TOKENIZER, eos=[cases.EOS], vocab_size=128256)
    data = gcdc.compile_bytes(vocab, cases.TOOL_CALL, kind="lark")[0]
    (WORK / "tool.gcdc").write_bytes(data)
    in_c(gguf, WORK / "tool.gcdc")
    in_python(gguf, gcdc.Artifact.from_bytes(data))
    REPORT.end()


main()
