"""Reads the numbers of a plot back from its SVG: frames, axes and their ticks, points, bars, cells."""
import re
import xml.etree.ElementTree as ET

import numpy as np

SVG = "{http://www.w3.org/2000/svg}"


class Plot:
    def __init__(self, name):
        self.root = ET.parse(name).getroot()
        self.frames = [r for r in self.root.iter(SVG + "rect") if r.get("fill") == "none"]

    def frame(self, k):
        r = self.frames[k]
        return tuple(float(r.get(a)) for a in ("x", "y", "width", "height"))

    def axis(self, k, side):
        """Ticks of the axis of frame k ("x", "y"): places and numbers; and the function from places to numbers."""
        x, y, w, h = self.frame(k)
        children = list(self.root.iter())
        places, numbers = [], []
        for at, e in enumerate(children):
            if e.tag != SVG + "line":
                continue
            x1, y1, x2, y2 = (float(e.get(a)) for a in ("x1", "y1", "x2", "y2"))
            if side == "x" and x1 == x2 and abs(y1 - y - h) < 0.01 and y2 > y1 and x - 0.01 <= x1 <= x + w + 0.01:
                places.append(x1)
            elif side == "y" and y1 == y2 and abs(x1 - x) < 0.01 and x2 < x1 and y - 0.01 <= y1 <= y + h + 0.01:
                places.append(y1)
            else:
                continue
            numbers.append(float(children[at + 1].text))
        slope, zero = np.polyfit(places, numbers, 1)
        assert len(places) > 1 and np.allclose(slope * np.array(places) + zero, numbers, atol=0.01 * abs(slope) + 1e-6 * max(map(abs, numbers)))
        return numbers, lambda p: slope * np.asarray(p) + zero, abs(slope)

    def label(self, k, side):
        """The text below, or left of, frame k."""
        x, y, w, h = self.frame(k)
        for t in self.root.iter(SVG + "text"):
            turned = re.match(r"translate\(([\d.-]+) ([\d.-]+)\)", t.get("transform") or "")
            if side == "x" and not turned and float(t.get("y")) == y + h + 32 and abs(float(t.get("x")) - x - w / 2) < 0.01:
                return t.text
            if side == "y" and turned and abs(float(turned[2]) - y - h / 2) < 0.01 and x - 100 < float(turned[1]) < x:
                return t.text
        return None

    def points(self, k):
        """title -> (x, y) in numbers of the axes, and how far one pixel reaches."""
        x, y, w, h = self.frame(k)
        _, to_x, x_pixel = self.axis(k, "x")
        _, to_y, y_pixel = self.axis(k, "y")
        found = {}
        for p in self.root.iter(SVG + "path"):
            title = p.find(SVG + "title")
            at = re.match(r"M([\d.]+) ([\d.]+)", p.get("d"))
            if title is not None and x <= float(at[1]) <= x + w and y <= float(at[2]) <= y + h:
                assert title.text not in found
                found[title.text] = (float(to_x(float(at[1]))), float(to_y(float(at[2]))))
        return found, (x_pixel, y_pixel)

    def bars(self, k):
        """(left, right, height, title) of each bar in frame k, in numbers of the axes; they stand on its bottom."""
        x, y, w, h = self.frame(k)
        _, to_x, _ = self.axis(k, "x")
        _, to_y, _ = self.axis(k, "y")
        found = []
        for r in self.root.iter(SVG + "rect"):
            if r.get("fill") in ("none", "white") or not r.get("x"):
                continue
            rx, ry, rw, rh = (float(r.get(a)) for a in ("x", "y", "width", "height"))
            if x <= rx <= x + w and y - 0.01 <= ry <= y + h + 0.01:
                assert abs(ry + rh - y - h) < 0.05, "a bar hangs in the air"
                title = r.find(SVG + "title")
                found.append((float(to_x(rx)), float(to_x(rx + rw)), float(to_y(ry)), None if title is None else title.text))
        return found

    def cells(self):
        """{(column, row): shade of 64}, and the numbers of the first and last shade, of a heat map."""
        bar = [r for r in self.root.iter(SVG + "rect") if r.get("width") == "14"]
        shades = [r.get("fill") for r in bar]
        top = float(bar[0].get("y"))
        height = max(float(r.get("height")) for r in bar)
        found = {}
        for p in self.root.iter(SVG + "path"):
            if p.get("stroke") in shades:
                for cx, cy, n in re.findall(r"M(\d+) (\d+)h(\d+)", p.get("d")):
                    for c in range(int(cx), int(cx) + int(n)):
                        found[c, int(cy)] = shades.index(p.get("stroke"))
        side = float(bar[0].get("x")) + 14
        ticks, children = [], list(self.root.iter())
        for at, e in enumerate(children):
            if e.tag == SVG + "line" and float(e.get("x1")) == side and float(e.get("x2")) == side + 4:
                ticks.append((float(e.get("y1")), float(children[at + 1].text)))
        slope, zero = np.polyfit(*zip(*ticks), 1)
        return found, slope * (top + height) + zero, slope * top + zero

    def texts_inside(self):
        """Every text that is not turned starts and, by a generous estimate of its width, ends inside of the picture."""
        width, height = float(self.root.get("width")), float(self.root.get("height"))
        for t in self.root.iter(SVG + "text"):
            if t.get("transform"):
                continue
            size, x, y = float(t.get("font-size") or 11), float(t.get("x")), float(t.get("y"))
            long = 0.58 * size * len(t.text)
            start = {None: x, "middle": x - long / 2, "end": x - long}[t.get("text-anchor")]
            assert 0 <= start and start + long <= width and 0 <= y <= height, (t.text, start, long, width)
