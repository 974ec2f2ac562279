"""Build backend (PEP 517): a wheel of the commands, man pages and completions that `make install` installs, and of the module gt_utils.

The environment variable GT_STAGE names the folder that was the prefix of `make install`; without it, the sources are built here.  Files in
its folder "licenses" go with the wheel's licences.  The libraries are the machine's: auditwheel copies them in (scripts/package-wheel).
"""
import base64
import hashlib
import os
import pathlib
import subprocess
import sysconfig
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parent.parent

# Runs the command that lies in the package, where auditwheel can tell it the place of its libraries.  Python ignores two signals.
LAUNCHER = """#!python
import importlib.util, os, signal, sys
for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(ignored, signal.SIG_DFL)
package = importlib.util.find_spec("gt_utils").submodule_search_locations[0]
os.execv(os.path.join(package, "bin", "{name}"), sys.argv)
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    base = project["name"].replace("-", "_") + "-" + project["version"]
    tag = "py3-none-" + sysconfig.get_platform().replace("-", "_").replace(".", "_")
    with tempfile.TemporaryDirectory() as scratch:
        stage = pathlib.Path(os.environ.get("GT_STAGE") or build(scratch))
        name = f"{base}-{tag}.whl"
        with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
            write_wheel(Members(wheel), project, base, tag, stage)
    return name


def build(scratch):
    """The prefix of an installation in the folder SCRATCH."""
    prefix = os.path.join(scratch, "prefix")
    jobs = f"-j{os.cpu_count()}"
    for command in ([TOP / "configure", "--prefix=" + prefix, "--without-mpi", "--without-cuda", "--without-pictures"],
                    ["make", jobs], ["make", "install-strip"]):
        subprocess.run(command, cwd=scratch, check=True)
    return prefix


class Members:
    """Files of a wheel, and the record of them."""

    def __init__(self, wheel):
        self.wheel, self.record = wheel, []

    def write(self, name, data, mode=0o644):
        data = data.encode() if isinstance(data, str) else data
        info = zipfile.ZipInfo(name)  # of 1980: the same files make the same wheel
        info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16
        self.wheel.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}\n")


def write_wheel(members, project, base, tag, stage):
    info = base + ".dist-info"
    for path in files(HERE / "gt_utils", "*.py"):
        members.write(f"gt_utils/{path.name}", path.read_bytes())
    for path in files(stage / "bin", "gt-*"):
        members.write(f"gt_utils/bin/{path.name}", path.read_bytes(), 0o755)
        members.write(f"{base}.data/scripts/{path.name}", LAUNCHER.format(name=path.name), 0o755)
    for path in files(stage / "share"):
        members.write(f"{base}.data/data/{path.relative_to(stage)}", path.read_bytes())
    licences = [("COPYING", TOP / "COPYING")] + [(path.name, path) for path in files(stage / "licenses")]
    for name, path in licences:
        members.write(f"{info}/licenses/{name}", path.read_bytes())
    members.write(f"{info}/METADATA", metadata(project, [name for name, _ in licences]))
    members.write(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: gt-utils\nRoot-Is-Purelib: false\nTag: {tag}\n")
    members.wheel.writestr(f"{info}/RECORD", "".join(members.record) + f"{info}/RECORD,,\n")


def files(folder, pattern="*"):
    return sorted(path for path in folder.rglob(pattern) if path.is_file())


def metadata(project, licences):
    lines = ["Metadata-Version: 2.4", "Name: " + project["name"], "Version: " + project["version"], "Summary: " + project["description"],
             "License-Expression: " + project["license"], "Keywords: " + ",".join(project["keywords"]),
             "Requires-Python: " + project["requires-python"], "Description-Content-Type: text/markdown"]
    lines += ["License-File: " + name for name in licences]
    lines += ["Classifier: " + name for name in project["classifiers"]]
    lines += ["Requires-Dist: " + name for name in project["dependencies"]]
    return "\n".join(lines) + "\n\n" + (HERE / project["readme"]).read_text()
