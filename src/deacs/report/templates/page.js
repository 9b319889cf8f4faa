// Draws the charts from the numbers in the page, follows the theme, and moves the frontier.
(() => {
  "use strict";
  const data = JSON.parse(document.getElementById("chart-data").textContent);
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const palette = ["#3b7dd8", "#d9822b", "#2a9d72", "#c2508f", "#8064c9", "#1f9fb5", "#b0892b", "#d1524f"];
  const dashes = ["solid", "dash", "dot", "dashdot"];
  const mostNamed = 16;
  const config = { displayModeBar: false, responsive: true, doubleClick: "reset+autosize" };

  // plotly reads a few tags, entities and %{...} in its texts; names must be none of them.
  const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "{": "&#123;" };
  const safe = (name) => name.replace(/[&<>{]/g, (character) => escapes[character]);
  const isNarrow = () => window.matchMedia("(max-width: 40rem)").matches;
  const fitting = (name) => {
    return safe(isNarrow() ? cut(name, 16) : name);
  };
  const onAxis = (name) => safe(cut(name, isNarrow() ? 12 : 18));
  let classes, features; // as they fit the screen

  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  function layout(changes) {
    const axis = { gridcolor: colour("--line"), zerolinecolor: colour("--line"), linecolor: colour("--line"), automargin: true };
    const { xaxis = {}, yaxis = {}, ...others } = changes;
    return {
      font: { color: colour("--ink"), size: 13, family: getComputedStyle(document.body).fontFamily },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      margin: { l: 65, r: 12, t: 12, b: 45 }, height: 400,
      hoverlabel: { bgcolor: colour("--card"), bordercolor: colour("--line"), font: { color: colour("--ink") }, align: "left" },
      legend: { orientation: "h", y: -0.22, yanchor: "top", x: 0 },
      dragmode: isNarrow() ? false : "zoom",
      ...others, xaxis: { ...axis, ...xaxis }, yaxis: { ...axis, ...yaxis },
    };
  }

  const cut = (name, most) => (name.length > most ? `${Array.from(name).slice(0, most - 1).join("")}…` : name);
  const ticks = (names) => {
    const every = Math.max(1, Math.ceil(names.length / (isNarrow() ? 10 : 32)));
    const kept = names.map((_, i) => i).filter((i) => i % every === 0);
    return { tickmode: "array", tickvals: kept, ticktext: kept.map((i) => names[i]), range: [-0.5, names.length - 0.5] };
  };
  const turned = (names) => ({ ...ticks(names), tickangle: -35 });

  function residual() {
    // What refits leave is after as many features as here, not after these.
    const after = data.isHeldOut ? features.map((_, i) => `${i + 1}`) : features;
    const steps = ["nothing", ...(data.isHeldOut ? after.map((m) => `${m} of a refit's features`) : features)];
    const last = data.unexplained.map((line) => line[line.length - 1]);
    const named = new Set(last.map((_, i) => i).sort((a, b) => last[b] - last[a]).slice(0, mostNamed));
    let shown = 0;
    const traces = data.unexplained.map((line, i) => {
      const isNamed = named.has(i);
      const style = isNamed
        ? { color: palette[shown % 8], dash: dashes[Math.floor(shown / 8) % 4], width: 2 }
        : { color: colour("--faint"), width: 1 };
      shown += isNamed ? 1 : 0;
      return {
        type: "scatter", mode: "lines+markers", x: line.map((_, s) => s), y: line, name: classes[i],
        line: style, marker: { size: isNamed ? 6 : 3 }, zorder: isNamed ? 1 : 0, showlegend: isNamed, text: steps.map((s) => `${classes[i]} after ${s}`),
        hovertemplate: "%{text}<br>%{y:.1%} unexplained<extra></extra>",
      };
    });
    const xaxis = turned(["nothing", ...(data.isHeldOut ? after : data.features.map(onAxis))]);
    const rows = Math.ceil(Math.min(named.size, mostNamed) / (isNarrow() ? 3 : 6));
    return [traces, layout({ xaxis, yaxis: { title: { text: "unexplained" }, rangemode: "tozero", tickformat: ".0%" },
      height: 400 + 22 * rows, legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 } })];
  }

  // The colour of text that stands out most on a mix of two colours.
  const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const readable = (from, to, share) => {
    const [a, b] = [from, to].map(channels);
    const ground = luminance(a.map((c, i) => c + (b[i] - c) * share));
    const contrast = (text) => {
      const [low, high] = [ground, luminance(channels(text))].sort((x, y) => x - y);
      return (high + 0.05) / (low + 0.05);
    };
    return ["#000000", "#ffffff"].reduce((one, other) => (contrast(other) > contrast(one) ? other : one));
  };

  function heat() {
    const rows = features.map((name, i) => `${i + 1}. ${name}`);
    const text = data.labelScores.map((line, r) => line.map((_, c) => `${rows[r]}<br>${classes[c]}`));
    const hasNumbers = rows.length * classes.length <= 150 && classes.length <= (isNarrow() ? 4 : 12);
    const most = data.labelScores.reduce((high, line) => Math.max(high, ...line), 0);
    const cells = data.labelScores.flatMap((line, r) => line.map((bits, c) => ({ r, c, bits })));
    const [card, dark] = ["--card", "--heat"].map(colour);
    const numbers = {
      type: "scatter", mode: "text", hoverinfo: "skip", showlegend: false,
      x: cells.map((cell) => cell.c), y: cells.map((cell) => cell.r), text: cells.map((cell) => cell.bits.toFixed(2)),
      textfont: { color: cells.map((cell) => readable(card, dark, cell.bits / (most || 1))) },
    };
    const trace = {
      type: "heatmap", z: data.labelScores, x: classes.map((_, i) => i), y: rows.map((_, i) => i), text,
      colorscale: [[0, card], [1, dark]], zmin: 0, zmax: most || 1, xgap: 1, ygap: 1,
      colorbar: { title: { text: "bits" }, thickness: 12 }, hovertemplate: "%{text}<br>%{z:.3f} bits<extra></extra>",
    };
    const side = isNarrow() ? rows.map((_, i) => `${i + 1}.`) : rows;
    return [hasNumbers ? [trace, numbers] : [trace], layout({
      height: Math.max(260, 110 + 26 * rows.length),
      xaxis: { ...ticks(data.classes.map(onAxis)), showgrid: false, zeroline: false },
      yaxis: { tickmode: "array", tickvals: rows.map((_, i) => i), ticktext: side, autorange: "reversed", showgrid: false, zeroline: false },
    })];
  }

  function path() {
    const finite = data.scores.filter((score) => score !== null);
    const high = finite.length ? Math.max(...finite) : 1;
    const low = finite.length ? Math.min(...finite) : 0;
    const top = high + 0.15 * (high - low || Math.abs(high) || 1);
    const steps = data.scores.map((_, i) => i);
    const infinite = steps.filter((i) => data.scores[i] === null);
    const traces = [{
      type: "scatter", mode: "lines+markers", x: steps, y: data.scores, text: features, line: { color: palette[0] },
      marker: { size: 8 }, name: data.scoreName, showlegend: false, hovertemplate: "%{text}<br>%{y:.3f}<extra></extra>",
    }];
    if (infinite.length) {
      traces.push({
        type: "scatter", mode: "markers", x: infinite, y: infinite.map(() => top), text: infinite.map((i) => features[i]),
        marker: { size: 11, symbol: "triangle-up", color: palette[1] }, name: `infinite: no other candidate is informative about some ${data.noun}`,
        hovertemplate: "%{text}<br>infinite<extra></extra>",
      });
    }
    return [traces, layout({ xaxis: turned(data.features.map(onAxis)), yaxis: { title: { text: data.scoreName } },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 } })];
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

  const named = (race) => ({ ...race, names: race.features.map((feature) => data.names[feature]) });

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
    const race = named(data.races[step - 1]);
    const chosen = [byId("across").value, byId("up").value].map((v, i) => (v === "" ? race.pair[i] : Number(v)));
    if (chosen[0] === chosen[1]) { // one was chosen, the other is free
      const free = byId("across").value === "" ? 0 : 1;
      if (byId(free ? "up" : "across").value === "") chosen[free] = race.pair.find((i) => i !== chosen[0]);
    }
    const points = race.bits.map((bits) => [bits[chosen[0]] * race.unit, bits[chosen[1]] * race.unit]);
    const others = points.filter((_, i) => i !== race.winner);
    const line = (corners, name, style) => ({ type: "scatter", mode: "lines", x: corners.map((p) => p[0]), y: corners.map((p) => p[1]),
      name, line: style, hoverinfo: "skip" });
    const marks = (rows, name, marker) => ({ type: "scatter", mode: "markers", x: rows.map((i) => points[i][0]), y: rows.map((i) => points[i][1]),
      text: rows.map((i) => safe(race.names[i])), name, marker, cliponaxis: false, hovertemplate: "%{text}<br>%{x:.3f} and %{y:.3f} bits<extra></extra>" });
    const rest = points.map((_, i) => i).filter((i) => i !== race.winner && i !== race.rival);
    const range = [0, 1].map((k) => Math.max(...points.map((p) => p[k])) * 1.1 || 1);
    // The name above the point, towards the side with room.
    const labelled = (row, trace) => ({ ...trace, mode: "markers+text", text: [fitting(race.names[row])],
      textposition: points[row][0] > range[0] / 2 ? "top left" : "top right" });
    const edge = { width: 1, color: colour("--paper") };
    const traces = [
      marks(rest, "candidates", { size: 7, color: colour("--quiet"), opacity: 0.6 }),
      line(outline(points), "frontier", { color: palette[0], width: 3 }),
      line(outline(others), data.isRadial ? "without the winner" : "without the selected", { color: palette[1], width: 2, dash: "dash" }),
      labelled(race.winner, marks([race.winner], data.isRadial ? "winner" : "selected", { size: 16, symbol: "star", color: palette[0], line: edge })),
    ];
    const hasRival = race.rival !== null && race.rival !== race.winner;
    if (hasRival) {
      const role = data.isRadial ? "runner-up" : "first with free weights";
      traces.push(labelled(race.rival, marks([race.rival], role, { size: 10, symbol: "diamond", color: palette[1], line: edge })));
    }
    const names = chosen.map((i) => classes[i]);
    byId("step-value").textContent = String(step);
    byId("frontier-words").textContent = words(step, race, hasRival);
    return [traces, layout({
      height: isNarrow() ? 430 : 480, uirevision: `${step}/${chosen}`,
      xaxis: { title: { text: `bits about ${names[0]}` }, range: [0, range[0]] },
      yaxis: { title: { text: `bits about ${names[1]}` }, range: [0, range[1]] },
      legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    })];
  }

  const charts = { "frontier-chart": frontier, "residual-chart": residual, "heat-chart": heat, "path-chart": path };
  const draw = (id) => byId(id) && Plotly.react(id, ...charts[id](), config);
  const resetOf = (id) => document.querySelector(`.reset[data-chart="${id}"]`);
  const listen = (id) => byId(id).on("plotly_relayout", (change) => { // only who has zoomed needs a way back
    if (Object.keys(change).some((key) => key.includes(".range"))) resetOf(id).hidden = false;
    if (Object.keys(change).some((key) => key.includes(".autorange"))) resetOf(id).hidden = true;
  });
  const drawAll = () => {
    [classes, features] = [data.classes, data.features].map((names) => names.map(fitting));
    Object.keys(charts).forEach(draw);
  };

  byId("theme").addEventListener("click", () => {
    const systemDark = window.matchMedia("(prefers-color-scheme: dark)").matches;
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : systemDark;
    root.dataset.theme = isDark ? "light" : "dark";
    drawAll();
  });
  for (const id of ["step", "across", "up"]) {
    if (byId(id)) byId(id).addEventListener("input", () => draw("frontier-chart"));
  }
  for (const button of document.querySelectorAll(".reset")) {
    button.addEventListener("click", () => {
      const id = button.dataset.chart;
      Plotly.purge(id);
      draw(id);
      listen(id);
      byId(id).closest("figure").focus(); // the button goes; a keyboard must not be lost with it
      button.hidden = true;
    });
  }
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  window.matchMedia("(max-width: 40rem)").addEventListener("change", drawAll);
  window.matchMedia("print").addEventListener("change", drawAll);
  let closed = [];
  window.addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    closed.forEach((element) => { element.open = true; });
  });
  window.addEventListener("afterprint", () => closed.forEach((element) => { element.open = false; }));
  if (data.features.length) {
    drawAll();
    Object.keys(charts).filter(byId).forEach(listen);
  }
})();
