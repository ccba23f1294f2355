# SPDX-License-Identifier: Apache-2.0
# Makes tiny wheels with the names of LibTorch's and of some of CUDA's, and the lists with their sums, into the folder in
# argv[1].
import base64, hashlib, pathlib, sys, zipfile

LIBTORCH = {
    "torch-2.11.0-cp311-cp311-manylinux_2_28_x86_64": ("torch==2.11.0", "torch/lib/libtorch_cpu.so"),
    "nvidia_cuda_runtime-13.0.96-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64": (
        "nvidia-cuda-runtime==13.0.96", "nvidia/cu13/lib/libcudart.so.13"),
    "nvidia_cuda_cupti-13.0.85-py3-none-manylinux_2_25_x86_64": (
        "nvidia-cuda-cupti==13.0.85", "nvidia/cu13/lib/libcupti.so.13"),
}
COMPILER = {
    "nvidia_cuda_nvcc-13.0.88-py3-none-manylinux2014_x86_64.manylinux_2_17_x86_64": (
        "nvidia-cuda-nvcc==13.0.88", "nvidia/cu13/bin/nvcc"),
    "nvidia_nvvm-13.0.88-py3-none-manylinux2010_x86_64.manylinux_2_12_x86_64": (
        "nvidia-nvvm==13.0.88", "nvidia/cu13/nvvm/bin/cicc"),
}
LIBRARIES = {
    "nvidia_cublas-13.1.0.3-py3-none-manylinux_2_27_x86_64": (
        "nvidia-cublas==13.1.0.3", "nvidia/cu13/lib/libcublasLt.so.13"),
    "nvidia_nccl_cu13-2.28.9-py3-none-manylinux_2_18_x86_64": (
        "nvidia-nccl-cu13==2.28.9", "nvidia/nccl/lib/libnccl.so.2"),
}

folder = pathlib.Path(sys.argv[1])


def make(stem, requirement, content):
    """Writes the wheel; returns its line of a requirements list."""
    name, version = requirement.split("==")
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    files = {
        content: b"invented",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: octet\nRoot-Is-Purelib: false\nTag: "
                         + "-".join(stem.split("-")[2:]).encode() + b"\n",
    }
    record = ""
    for path, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    wheel = folder / f"{stem}.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return f"{requirement} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


for name, wheels in {"libtorch": LIBTORCH, "cuda-compiler": COMPILER, "cuda-libraries": LIBRARIES}.items():
    (folder / f"{name}.txt").write_text("".join(make(stem, *rest) for stem, rest in wheels.items()))
