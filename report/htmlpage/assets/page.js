"use strict";
// Draws the charts of a report and lets the reader choose a variant and a theme. Numbers are
// printed as the tables print them.
(() => {
  const narrow = "\u202f";

  // group puts narrow spaces between groups of three digits.
  const group = (s) => {
    const [whole, rest] = s.split(".");
    const grouped = whole.replace(/\B(?=(\d{3})+$)/g, narrow);
    return rest === undefined ? grouped : grouped + "." + rest;
  };

  // form3 prints three significant digits: 0.0123, 4.43, 118, 1 230.
  const form3 = (x) => {
    if (x === null || x === undefined || !isFinite(x)) return "-";
    if (x === 0) return "0";
    const rounded = Number(x.toPrecision(3));
    if (Math.abs(x) < 0.0009995) {
      return Math.abs(rounded) < 1e-4 ? rounded.toExponential().replace(/e-(\d)$/, "e-0$1") : String(rounded);
    }
    const decimals = 2 - Math.floor(Math.log10(Math.abs(rounded)) + 1e-9);
    return group(rounded.toFixed(Math.max(decimals, 0)));
  };

  // percent prints a share, without the sign; what is neither 0 nor 1 is never printed as if it were.
  const percent = (share) => {
    if (share === null || share === undefined || !isFinite(share)) return "-";
    const p = share * 100;
    if (p > 0 && p < 0.01) return "<0.01";
    if (p >= 99.5 && p < 100) return (Math.floor(p * 100) / 100).toFixed(2);
    return form3(p);
  };

  // seconds prints a latency; below 0.1 s whole milliseconds are exact enough.
  const seconds = (s) => {
    if (s === null || s === undefined || !isFinite(s)) return "-";
    if (s > 0 && s < 0.001) return "<0.001";
    if (s > 0 && s < 0.09995) return (Math.round(s * 1000) / 1000).toFixed(3);
    return form3(s);
  };

  // clock prints an instant of the run: 14:32, or 1:14:32.
  const clock = (s) => {
    const n = Math.floor(s);
    const two = (v) => String(v).padStart(2, "0");
    const short = two(Math.floor(n / 60) % 60) + ":" + two(n % 60);
    return n >= 3600 ? Math.floor(n / 3600) + ":" + short : short;
  };

  const forms = { s: seconds, share: percent, "": form3 };
  const suffix = { s: narrow + "s", share: narrow + "%", "": "" };
  const dashes = [[], [9, 4], [2, 3], [10, 3, 2, 3], [5, 5], [14, 4]];
  const palette = 6;

  const make = (tag, attributes, ...children) => {
    const e = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
    e.append(...children);
    return e;
  };

  const colours = () => {
    // The canvas does not know the functions of the style sheet: an element works them out.
    const probe = document.body.appendChild(make("span", { hidden: "" }));
    const of = (name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    const lines = Array.from({ length: palette }, (_, i) => of("c" + i));
    const all = { lines, soft: of("soft"), grid: of("grid"), shade: of("shade"), edge: of("shade-edge") };
    probe.remove();
    return all;
  };

  // steps are 1 to 9 times the powers of ten within a range.
  const steps = (min, max) => {
    const out = [];
    for (let e = Math.floor(Math.log10(min)); e <= Math.ceil(Math.log10(max)); e++) {
      for (let k = 1; k < 10; k++) {
        const x = Number((k * 10 ** e).toPrecision(1));
        if (x >= min * 0.999 && x <= max * 1.001) out.push(x);
      }
    }
    return out;
  };

  // snug widens a logarithmic range to the next 1, 2 or 5.
  const snug = (min, max) => {
    const marks = steps(min / 10, max * 10).filter((x) => "125".includes(String(x.toExponential())[0]));
    const low = marks.filter((x) => x <= min).pop();
    const high = marks.find((x) => x >= max * 1.02);
    return low < high ? [low, high] : [low / 2, low * 2];
  };

  const yScale = (chart) => {
    if (chart.log) return { distr: 3, range: (_, min, max) => (min > 0 ? snug(min, max) : [0.1, 10]) };
    const least = chart.unit === "share" ? 1 : 0;
    return { range: (_, min, max) => [0, Math.max(least, max * 1.08) || 1] };
  };

  const xScale = (chart) => {
    if (chart.kind === "curve") return { time: false, distr: 3, range: (_, min, max) => [1, Math.max(10, max)] };
    return { time: false, range: () => [0, chart.end] };
  };

  // timeSplits are whole minutes, or what else there is room for.
  const timeSplits = (u, _, min, max) => {
    const room = Math.max(2, Math.floor(u.bbox.width / devicePixelRatio / 64));
    const nice = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1200, 1800, 3600, 7200, 14400, 21600, 43200, 86400];
    const step = nice.find((s) => (max - min) / s <= room) || Math.ceil((max - min) / room / 86400) * 86400;
    const out = [];
    for (let x = 0; x <= max; x += step) out.push(x);
    return out;
  };

  // depthName is the percentile of a depth: 100 is p99.
  const depthName = (x) => (x <= 1 ? "0" : String(Number((100 - 100 / x).toPrecision(Math.max(2, Math.ceil(Math.log10(x)) + 1)))));

  const axes = (chart, c) => {
    const font = "12px system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif";
    const base = { stroke: c.soft, font, grid: { stroke: c.grid, width: 1 }, ticks: { show: false } };
    const keep = (_, list) => list; // else uPlot drops marks of logarithmic axes
    const x = { ...base, size: 30, gap: 6, filter: keep };
    if (chart.kind === "curve") {
      x.splits = (u) => [1, 10, 100, 1000, 10000, 100000].filter((d) => d <= u.scales.x.max);
      x.values = (u, list) => {
        const tight = u.bbox.width / devicePixelRatio / list.length < 52;
        return list.map((d, i) => (tight && i % 2 ? "" : d <= 1 ? "0" : "p" + depthName(d)));
      };
    } else {
      x.splits = timeSplits;
      x.values = (_, list) => list.map(clock);
    }
    const form = (v) => forms[chart.unit](v).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
    const y = { ...base, gap: 6, size: 54, filter: keep };
    if (chart.log) {
      y.splits = (_u, _a, min, max) => steps(min, max);
      y.values = (u, list) => {
        const wide = Math.log10(u.scales.y.max / u.scales.y.min) > 2.2;
        const shown = (v) => (wide ? "1" : "125").includes(v.toExponential()[0]);
        return list.map((v) => (shown(v) ? form(v) : ""));
      };
    } else {
      y.values = (_, list) => list.map(form);
    }
    return [x, y];
  };

  // shade draws the spans of the faults behind the lines, and their letters above.
  const shade = (chart, c) => (u) => {
    const { ctx, bbox } = u;
    const px = devicePixelRatio;
    let lettered = -Infinity;
    ctx.save();
    ctx.font = `600 ${11 * px}px system-ui, sans-serif`;
    ctx.textAlign = "center";
    ctx.textBaseline = "bottom";
    for (const s of [...(chart.shades || [])].sort((a, b) => a.from - b.from)) {
      const from = u.valToPos(s.from, "x", true);
      const width = Math.max(3 * px, u.valToPos(s.to, "x", true) - from);
      ctx.fillStyle = c.shade;
      ctx.fillRect(from, bbox.top, width, bbox.height);
      ctx.fillStyle = c.edge;
      ctx.fillRect(from, bbox.top, px, bbox.height);
      ctx.fillRect(from + width - px, bbox.top, px, bbox.height);
      const middle = from + width / 2;
      if (middle - lettered > 8 * px) {
        ctx.fillStyle = c.soft;
        ctx.fillText(s.name, middle, bbox.top - 2 * px);
        lettered = middle;
      }
    }
    ctx.restore();
  };

  // ends marks with an arrow where a curve leaves the plot, as all beyond it failed.
  const ends = (chart, c) => (u) => {
    const { ctx } = u;
    const px = devicePixelRatio;
    chart.lines.forEach((line, i) => {
      if (!line.ends || !u.series[i + 1].show) return;
      const values = u.data[i + 1];
      let last = values.length - 1;
      while (last >= 0 && values[last] === null) last--;
      if (last < 0) return;
      const x = u.valToPos(u.data[0][last], "x", true);
      const y = u.valToPos(values[last], "y", true);
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = c.lines[line.colour % palette];
      ctx.lineWidth = 2 * px;
      ctx.setLineDash([]);
      ctx.beginPath();
      ctx.moveTo(x, y);
      ctx.lineTo(x, u.bbox.top + 9 * px);
      ctx.stroke();
      ctx.beginPath();
      ctx.moveTo(x, u.bbox.top);
      ctx.lineTo(x - 5 * px, u.bbox.top + 10 * px);
      ctx.lineTo(x + 5 * px, u.bbox.top + 10 * px);
      ctx.fill();
      ctx.restore();
    });
  };

  const sample = (line) => {
    const ns = "http://www.w3.org/2000/svg";
    const svg = document.createElementNS(ns, "svg");
    const path = document.createElementNS(ns, "line");
    svg.setAttribute("viewBox", "0 0 34 12");
    svg.setAttribute("aria-hidden", "true");
    const look = { x1: 0, x2: 34, y1: 6, y2: 6, stroke: `var(--c${line.colour % palette})`, "stroke-width": line.faint ? 2 : 3 };
    look["stroke-dasharray"] = (line.faint ? [4, 4] : dashes[line.dash % dashes.length]).join(" ");
    for (const [name, value] of Object.entries(look)) path.setAttribute(name, value);
    svg.append(path);
    return svg;
  };

  // Figure is one chart with its legend.
  class Figure {
    constructor(element, chart) {
      this.element = element;
      this.chart = chart;
      this.shown = chart.lines.map(() => true);
      this.plot = element.querySelector(".plot");
      this.reach = make("div", { class: "reach", tabindex: "0", role: "group" });
      this.reach.setAttribute("aria-label", element.querySelector("figcaption b").textContent + ": arrow keys read the values");
      this.plot.replaceWith(this.reach);
      this.reach.append(this.plot);
      this.said = make("p", { class: "hidden", "aria-live": "polite" });
      this.at = make("span", { class: "at" });
      this.values = chart.lines.map(() => make("span", { class: "value" }));
      this.legend = make("div", { class: "legend" }, ...chart.lines.map((line, i) => this.button(line, i)), this.at);
      this.reach.after(this.legend, this.said);
      this.reach.addEventListener("keydown", (e) => this.key(e));
      this.reach.addEventListener("blur", () => this.move(-1));
    }

    button(line, i) {
      const b = make("button", { type: "button", "aria-pressed": "true", title: line.note || line.name }, sample(line));
      b.append(make("span", { class: "name" }, line.name));
      if (line.ends) b.append(make("span", { class: "ends" }, "\u2191" + narrow + line.ends));
      b.append(this.values[i]);
      b.addEventListener("click", () => {
        this.shown[i] = !this.shown[i];
        b.setAttribute("aria-pressed", String(this.shown[i]));
        if (this.u) this.u.setSeries(i + 1, { show: this.shown[i] });
      });
      return b;
    }

    // draw draws anew, with the colours and the width of now.
    draw(width) {
      if (this.u) this.u.destroy();
      const { chart } = this;
      const c = colours();
      const few = chart.x.length <= 40;
      const positive = (values) => (chart.log ? values.map((v) => (v > 0 ? v : null)) : values);
      const key = chart.group + chart.kind;
      const curve = chart.kind === "curve";
      this.u = new uPlot(
        {
          width: width || this.width(),
          height: curve ? 320 : 190,
          padding: [chart.shades ? 18 : 12, 26, 0, 0],
          legend: { show: false },
          cursor: { sync: { key }, drag: { x: false, y: false }, y: false, points: { size: 7 } },
          scales: { x: xScale(chart), y: yScale(chart) },
          axes: axes(chart, c),
          series: [{}].concat(
            chart.lines.map((line, i) => ({
              label: line.name,
              show: this.shown[i],
              stroke: c.lines[line.colour % palette],
              width: line.faint ? 1.5 : 2,
              dash: line.faint ? [4, 4] : dashes[line.dash % dashes.length],
              points: { show: few && !curve, size: 5 },
            })),
          ),
          hooks: { drawClear: [shade(chart, c)], draw: [ends(chart, c)], setCursor: [(u) => this.tell(u.cursor.idx)] },
        },
        [chart.x, ...chart.lines.map((line) => positive(line.values))],
        this.plot,
      );
      this.tell(null);
    }

    width() {
      return Math.max(200, Math.floor(this.reach.clientWidth));
    }

    // tell writes the values at a position into the legend.
    tell(i) {
      const { chart } = this;
      const nothing = i === null || i === undefined;
      this.at.textContent = nothing ? "" : this.place(i);
      this.values.forEach((v, k) => {
        const x = nothing ? null : chart.lines[k].values[i];
        v.textContent = x === null || x === undefined ? "" : forms[chart.unit](x) + suffix[chart.unit];
      });
    }

    place(i) {
      const { chart } = this;
      if (chart.kind === "curve") return "p" + depthName(chart.x[i]);
      const from = chart.x[i] - chart.step / 2;
      return clock(from) + " to " + clock(Math.min(from + chart.step, chart.end));
    }

    key(e) {
      const last = this.chart.x.length - 1;
      const now = this.u ? this.u.cursor.idx : null;
      const at = now === null || now === undefined ? -1 : now;
      const to = { ArrowRight: Math.min(at + 1, last), ArrowLeft: Math.max(at - 1, 0), Home: 0, End: last, Escape: -1 }[e.key];
      if (to === undefined) return;
      e.preventDefault();
      this.move(to);
      const words = this.chart.lines.map((line, k) => (this.values[k].textContent ? line.name + " " + this.values[k].textContent : ""));
      this.said.textContent = to < 0 ? "" : this.place(to) + ": " + words.filter(Boolean).join(", ");
    }

    // move puts the cursor on a value, and away with -1; the charts beside follow.
    move(i) {
      if (!this.u) return;
      const { u } = this;
      if (i < 0) u.setCursor({ left: -10, top: -10 }, true, true);
      else u.setCursor({ left: u.valToPos(u.data[0][i], "x"), top: 10 }, true, true);
    }
  }

  const charts = JSON.parse(document.getElementById("charts").textContent);
  const figures = [...document.querySelectorAll("figure[data-chart]")].map((e) => new Figure(e, charts[Number(e.dataset.chart)]));

  const visible = (f) => f.reach.clientWidth > 0;
  const drawAll = () => figures.filter(visible).forEach((f) => f.draw());

  // Variants: a row of tabs, each with its part of the report.
  const choose = (box) => {
    const panels = [...box.querySelectorAll(":scope > .variant")];
    const tabs = panels.map((panel) => {
      const name = panel.querySelector("h3").lastChild.textContent.trim();
      panel.setAttribute("role", "tabpanel");
      return make("button", { type: "button", role: "tab", id: panel.id + "-tab", "aria-controls": panel.id, title: name }, name);
    });
    const show = (n, focus) => {
      tabs.forEach((tab, i) => {
        tab.setAttribute("aria-selected", String(i === n));
        tab.tabIndex = i === n ? 0 : -1;
        panels[i].hidden = i !== n;
      });
      if (focus) tabs[n].focus();
      figures.filter((f) => panels[n].contains(f.element)).forEach((f) => f.draw());
    };
    tabs.forEach((tab, i) => {
      tab.addEventListener("click", () => show(i, false));
      tab.addEventListener("keydown", (e) => {
        const n = tabs.length;
        const to = { ArrowRight: (i + 1) % n, ArrowLeft: (i + n - 1) % n, Home: 0, End: n - 1 }[e.key];
        if (to === undefined) return;
        e.preventDefault();
        show(to, true);
      });
    });
    box.prepend(make("div", { class: "tabs", role: "tablist", "aria-label": "Variants" }, ...tabs));
    show(0, false);
  };
  document.querySelectorAll("[data-choose]").forEach(choose);

  // Theme: the system's, until the reader chooses.
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
  const theme = make("button", { type: "button" });
  const label = () => (theme.textContent = dark() ? "Light colours" : "Dark colours");
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    label();
    drawAll();
  });
  system.addEventListener("change", () => {
    label();
    drawAll();
  });
  document.getElementById("tools").append(theme);
  label();

  // On paper everything is light, drawn and unfolded.
  let before = null;
  addEventListener("beforeprint", () => {
    if (before) return;
    const folded = [...document.querySelectorAll("details:not(.data):not([open])")];
    before = { theme: root.dataset.theme, folded };
    root.dataset.theme = "light";
    folded.forEach((d) => (d.open = true));
    figures.forEach((f) => f.draw(f.element.parentElement.classList.contains("figures") ? 310 : 640));
  });
  addEventListener("afterprint", () => {
    if (!before) return;
    if (before.theme) root.dataset.theme = before.theme;
    else delete root.dataset.theme;
    before.folded.forEach((d) => (d.open = false));
    before = null;
    drawAll();
  });

  let width = 0;
  new ResizeObserver(() => {
    if (before || root.clientWidth === width) return;
    width = root.clientWidth;
    drawAll();
  }).observe(root);

  // What the tests hold against the tables.
  window.simload = { form3, percent, seconds, clock };
})();
