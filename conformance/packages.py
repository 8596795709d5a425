"""The packages: where their CUDA sources are and how those are compiled.

A row a package. Paths are relative to the unpacked archive and may hold wildcards. It must run
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

CUBLAS = "nvidia-cublas"
CURAND = "nvidia-curand"
CUSPARSE = "nvidia-cusparse"
CUSOLVER = "nvidia-cusolver"
CCCL = "nvidia-cuda-cccl"
TORCH = "torch"
NVRTC = ("nvidia-cuda-nvrtc<13.1", "cuda-bindings<14")  # it writes PTX 9.0
PLAIN = ("-arch=sm_80", "-std=c++17", "--expt-relaxed-constexpr", "--extended-lambda")
AS_TORCH = (
    "-D__CUDA_NO_HALF_OPERATORS__",
    "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-DTORCH_EXTENSION_NAME=extension",
)


@dataclass(frozen=True, slots=True)
class Package:
    """One package.

    name: as the index has it. source: whether to take the source archive rather than the wheel.
    files: the CUDA sources. leave: names among them that are left out. include: folders of the
    package for the compiler. headers: other packages whose headers the sources include. flags: more
    options. probes: our own sources that only instantiate the package's templates. binaries: files
    that hold PTX themselves. generator: a module of ours that asks the package's own compiler for
    PTX. needs: what that module needs installed. tests: what the package's own tests need; the PTX
    they load is checked too.
    """

    name: str
    source: bool = False
    files: tuple[str, ...] = ()
    leave: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    probes: tuple[str, ...] = ()
    binaries: tuple[str, ...] = ()
    generator: str = ""
    needs: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()


# Where the headers of a package that others need are, in its archive.
HEADERS = {
    CUBLAS: ("nvidia/cu13/include",),
    CURAND: ("nvidia/cu13/include",),
    CUSPARSE: ("nvidia/cu13/include",),
    CUSOLVER: ("nvidia/cu13/include",),
    CCCL: ("nvidia/cu13/include/cccl",),
    TORCH: ("torch/include", "torch/include/torch/csrc/api/include"),
}

PACKAGES = (
    Package(
        CCCL,
        include=("nvidia/cu13/include/cccl",),
        probes=("cub_block", "cub_device", "cub_device2", "thrust", "libcu"),
    ),
    Package(
        "llama-cpp-python",
        source=True,
        files=("*/vendor/llama.cpp/ggml/src/ggml-cuda/*.cu",),
        # Hours of compile time each; their kernels are instantiations of one template.
        leave=("fattn", "fattn-tile", "mmq", "mmf", "ggml-cuda"),
        include=("*/vendor/llama.cpp/ggml/include", "*/vendor/llama.cpp/ggml/src"),
        headers=(CUBLAS,),
    ),
    Package(
        "lightgbm",
        source=True,
        files=("*/src/*/cuda/*.cu", "*/src/cuda/*.cu"),
        include=(
            "*/include",
            "*/external_libs/eigen",
            "*/external_libs/fmt/include",
            "*/external_libs/fast_double_parser/include",
        ),
        flags=("-DUSE_CUDA",),
    ),
    Package("warp-lang", generator="warp_modules", needs=("warp-lang",)),
    Package("numba-cuda", tests=("numba-cuda[cu13]", "pytest", "psutil", "cffi", "filecheck")),
    Package("liger-kernel", generator="triton_kernels", needs=("triton",)),
    Package("fla-core", generator="triton_kernels", needs=("triton",)),
    Package("flag-gems", generator="triton_kernels", needs=("triton", "pyyaml")),
    Package("conch-triton-kernels", generator="triton_kernels", needs=("triton",)),
    Package("cupy-cuda13x", generator="cupy_kernels", needs=NVRTC),
    Package("bitsandbytes", binaries=("bitsandbytes/libbitsandbytes_cuda130.so",)),
    Package("pycuda", source=True, generator="source_strings", needs=NVRTC),
    Package("kernel-tuner", source=True, files=("*/test/*.cu",), flags=("-Dblock_size_x=128",)),
    Package("horovod", source=True, files=("*/horovod/common/ops/cuda/*.cu",), include=("*",)),
    Package(
        "deepspeed",
        source=True,
        files=(
            "*/csrc/quantization/*.cu",
            "*/csrc/random_ltd/*.cu",
            "*/csrc/transformer/*.cu",
            "*/csrc/transformer/inference/csrc/*.cu",
            "*/csrc/fp_quantizer/*.cu",
            "*/csrc/spatial/csrc/*.cu",
            "*/deepspeed/inference/v2/kernels/*/*/*.cu",
        ),
        leave=("cublas_wrappers", "linear_kernels_cuda", "moe_gemm", "mixed_gemm"),
        include=(
            "*/csrc/includes",
            "*/csrc/transformer/inference/includes",
            "*/csrc/spatial/includes",
            "*/deepspeed/inference/v2/kernels/includes",
            "*/deepspeed/inference/v2/kernels/*/*",
        ),
        headers=(CUBLAS, CURAND, TORCH, CUSPARSE, CUSOLVER),
        flags=("-DBF16_AVAILABLE",),
    ),
    Package(
        "flashinfer-python",
        probes=("flashinfer",),
        include=("flashinfer/data/include",),
        headers=(CURAND, CUBLAS),
    ),
    Package(
        "torchsort",
        source=True,
        files=("*/torchsort/*.cu",),
        headers=(TORCH, CUBLAS, CUSPARSE, CUSOLVER),
        flags=AS_TORCH,
    ),
    Package(
        "gsplat",
        source=True,
        files=("*/gsplat/cuda/csrc/*.cu",),
        include=("*/gsplat/cuda/include", "*/gsplat/cuda/csrc/third_party/glm"),
        headers=(TORCH, CUBLAS, CUSPARSE, CUSOLVER),
        flags=AS_TORCH,
    ),
    Package(
        "nerfacc",
        source=True,
        files=("*/nerfacc/cuda/csrc/*.cu",),
        include=("*/nerfacc/cuda/csrc/include",),
        headers=(TORCH, CUBLAS, CUSPARSE, CUSOLVER),
        flags=AS_TORCH,
    ),
    Package(
        "causal-conv1d",
        source=True,
        files=("*/csrc/*.cu",),
        include=("*/csrc",),
        headers=(TORCH, CUBLAS, CUSPARSE, CUSOLVER),
    ),
    Package(
        "mamba-ssm",
        source=True,
        files=(
            "*/csrc/selective_scan/selective_scan_fwd_fp32.cu",
            "*/csrc/selective_scan/selective_scan_bwd_fp32_real.cu",
        ),
        include=("*/csrc/selective_scan",),
        headers=(TORCH, CUBLAS, CUSPARSE, CUSOLVER),
    ),
)
