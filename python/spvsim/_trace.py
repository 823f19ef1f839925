"""Perfetto traces as dictionaries: the fields of its public format that spvsim writes."""

import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Dict, Iterator, List, Tuple, Union


@dataclass
class Track:
    """A row of a trace, under its parent."""

    name: str
    parent: int
    counter: bool


@dataclass
class Event:
    """A slice (with a duration), an instant or a value of a counter, in cycles of the machine."""

    kind: str
    track: int
    begin: int
    duration: int = 0
    name: str = ""
    categories: List[str] = field(default_factory=list)
    arguments: Dict[str, Any] = field(default_factory=dict)
    value: float = 0.0


@dataclass
class Trace:
    """A trace: tracks by their id, and events in the order of their beginning."""

    tracks: Dict[int, Track]
    events: List[Event]

    def path(self, track: int) -> str:
        """The names of a track and of those above it."""
        names: List[str] = []
        while track in self.tracks:
            names.append(self.tracks[track].name)
            track = self.tracks[track].parent
        return "/".join(reversed([n for n in names if n]))

    def rows(self) -> List[Dict[str, Any]]:
        """The events as dictionaries."""
        return [{"kind": e.kind, "track": self.path(e.track), "begin": e.begin, "duration": e.duration, "name": e.name, "value": e.value, **e.arguments} for e in self.events]


def _fields(data: bytes) -> Iterator[Tuple[int, Any]]:
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            if at >= len(data):
                raise ValueError("the trace ends within a number")
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    while at < len(data):
        key = varint()
        wire = key & 7
        if wire == 0:
            yield key >> 3, varint()
            continue
        size = {1: 8, 5: 4}.get(wire) or (varint() if wire == 2 else 0)
        if wire not in (1, 2, 5) or at + size > len(data):
            raise ValueError(f"byte {at}: found no field of a Perfetto trace")
        yield key >> 3, data[at : at + size]
        at += size


def _message(data: bytes) -> Dict[int, List[Any]]:
    out: Dict[int, List[Any]] = {}
    for number, value in _fields(data):
        out.setdefault(number, []).append(value)
    return out


def _number(value: Any) -> int:
    return value if isinstance(value, int) else int.from_bytes(value, "little")


def read_trace(path: Union[str, Path]) -> Trace:
    """The trace that ``spvsim run --trace`` wrote."""
    trace, names = Trace({}, []), {}
    open_slices: Dict[int, List[Event]] = {}
    points: List[Tuple[int, int, Dict[int, List[Any]], Dict[int, Dict[int, str]]]] = []
    for number, data in _fields(Path(path).read_bytes()):
        if number != 1:
            continue
        packet = _message(data)
        known = names.setdefault(packet.get(10, [0])[-1], {1: {}, 2: {}, 3: {}})
        for table in packet.get(12, []):
            for kind, entries in _message(table).items():
                for entry in entries:
                    item = _message(entry)
                    known.setdefault(kind, {})[item[1][-1]] = item[2][-1].decode("utf-8")
        for described in packet.get(60, []):
            track = _message(described)
            name = track[2][-1].decode("utf-8") if 2 in track else ""
            if 3 in track:
                process = _message(track[3][-1])
                name = process[6][-1].decode("utf-8") if 6 in process else name
            trace.tracks[_number(track[1][-1])] = Track(name, _number(track.get(5, [0])[-1]), 8 in track)
        for event in packet.get(11, []):
            points.append((_number(packet.get(8, [0])[-1]), len(points), _message(event), known))
    for begin, _, event, known in sorted(points, key=lambda p: p[:2]):
        kind, track = event[9][-1], _number(event[11][-1])
        if kind == 2:
            if open_slices.get(track):
                ended = open_slices[track].pop()
                ended.duration = begin - ended.begin
            continue
        out = Event({1: "slice", 3: "instant", 4: "counter"}[kind], track, begin)
        if 10 in event:
            out.name = known[2][event[10][-1]]
        out.categories = [known[1][n] for n in event.get(3, [])]
        for note in map(_message, event.get(4, [])):
            out.arguments[known[3][note[1][-1]]] = note[6][-1].decode("utf-8") if 6 in note else note.get(3, [0])[-1]
        if 44 in event:
            out.value = struct.unpack("<d", event[44][-1])[0]
        elif 30 in event:
            out.value = float(event[30][-1])
        if kind == 1:
            open_slices.setdefault(track, []).append(out)
        trace.events.append(out)
    return trace
