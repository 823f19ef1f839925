"""Builds the wheel of this folder with the standard library alone (PEP 517)."""

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
NAME = "spvsim"


def _field(name):
    return re.search(rf'^{name} = "(.*)"$', (HERE / "pyproject.toml").read_text(), re.M).group(1)


def _metadata():
    return (
        f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {_field('version')}\nSummary: {_field('description')}\n"
        f"License: MIT\nRequires-Python: {_field('requires-python')}\n"
        + "".join(f"Provides-Extra: frames\nRequires-Dist: {p}; extra == 'frames'\n" for p in ("pandas", "polars", "pyarrow"))
    )


def _wheel(folder, files):
    info = f"{NAME}-{_field('version')}.dist-info"
    files = dict(files)
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: spvsim\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
    out = f"{NAME}-{_field('version')}-py3-none-any.whl"
    with zipfile.ZipFile(Path(folder) / out, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data in files.items():
            wheel.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data)
    return out


def _sources():
    return {f"{NAME}/{p.name}": p.read_bytes() for p in sorted((HERE / NAME).iterdir()) if p.is_file()}


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _wheel(wheel_directory, _sources())


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _wheel(wheel_directory, {f"{NAME}.pth": f"{HERE.resolve()}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    base = f"{NAME}-{_field('version')}"
    with tarfile.open(Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as out:
        for name, data in {**_sources(), "pyproject.toml": (HERE / "pyproject.toml").read_bytes(), "build.py": (HERE / "build.py").read_bytes(), "PKG-INFO": _metadata().encode()}.items():
            entry = tarfile.TarInfo(f"{base}/{name}")
            entry.size = len(data)
            out.addfile(entry, io.BytesIO(data))
    return f"{base}.tar.gz"
