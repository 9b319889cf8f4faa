// Draws the charts from the numbers in the page, as SVG. Colours come from the style sheet, so that a
// change of theme or of paper needs no drawing.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("chart-data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const dashes = ["", "7 4", "2 3", "8 3 2 3"];
  const mostNamed = 16;
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  const wide = (text) => pen.measureText(text).width;

  const isNarrow = () => window.matchMedia("(max-width: 40rem)").matches;
  const cut = (name, most) => (name.length > most ? `${Array.from(name).slice(0, most - 1).join("")}…` : name);
  const fitting = (name) => (isNarrow() ? cut(name, 16) : name);
  const onAxis = (name) => cut(name, isNarrow() ? 12 : 18);
  const percent = (share) => `${(100 * share).toFixed(1)}%`;

  function make(tag, attributes = {}, text = "") {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== "") element.textContent = text;
    return element;
  }

  // Round numbers from low to high, about n of them.
  function rounds(low, high, n = 5) {
    const least = (high - low) / n || 1;
    const power = 10 ** Math.floor(Math.log10(least));
    const step = [1, 2, 2.5, 5, 10].map((f) => f * power).find((s) => s >= least * 0.999);
    const first = Math.ceil(low / step - 1e-9);
    const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(step) + 1e-9) + (step / power === 2.5 ? 1 : 0)));
    const count = Math.floor(high / step + 1e-9) - first + 1;
    return Array.from({ length: count }, (_, i) => ({ at: (first + i) * step, text: ((first + i) * step).toFixed(digits) }));
  }

  // As many of the names as there is room for, at 0, 1, 2, ...
  function named(names) {
    const every = Math.max(1, Math.ceil(names.length / (isNarrow() ? 10 : 32)));
    return names.map((text, at) => ({ at, text })).filter(({ at }) => at % every === 0);
  }

  // An empty chart with axes: `across` and `up` are {range, ticks, title, turned}. Returns what draws in it.
  function chart(id, height, across, up, grid = true) {
    const width = Math.max(byId(id).clientWidth, 240);
    const turn = Math.max(0, ...across.ticks.map((tick) => wide(tick.text)));
    const left = Math.max(0, ...up.ticks.map((tick) => wide(tick.text))) + (up.title ? 32 : 12);
    const bottom = (across.turned ? 0.6 * turn + 20 : 22) + (across.title ? 22 : 0);
    // A turned name leans to the left of its tick.
    const margin = { left: Math.max(left, across.turned ? Math.min(0.82 * turn - 20, 0.3 * width) : 0), right: 14, top: 10, bottom };
    const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom };
    const place = ([low, high], from, length) => (value) => from + ((value - low) / (high - low || 1)) * length;
    const x = place(across.range, margin.left, inner.width);
    const y = place(up.range, margin.top + inner.height, -inner.height);
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}` });
    const base = margin.top + inner.height;
    for (const tick of up.ticks) {
      if (grid) svg.append(make("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: y(tick.at), y2: y(tick.at) }));
      svg.append(make("text", { x: margin.left - 8, y: y(tick.at) + 4, "text-anchor": "end" }, tick.text));
    }
    for (const tick of across.ticks) {
      if (grid) svg.append(make("line", { class: "grid", x1: x(tick.at), x2: x(tick.at), y1: margin.top, y2: base }));
      const turned = across.turned ? { "text-anchor": "end", transform: `rotate(-35 ${x(tick.at)} ${base + 16})` } : { "text-anchor": "middle" };
      svg.append(make("text", { x: x(tick.at), y: base + 17, ...turned }, tick.text));
    }
    if (across.title) svg.append(make("text", { class: "title", x: margin.left + inner.width / 2, y: height - 6, "text-anchor": "middle" }, across.title));
    if (up.title) {
      const middle = margin.top + inner.height / 2;
      svg.append(make("text", { class: "title", x: 12, y: middle, "text-anchor": "middle", transform: `rotate(-90 12 ${middle})` }, up.title));
    }
    return { id, svg, x, y, entries: [], right: width - margin.right };
  }

  // `tip` is what pointing at it says.
  const add = (plot, tag, attributes, tip = "", text = "") => {
    const element = make(tag, attributes, text);
    if (tip) element.dataset.tip = tip;
    plot.svg.append(element);
  };
  const line = (plot, points, attributes) => {
    add(plot, "polyline", { fill: "none", points: points.map(([a, b]) => `${plot.x(a)},${plot.y(b)}`).join(" "), ...attributes });
  };
  const shapes = {
    dot: (r) => `M${-r},0a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`,
    diamond: (r) => `M0,${-r}L${r},0L0,${r}L${-r},0z`,
    up: (r) => `M0,${-r}L${r},${r}L${-r},${r}z`,
    star: (r) => `M${Array.from({ length: 10 }, (_, i) => {
      const [reach, angle] = [i % 2 ? 0.42 * r : r, (i * Math.PI) / 5];
      return `${(reach * Math.sin(angle)).toFixed(2)},${(-reach * Math.cos(angle)).toFixed(2)}`;
    }).join("L")}z`,
  };
  const mark = (plot, [a, b], shape, size, attributes, tip) => {
    add(plot, "path", { d: shapes[shape](size), transform: `translate(${plot.x(a)} ${plot.y(b)})`, ...attributes }, tip);
  };
  // An entry of the legend: a line, a mark, or both.
  const entry = (plot, text, attributes, shape = "") => plot.entries.push({ text, attributes, shape });

  function show(plot) {
    const legend = document.createElement("div");
    legend.className = "legend";
    for (const { text, attributes, shape } of plot.entries) {
      const item = document.createElement("span");
      const key = make("svg", { viewBox: "0 0 26 14", class: "key" });
      const drawn = shape ? make("path", { d: shapes[shape](5), transform: "translate(13 7)" }) : make("line", { x1: 1, x2: 25, y1: 7, y2: 7 });
      for (const [name, value] of Object.entries(attributes)) drawn.setAttribute(name, value);
      key.append(drawn);
      item.append(key, document.createTextNode(text));
      legend.append(item);
    }
    byId(plot.id).replaceChildren(...(plot.entries.length ? [legend] : []), plot.svg);
  }

  function residual() {
    // What refits leave is after as many features as here, not after these.
    const features = data.features.map(fitting);
    const after = data.isHeldOut ? features.map((_, i) => `${i + 1}`) : data.features.map(onAxis);
    const steps = ["nothing", ...(data.isHeldOut ? after.map((m) => `${m} of a refit's features`) : features)];
    const last = data.unexplained.map((values) => values[values.length - 1]);
    const coloured = new Set(last.map((_, i) => i).sort((a, b) => last[b] - last[a]).slice(0, mostNamed));
    const high = Math.max(0.01, ...data.unexplained.flat());
    const ticks = rounds(0, 100 * high).map(({ at, text }) => ({ at: at / 100, text: `${text}%` }));
    const axis = ["nothing", ...after];
    const across = { range: [-0.3, axis.length - 0.7], ticks: named(axis), turned: !data.isHeldOut, title: data.isHeldOut ? "features selected so far" : "" };
    const plot = chart("residual-chart", 380, across, { range: [0, 1.04 * high], ticks, title: "unexplained" });
    const order = data.unexplained.map((_, i) => i).sort((a, b) => coloured.has(a) - coloured.has(b));
    const styles = new Map([...coloured].sort((a, b) => a - b).map((i, place) => [i, place]));
    for (const i of order) {
      const place = styles.get(i);
      const name = fitting(data.classes[i]);
      const kind = place === undefined ? "faint" : `c${place % 8}`;
      const dash = place === undefined ? "" : dashes[Math.floor(place / 8) % 4];
      line(plot, data.unexplained[i].map((share, s) => [s, share]), { class: `stroke ${kind}`, "stroke-dasharray": dash });
      data.unexplained[i].forEach((share, s) => {
        mark(plot, [s, share], "dot", place === undefined ? 2 : 4, { class: `fill ${kind}` }, `${name} after ${steps[s]}\n${percent(share)} unexplained`);
      });
    }
    for (const [i, place] of styles) {
      entry(plot, fitting(data.classes[i]), { class: `stroke c${place % 8}`, "stroke-dasharray": dashes[Math.floor(place / 8) % 4] });
    }
    show(plot);
  }

  function heat() {
    const [rows, columns] = [data.features.map((name, i) => `${i + 1}. ${fitting(name)}`), data.classes.map(onAxis)];
    const hasNumbers = rows.length * columns.length <= 150 && columns.length <= (isNarrow() ? 4 : 12);
    const most = Math.max(...data.labelScores.flat(), 0) || 1;
    const turned = columns.some((name) => wide(name) > (0.7 * byId("heat-chart").clientWidth) / columns.length);
    const side = rows.map((text, at) => ({ at, text: isNarrow() ? `${at + 1}.` : text }));
    const plot = chart("heat-chart", 60 + 28 * rows.length + (turned ? 70 : 0), { range: [-0.5, columns.length - 0.5], ticks: named(columns), turned },
      { range: [rows.length - 0.5, -0.5], ticks: side }, false);
    const [width, height] = [plot.x(1) - plot.x(0), plot.y(1) - plot.y(0)];
    data.labelScores.forEach((values, r) => values.forEach((bits, c) => {
      const at = { x: plot.x(c - 0.5) + 0.5, y: plot.y(r - 0.5) + 0.5, width: Math.max(width - 1, 1), height: height - 1 };
      add(plot, "rect", { ...at, class: "cell", "fill-opacity": (0.04 + (0.96 * bits) / most).toFixed(3) }, `${rows[r]}\n${fitting(data.classes[c])}\n${bits.toFixed(3)} bits`);
      const middle = { x: plot.x(c), y: plot.y(r) + 4, "text-anchor": "middle" };
      if (hasNumbers) add(plot, "text", { ...middle, class: bits > 0.5 * most ? "on" : "off" }, "", bits.toFixed(2));
    }));
    show(plot);
  }

  function path() {
    const finite = data.scores.filter((score) => score !== null);
    const [low, high] = finite.length ? [Math.min(...finite), Math.max(...finite)] : [0, 1];
    const room = 0.15 * (high - low || Math.abs(high) || 1);
    const top = high + room;
    const across = { range: [-0.5, data.scores.length - 0.5], ticks: named(data.features.map(onAxis)), turned: true };
    const range = [low - room / 2, top + room / 2];
    const plot = chart("path-chart", 360, across, { range, ticks: rounds(...range), title: data.scoreName });
    const features = data.features.map(fitting);
    let run = [];
    data.scores.forEach((score, i) => { // the line is broken where a score is infinite
      if (score !== null) run.push([i, score]);
      if ((score === null || i === data.scores.length - 1) && run.length) {
        line(plot, run, { class: "stroke c0" });
        run = [];
      }
    });
    data.scores.forEach((score, i) => {
      if (score === null) mark(plot, [i, top], "up", 7, { class: "fill c1" }, `${features[i]}\ninfinite`);
      else mark(plot, [i, score], "dot", 4.5, { class: "fill c0" }, `${features[i]}\n${score.toFixed(3)}`);
    });
    if (finite.length < data.scores.length) {
      entry(plot, `infinite: no other candidate is informative about some ${data.noun}`, { class: "fill c1" }, "up");
    }
    show(plot);
  }

  // The hull of the points and all below them, from one axis to the other.
  function outline(points) {
    const order = [...points].sort((a, b) => b[0] - a[0] || b[1] - a[1]);
    const chain = [];
    for (const p of order) {
      if (chain.length && p[1] <= chain[chain.length - 1][1]) continue;
      while (chain.length > 1) {
        const [a, b] = chain.slice(-2);
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        chain.pop();
      }
      chain.push(p);
    }
    if (!chain.length) return [];
    return [[chain[0][0], 0], ...chain, [0, chain[chain.length - 1][1]]];
  }

  // What the frontier shows, for those who do not see it.
  function words(step, race, hasRival) {
    const [winner, rival] = [race.winner, race.rival].map((row) => (row === null ? "" : `\u2068${race.names[row]}\u2069`));
    const isAsked = step <= data.nIncluded;
    let said = `Step ${step}: ${winner} ${isAsked ? "was required" : data.isRadial ? "wins" : "was selected"}; `;
    if (data.isRadial) said += hasRival ? `${rival} would have been next.` : "no other candidate is informative.";
    else if (rival === "") said += "no other candidate is informative.";
    else said += hasRival ? `with free class weights ${rival} would come first.` : "it also comes first with free class weights.";
    const isThin = race.bits.length < race.candidates;
    return said + (isThin ? ` ${race.bits.length} of ${race.candidates} candidates are drawn, including all corners.` : "");
  }

  function frontier() {
    const step = Number(byId("step").value);
    const race = { ...data.races[step - 1] };
    race.names = race.features.map((feature) => data.names[feature]);
    const chosen = [byId("across").value, byId("up").value].map((v, i) => (v === "" ? race.pair[i] : Number(v)));
    if (chosen[0] === chosen[1]) { // one was chosen, the other is free
      const free = byId("across").value === "" ? 0 : 1;
      if (byId(free ? "up" : "across").value === "") chosen[free] = race.pair.find((i) => i !== chosen[0]);
    }
    const points = race.bits.map((bits) => [bits[chosen[0]] * race.unit, bits[chosen[1]] * race.unit]);
    const [across, up] = [0, 1].map((k) => {
      const range = [0, Math.max(...points.map((p) => p[k])) * 1.1 || 1];
      return { range, ticks: rounds(...range), title: `bits about ${fitting(data.classes[chosen[k]])}` };
    });
    const plot = chart("frontier-chart", isNarrow() ? 380 : 440, across, up);
    const tip = (row) => `${race.names[row]}\n${points[row][0].toFixed(3)} and ${points[row][1].toFixed(3)} bits`;
    const hasRival = race.rival !== null && race.rival !== race.winner;
    points.forEach((point, row) => {
      if (row !== race.winner && row !== race.rival) mark(plot, point, "dot", 3.5, { class: "fill quiet" }, tip(row));
    });
    entry(plot, "candidates", { class: "fill quiet" }, "dot");
    line(plot, outline(points), { class: "stroke bold c0" });
    entry(plot, "frontier", { class: "stroke bold c0" });
    const without = data.isRadial ? "without the winner" : "without the selected";
    line(plot, outline(points.filter((_, row) => row !== race.winner)), { class: "stroke c1", "stroke-dasharray": "7 4" });
    entry(plot, without, { class: "stroke c1", "stroke-dasharray": "7 4" });
    const standOut = (row, shape, size, kind, role) => {
      mark(plot, points[row], shape, size, { class: `fill edge ${kind}` }, tip(row));
      entry(plot, role, { class: `fill ${kind}` }, shape);
      // The name above the point, towards the side with room.
      const isRight = points[row][0] > across.range[1] / 2;
      const where = { x: plot.x(points[row][0]) + (isRight ? -8 : 8), y: plot.y(points[row][1]) - 9, "text-anchor": isRight ? "end" : "start" };
      add(plot, "text", { ...where, class: "label" }, "", fitting(race.names[row]));
    };
    if (hasRival) standOut(race.rival, "diamond", 6, "c1", data.isRadial ? "runner-up" : "first with free weights");
    standOut(race.winner, "star", 10, "c0", data.isRadial ? "winner" : "selected");
    byId("step-value").textContent = String(step);
    byId("frontier-words").textContent = words(step, race, hasRival);
    show(plot);
  }

  const charts = { "frontier-chart": frontier, "residual-chart": residual, "heat-chart": heat, "path-chart": path };
  const drawAll = () => Object.keys(charts).filter(byId).forEach((id) => charts[id]());

  // One tip for all charts, at the pointer.
  const tip = byId("tip");
  document.addEventListener("pointermove", (event) => {
    const text = event.target.dataset?.tip;
    tip.hidden = !text;
    if (!text) return;
    tip.textContent = text;
    const { offsetWidth: width, offsetHeight: height } = tip;
    tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, root.clientWidth - width - 6))}px`;
    tip.style.top = `${event.clientY + 18 + height > window.innerHeight ? event.clientY - height - 10 : event.clientY + 18}px`;
  });

  byId("theme").addEventListener("click", () => {
    const systemDark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : systemDark;
    root.dataset.theme = isDark ? "light" : "dark";
  });
  for (const id of ["step", "across", "up"]) {
    if (byId(id)) byId(id).addEventListener("input", frontier);
  }
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((element) => { element.open = true; });
  });
  window.addEventListener("afterprint", () => closed.forEach((element) => { element.open = false; }));
  if (data.features.length) {
    let width = root.clientWidth;
    window.addEventListener("resize", () => {
      if (root.clientWidth === width) return;
      width = root.clientWidth;
      drawAll();
    });
    drawAll();
  }
})();
