"""Results of runs and sweeps."""

import csv
import html
import json
import tempfile
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from ._command import Value, command, pairs, text_of
from ._trace import Trace, read_trace

PathLike = Union[str, Path]
Row = Dict[str, Union[int, float, str, None]]


def _json(path: PathLike) -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def read_statistics(path: PathLike) -> Dict[str, Any]:
    """The statistics that ``spvsim run --stats`` wrote."""
    return _json(path)


def read_profile(path: PathLike) -> Dict[str, Any]:
    """The profile that ``spvsim run --profile`` wrote."""
    return _json(path)


def read_listing(path: PathLike) -> List[Dict[str, Any]]:
    """The programs that ``spvsim run --listing FILE.json`` wrote."""
    return _json(path)["programs"]


def schema(kind: str) -> Dict[str, Any]:
    """The JSON Schema of a kind of file: job, machine, statistics, profile, rows and others."""
    return json.loads(command("schema", kind))


def _cell(name: str, text: str) -> Union[int, float, str, None]:
    if text == "":
        return None
    if name in ("inputs", "version", "error", "status"):
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


class Rows(Sequence[Row]):
    """Rows of a sweep: a list of dictionaries. ``columns`` has the notes on the columns where a Parquet file gave them."""

    def __init__(self, rows: List[Row], columns: Optional[List[Dict[str, str]]] = None) -> None:
        self._rows = rows
        self.columns = columns or [{"name": name} for name in (rows[0] if rows else {})]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, at):  # type: ignore[no-untyped-def, override]
        return Rows(self._rows[at], self.columns) if isinstance(at, slice) else self._rows[at]

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def column(self, name: str) -> List[Any]:
        """The values of a column."""
        return [row[name] for row in self._rows]

    def where(self, **values: Any) -> "Rows":
        """The rows that have these values."""
        return Rows([row for row in self._rows if all(row[name] == value for name, value in values.items())], self.columns)

    def to_pandas(self) -> Any:
        """A pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self._rows, columns=[c["name"] for c in self.columns]).convert_dtypes()

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        import polars

        return polars.DataFrame(self._rows, infer_schema_length=None)

    def write(self, path: PathLike) -> None:
        """Write the rows as CSV."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            out = csv.writer(file, lineterminator="\n")
            names = [c["name"] for c in self.columns]
            out.writerow(names)
            out.writerows(["" if row[n] is None else row[n] for n in names] for row in self._rows)

    def _repr_html_(self) -> str:
        names = [c["name"] for c in self.columns]
        head = "".join(f"<th>{html.escape(n)}</th>" for n in names)
        body = "".join("<tr>" + "".join(f"<td>{'' if r[n] is None else html.escape(str(r[n]))}</td>" for n in names) + "</tr>" for r in self._rows[:50])
        more = f"<p>and {len(self) - 50} rows more</p>" if len(self) > 50 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def read_rows(path: PathLike) -> Rows:
    """Rows of a sweep, from CSV or, with pyarrow, from Parquet."""
    if str(path).endswith(".parquet"):
        try:
            from pyarrow import parquet
        except ImportError as missing:
            raise ImportError(f"{path}: want pyarrow to read Parquet, or the CSV beside it") from missing
        table = parquet.read_table(path)
        notes = (table.schema.metadata or {}).get(b"spvsim.columns")
        return Rows(table.to_pylist(), json.loads(notes) if notes else None)
    with open(path, newline="", encoding="utf-8") as file:
        names, *lines = list(csv.reader(file))
    # A column with a text has texts only.
    cells = [[_cell(name, line[i]) for line in lines] for i, name in enumerate(names)]
    for i, column in enumerate(cells):
        if any(isinstance(value, str) for value in column):
            cells[i] = [line[i] or None for line in lines]
        elif any(isinstance(value, float) for value in column):
            cells[i] = [None if value is None else float(value) for value in column]
    return Rows([dict(zip(names, row)) for row in zip(*cells)], [{"name": n} for n in names])


class Figure:
    """A figure in all formats that the command wrote; a notebook shows it."""

    def __init__(self, base: PathLike) -> None:
        self._files = {p.suffix[1:]: p.read_bytes() for p in sorted(Path(base).parent.glob(Path(base).name + ".*")) if p.suffix in (".png", ".svg", ".pdf", ".eps")}
        self.name = Path(base).name

    @property
    def formats(self) -> List[str]:
        return sorted(self._files)

    def bytes(self, format: str) -> bytes:
        """The figure in a format, as the command wrote it."""
        return self._files[format]

    def save(self, path: PathLike) -> None:
        """Write the figure in the format that the file's name ends in."""
        Path(path).write_bytes(self._files[Path(path).suffix[1:]])

    def _repr_png_(self) -> Optional[bytes]:
        return self._files.get("png")


