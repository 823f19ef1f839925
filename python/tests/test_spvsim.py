"""Tests of the package with the standard library alone. SPVSIM names the command."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HERE))

import spvsim  # noqa: E402


def has(module: str) -> bool:
    try:
        __import__(module)
        return True
    except ImportError:
        return False


class InFolder(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)


class Runs(InFolder):
    def test_results_are_those_of_the_command(self) -> None:
        run = spvsim.run("reduce", parameters={"groups": 8}, set={"lds.banks": 16}, trace=True)
        spvsim.command("run", "reduce", "--param", "groups=8", "--set", "lds.banks=16", "-q", "--stats", "s.json", "--profile", "p.json", "--listing", "l.json")
        want = spvsim.read_statistics("s.json")
        for statistics in (run.statistics, want):
            del statistics["host"]
        self.assertEqual(run.statistics, want)
        self.assertEqual(run.listing, spvsim.read_listing("l.json"))
        self.assertEqual(run.profile["slot_cycles"], spvsim.read_profile("p.json")["slot_cycles"])
        self.assertIsNone(run.stopped)
        self.assertIn("8 workgroups", run._repr_html_())
        self.assertEqual(sum(i["issues"] for p in run.listing for i in p["instructions"]), want["instructions"]["total"])

    def test_trace_has_the_waves(self) -> None:
        run = spvsim.run("reduce", parameters={"groups": 8}, trace=True)
        rows = run.trace.rows()
        self.assertEqual(len(rows), len(run.trace.events))
        self.assertTrue(all(0 <= r["begin"] and r["begin"] + r["duration"] <= run.statistics["cycles"] for r in rows))
        waves = [r for r in rows if "workgroup" in r and "/workgroups" in r["track"]]
        self.assertEqual(len(waves), run.statistics["workgroups"])
        self.assertTrue(any(r["kind"] == "counter" for r in rows))
        self.assertTrue(all(e.track in run.trace.tracks for e in run.trace.events))

    def test_stopped_run_says_so_first(self) -> None:
        run = spvsim.run("reduce", max_cycles=3000)
        self.assertEqual(next(iter(run.statistics)), "stopped")
        self.assertIn("limit", run.stopped)

    def test_faults_are_those_of_the_command(self) -> None:
        with self.assertRaisesRegex(spvsim.SimulatorError, "redduce") as caught:
            spvsim.run("redduce")
        self.assertEqual(caught.exception.status, 2)

    def test_report_is_that_of_the_command(self) -> None:
        run = spvsim.run("reduce", parameters={"groups": 8})
        Path("p.json").write_text(json.dumps(run.profile))
        spvsim.command("report", "p.json", "--out", "r.html")
        self.assertEqual(run.report().html, Path("r.html").read_text(encoding="utf-8"))
        self.assertIn("srcdoc", run.report()._repr_html_())

    def test_schema(self) -> None:
        self.assertEqual(spvsim.schema("statistics")["$id"], "urn:spvsim:statistics:1")


class Rows(InFolder):
    def test_sweep_gives_the_files_of_the_command(self) -> None:
        sweep = spvsim.sweep("lds-stride", small=True, output="out")
        rows = spvsim.read_rows(next(Path("out").glob("*.csv")))
        self.assertEqual(list(sweep.rows), list(rows))
        self.assertTrue(all(row["status"] == "done" for row in rows))
        for figure in sweep.figures:
            self.assertEqual(figure._repr_png_(), Path("out", figure.name + ".png").read_bytes())
        self.assertIn("<svg", sweep._repr_html_())
        self.assertIn("<td>done</td>", rows._repr_html_())
        rows.write("again.csv")
        self.assertEqual(list(spvsim.read_rows("again.csv")), list(rows))

    def test_axes_of_a_job(self) -> None:
        rows = spvsim.sweep("reduce", axes={"lds.banks": [16, 32]}, set={"parameters.groups": 8}).rows
        self.assertEqual(rows.column("lds.banks"), [16, 32])

    def test_columns_keep_one_type(self) -> None:
        Path("r.csv").write_text('a,b,c,version\n1,1,x,1.0\n,2.5,2,2.0\n')
        rows = spvsim.read_rows("r.csv")
        self.assertEqual(list(rows), [{"a": 1, "b": 1.0, "c": "x", "version": "1.0"}, {"a": None, "b": 2.5, "c": "2", "version": "2.0"}])
        self.assertEqual(rows.where(c="2").column("b"), [2.5])

    def test_plot_is_that_of_the_command(self) -> None:
        Path("r.csv").write_text("x,y\n1,2\n2,3\n")
        Path("f.yaml").write_text("{kind: line, x: x, y: y}")
        Path("out").mkdir()
        spvsim.command("plot", "r.csv", "f.yaml", "-o", "out")
        ours = spvsim.plot(spvsim.read_rows("r.csv"), {"kind": "line", "x": "x", "y": "y"})
        for ending in ("png", "svg", "pdf"):
            self.assertEqual(ours.bytes(ending), Path("out", "f." + ending).read_bytes(), ending)

    @unittest.skipUnless(has("pandas"), "pandas is not installed")
    def test_pandas(self) -> None:
        frame = spvsim.Rows([{"a": 1, "b": None}, {"a": 2, "b": "x"}]).to_pandas()
        self.assertEqual(int(frame["a"].sum()), 3)

    @unittest.skipUnless(has("polars"), "polars is not installed")
    def test_polars(self) -> None:
        frame = spvsim.Rows([{"a": 1, "b": None}, {"a": 2, "b": "x"}]).to_polars()
        self.assertEqual(frame["a"].sum(), 3)

    @unittest.skipUnless(has("pyarrow"), "pyarrow is not installed")
    def test_parquet_has_the_rows_of_the_csv_and_notes(self) -> None:
        spvsim.sweep("lds-stride", small=True, output="out")
        table = next(Path("out").glob("*.parquet"))
        rows = spvsim.read_rows(table)
        self.assertEqual(list(rows), list(spvsim.read_rows(table.with_suffix(".csv"))))
        self.assertIn("role", rows.columns[0])


class Example(InFolder):
    def cells(self) -> list:
        text = (HERE / "examples" / "conflicts.py").read_text(encoding="utf-8")
        return re.split(r"^# %% ", text, flags=re.M)[1:]

    def test_notebook_is_the_script(self) -> None:
        notebook = json.loads((HERE / "examples" / "conflicts.ipynb").read_text(encoding="utf-8"))
        pairs = list(zip(*[iter(notebook["cells"])] * 2))
        self.assertEqual(len(pairs), len(self.cells()))
        for (words, code), cell in zip(pairs, self.cells()):
            title, body = cell.split("\n", 1)
            self.assertEqual("".join(words["source"]), title)
            self.assertEqual("".join(code["source"]).strip(), body.strip())

    def test_script_draws_what_the_command_draws(self) -> None:
        subprocess.run([sys.executable, str(HERE / "examples" / "conflicts.py")], check=True, stdout=subprocess.DEVNULL, env={**os.environ, "PYTHONPATH": str(HERE)})
        spvsim.command("sweep", "lds-stride", "--small", "-o", "plain", "-q")
        figures = sorted(Path("plain").glob("*.svg"))
        self.assertTrue(figures)
        for figure in figures:
            self.assertEqual(Path(figure.name).read_bytes(), figure.read_bytes())


class Install(InFolder):
    def test_wheel_installs_without_network(self) -> None:
        probe = subprocess.run([sys.executable, "-m", "pip", "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if probe.returncode != 0:
            self.skipTest("pip is not installed")
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--disable-pip-version-check", "--root-user-action=ignore", "--target", "site", str(HERE)], check=True)
        self.assertTrue(Path("site", "spvsim", "py.typed").exists())
        done = subprocess.run([sys.executable, "-c", "import spvsim; print(spvsim.version())"], check=True, stdout=subprocess.PIPE, encoding="utf-8", env={**os.environ, "PYTHONPATH": "site"})
        self.assertTrue(done.stdout.startswith(f"spvsim {spvsim.__version__}"), done.stdout)


if __name__ == "__main__":
    unittest.main()
