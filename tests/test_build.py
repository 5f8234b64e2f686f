"""The build keeps its promises: the stub is true, the plain paths work, nothing is tied to one processor."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from venire import _core

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, cwd: Path, **environment: str) -> str:
    """The standard output of a command that must succeed; its errors are shown when it does not."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{command} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout


def test_the_stub_equals_the_module(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    run(sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "venire._core", "-o", fresh, cwd=tmp_path)
    committed = ROOT / "src/venire/_core.pyi"
    assert committed.read_text() == fresh.read_text(), "run `make stub` and commit the result"


@pytest.mark.parametrize(("wish", "allowed"), [("baseline", {"baseline"}), ("avx2", {"baseline", "avx2"})])
def test_wide_paths_can_be_switched_off(wish: str, allowed: set[str], tmp_path: Path) -> None:
    level = run(
        sys.executable,
        "-c",
        "from venire import _core; print(_core.simd_level())",
        cwd=tmp_path,
        VENIRE_SIMD=wish,
    )
    assert level.strip() in allowed


def test_the_level_is_a_known_one() -> None:
    assert _core.simd_level() in {"baseline", "avx2", "avx512"}


def test_lint_looks_at_the_core_too() -> None:
    commands = run("make", "--dry-run", "--always-make", "lint", cwd=ROOT)
    for tool in (
        "ruff check",
        "ruff format --check",
        "lint-imports",
        "clang-format --dry-run -Werror",
        "scripts/tidy.py",
    ):
        assert tool in commands


def test_the_development_build_takes_warnings_as_errors() -> None:
    recipe = " ".join(re.sub(r"#.*", "", (ROOT / "CMakeLists.txt").read_text()).split())
    assert "-Wall -Wextra" in recipe
    assert re.search(r"if\(VENIRE_WERROR\) target_compile_options\(_core PRIVATE -Werror", recipe)
    assert "cmake.define.VENIRE_WERROR=ON" in (ROOT / "scripts/make_environment.sh").read_text()


def test_the_build_asks_for_no_processor() -> None:
    # Wide vectors are compiled function by function and chosen at run time; a flag for all of it would make
    # a wheel that dies on an older processor, or one that cannot be built for ARM.
    recipe = (ROOT / "CMakeLists.txt").read_text()
    instructions = re.sub(r"#.*", "", recipe)
    assert not re.findall(r"-march|-mcpu|-mtune|-mavx\w*|-msse\w*|-mfma|-ffast-math|/arch:", instructions)


def test_intrinsics_are_guarded() -> None:
    for source in sorted((ROOT / "core").rglob("*.[ch]pp")):
        text = source.read_text()
        # The bodies with intrinsics include nothing themselves, so including one of them counts as well.
        included = re.search(r"^#include (<immintrin\.h>|\"base/vectors_avx\w+\.hpp\")", text, re.MULTILINE)
        if included:
            before = text[: included.start()]
            # `wide.hpp` sets its mark for x86-64 alone.
            guarded = "__x86_64__" in before or re.search(r"#if(def)? VENIRE_HAS_AVX2", before)
            assert guarded, f"{source.name} includes x86 intrinsics for every processor"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from this tree, with the build tools of this environment (so without the network)."""
    folder = tmp_path_factory.mktemp("wheel")
    run(
        *(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--no-index", "--wheel-dir", folder, ROOT),
        # As `make install` builds it: what has been compiled once is not compiled again.
        "--config-settings=cmake.define.VENIRE_WERROR=ON",
        cwd=folder,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"venire"}
    # Everything under version control in src/ is there: modules, data tables, templates, the typing marker.
    tracked = run("git", "ls-files", "src", cwd=ROOT).split() if (ROOT / ".git").exists() else []
    assert {name.removeprefix("src/") for name in tracked} <= names
    assert any(re.fullmatch(r"venire/_core\..*(so|pyd)", name) for name in names)


def test_the_wheel_runs_in_an_environment_of_its_own(wheel: Path, tmp_path: Path) -> None:
    # Dependencies are lent by this environment through a path file, in which its editable venire has no say;
    # `make wheel` and CI install them from the registry instead.
    home = tmp_path / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", home, cwd=tmp_path)
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = (sys.executable, "-m", "pip", "--python", python)
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", wheel, cwd=tmp_path)
    where = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path)
    (Path(where.strip()) / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")

    found = run(python, "-c", "import venire; print(venire.__file__)", cwd=tmp_path)
    assert Path(found.strip()).is_relative_to(home)
    level = run(python, "-c", "from venire import _core; print(_core.simd_level())", cwd=tmp_path)
    assert level.strip() == _core.simd_level()
    version = run(python.with_name("venire"), "--version", cwd=tmp_path)
    assert version.strip() == f"venire {wheel.name.split('-')[1]}"