class Report:
    """A report as one HTML page; a notebook shows it in a frame."""

    def __init__(self, page: str) -> None:
        self.html = page

    def save(self, path: PathLike) -> None:
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="700"></iframe>'


class Run:
    """What a run wrote."""

    def __init__(self, folder: Path, summary: str) -> None:
        self.summary = summary
        self.statistics = read_statistics(folder / "statistics.json")
        self.profile = read_profile(folder / "profile.json")
        self.listing = read_listing(folder / "listing.json")
        self.trace: Optional[Trace] = read_trace(folder / "trace.pftrace") if (folder / "trace.pftrace").exists() else None

    @property
    def stopped(self) -> Optional[str]:
        """Why the run was stopped before its end; None: it was not."""
        return self.statistics.get("stopped")

    def report(self) -> Report:
        """The report of the run."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "profile.json")
            file.write_text(json.dumps(self.profile), encoding="utf-8")
            return Report(command("report", str(file), "--out", "-"))

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary)}</pre>"


def run(job: PathLike, *, machine: Optional[PathLike] = None, set: Optional[Mapping[str, Value]] = None, parameters: Optional[Mapping[str, Value]] = None,
        trace: bool = False, max_cycles: int = 0, arguments: Sequence[str] = ()) -> Run:
    """Run a job, by its file or name, and read what it wrote. A run that is stopped at max_cycles returns its results so far."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        line = ["run", str(job), *pairs("--param", parameters or {}), *pairs("--set", set or {})]
        line += ["--machine", str(machine)] if machine else []
        line += ["--max-cycles", text_of(max_cycles)] if max_cycles else []
        line += ["--trace", str(folder / "trace.pftrace")] if trace else []
        line += ["--stats", str(folder / "statistics.json"), "--profile", str(folder / "profile.json"), "--listing", str(folder / "listing.json")]
        summary = command(*line, *arguments, accept=(0, 1) if max_cycles else (0,))
        return Run(folder, summary)


class Sweep:
    """Rows and figures of a sweep."""

    def __init__(self, folder: Path) -> None:
        table = next(iter(sorted(folder.glob("*.csv"))))
        parquet = table.with_suffix(".parquet")
        try:
            self.rows = read_rows(parquet if parquet.exists() else table)
        except ImportError:
            self.rows = read_rows(table)
        self.figures = [Figure(p.with_suffix("")) for p in sorted(folder.glob("*.svg"))]

    def _repr_html_(self) -> str:
        return "".join(f.bytes("svg").decode("utf-8") for f in self.figures) or self.rows._repr_html_()


def sweep(experiment: PathLike, *, small: bool = False, output: Optional[PathLike] = None, set: Optional[Mapping[str, Value]] = None,
          axes: Optional[Mapping[str, Sequence[Value]]] = None, arguments: Sequence[str] = ()) -> Sweep:
    """Run an experiment, by its file or name, or a job over axes. With output, a sweep that was stopped goes on there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(output) if output else Path(name)
        line = ["sweep", str(experiment), "-o", str(folder), "-q", *pairs("--set", set or {})]
        line += [word for axis, values in (axes or {}).items() for word in ("--axis", f"{axis}={','.join(map(text_of, values))}")]
        command(*line, *(["--small"] if small else []), *arguments)
        return Sweep(folder)


def plot(rows: Union[Rows, PathLike], figure: Union[PathLike, Mapping[str, Any]], *, style: Optional[str] = None) -> Figure:
    """Draw rows by a figure: a file, or the same keys as a dictionary."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if isinstance(rows, Rows):
            rows.write(folder / "rows.csv")
            rows = folder / "rows.csv"
        if isinstance(figure, Mapping):
            text = json.dumps(figure)  # which is YAML
            figure = folder / "figure.yaml"
            figure.write_text(text, encoding="utf-8")
        drawn = folder / "drawn"
        drawn.mkdir()
        command("plot", str(rows), str(figure), "-o", str(drawn), *(["--style", style] if style else []))
        return Figure(drawn / Path(figure).stem)
