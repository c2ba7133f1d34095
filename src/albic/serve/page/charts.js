// Charts as SVG elements; nothing here knows where the numbers come from.
"use strict";

const SPACE = "http://www.w3.org/2000/svg";
const COLOURS = 12;
// The width of a letter, about.
const LETTER = 6.8;
// What is drawn over what: rare things are not to vanish behind frequent ones.
const MARKS = ["plan", "hand", "arrival", "loss"];

function svg(name, attributes = {}, text) {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// Round steps of an axis: at most `count` of them, up to `most`.
function ticks(most, count) {
  if (!(most > 0)) return [0, 1];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const found = [];
  for (let at = 0; at <= Math.ceil(most / step - 1e-9); at += 1) found.push(at * step);
  return found;
}

function number(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size !== 0 && size < 0.01) return value.toExponential(1);
  return size >= 1000 ? Math.round(value).toLocaleString("en") : String(Number(value.toPrecision(3)));
}

// Each executor a bar, stacked by operator, the mean and the bound drawn in; `remark` says what else
// is to be said of one.
// eslint-disable-next-line no-unused-vars
function bars(executors, remark, width) {
  const row = 26;
  const top = 22;
  const shown = executors.bars.slice(0, 200);
  const words = shown.map((bar) => [`${number(bar.load_pct)} %`, remark(bar)].filter(Boolean).join(", "));
  const names = shown.map((bar) => (bar.id.length > 13 ? `${bar.id.slice(0, 12)}…` : bar.id));
  const left = 16 + LETTER * Math.max(4, ...names.map((name) => name.length));
  const height = top + shown.length * row + 24;
  const most = Math.max(executors.bound_pct, ...shown.map((bar) => bar.load_pct), 1);
  const steps = ticks(most, width < 500 ? 3 : 5);
  // As wide as it can be with room for the last tick, and for the words beside each bar.
  const scale = Math.min((width - left - 20) / steps[steps.length - 1],
    ...shown.map((bar, at) => (width - left - 10 - LETTER * words[at].length) / Math.max(bar.load_pct, 1e-9)));
  const busiest = shown.reduce((one, other) => (other.load_pct > one.load_pct ? other : one), shown[0]);
  const drawing = svg("svg", {
    viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-label": `Load of ${executors.bars.length} executors. Mean ${number(executors.mean_pct)} percent, `
      + `busiest ${busiest.id} with ${number(busiest.load_pct)} percent, bound ${number(executors.bound_pct)} percent.`,
  });
  for (const step of steps) {
    const x = left + step * scale;
    drawing.append(svg("line", { class: "grid", x1: x, x2: x, y1: top, y2: height - 20 }));
    drawing.append(svg("text", { class: "tick", x, y: height - 6, "text-anchor": "middle" }, `${number(step)} %`));
  }
  shown.forEach((bar, at) => {
    const y = top + at * row + 3;
    drawing.append(svg("text", { x: left - 8, y: y + 14, "text-anchor": "end" }, names[at]));
    let x = left;
    const parts = [...bar.parts_pct.map((part, index) => [part, `c${index % COLOURS}`, executors.operators[index]]),
      [bar.background_pct, "background", "no key group"]];
    for (const [part, colour, operator] of parts) {
      if (!(part > 0)) continue;
      const block = svg("rect", { class: colour, x, y, width: Math.max(part * scale, 0.5), height: row - 8 });
      block.append(svg("title", {}, `${bar.id}, ${operator}: ${number(part)} %`));
      drawing.append(block);
      x += part * scale;
    }
  });
  for (const [kind, value] of [["mean", executors.mean_pct], ["bound", executors.bound_pct]]) {
    const x = left + value * scale;
    drawing.append(svg("line", { class: kind, x1: x, x2: x, y1: top - 4, y2: height - 20 }));
  }
  // After the lines, which would cross them out.
  shown.forEach((bar, at) => {
    drawing.append(svg("text", { class: "beside", x: left + bar.load_pct * scale + 6, y: top + at * row + 17 }, words[at]));
  });
  const middle = left + executors.mean_pct * scale;
  drawing.append(svg("text", { x: middle - 4, y: 12, "text-anchor": "end" }, "mean"));
  drawing.append(svg("text", { x: left + executors.bound_pct * scale + 4, y: 12 }, "bound"));
  return drawing;
}

// One course over time, with marks.
// eslint-disable-next-line no-unused-vars
function course(title, unit, times, values, marks, width) {
  const height = 190;
  const left = 52;
  const right = 12;
  const top = 10;
  const bottom = 24;
  const points = times.map((at, index) => [at, values[index]]).filter(([, value]) => value !== null);
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  const last = points.length ? points[points.length - 1][1] : null;
  caption.textContent = last === null ? `${title}: not measured yet` : `${title}: ${number(last)} ${unit}`.trim();
  figure.append(caption);
  if (!points.length) return figure;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  figure.append(drawing);
  const lowest = Math.min(...points.map(([, value]) => value));
  const highest = Math.max(...points.map(([, value]) => value));
  drawing.setAttribute("aria-label", `${title} over time, from ${number(lowest)} to ${number(highest)} ${unit}; now ${number(last)}.`);
  const steps = ticks(highest, 4);
  const first = times[0];
  const span = Math.max(times[times.length - 1] - first, 1e-9);
  const x = (at) => left + ((at - first) / span) * (width - left - right);
  const y = (value) => height - bottom - (value / steps[steps.length - 1]) * (height - top - bottom);
  for (const step of steps) {
    drawing.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(step), y2: y(step) }));
    drawing.append(svg("text", { class: "tick", x: left - 6, y: y(step) + 4, "text-anchor": "end" }, number(step)));
  }
  for (const mark of [...marks].sort((one, other) => MARKS.indexOf(one.kind) - MARKS.indexOf(other.kind))) {
    if (mark.at_s < first || mark.at_s > first + span) continue;
    const line = svg("line", { class: `mark ${mark.kind}`, x1: x(mark.at_s), x2: x(mark.at_s), y1: top, y2: height - bottom });
    line.append(svg("title", {}, `${mark.kind}: ${mark.text}`));
    drawing.append(line);
  }
  for (const [at, anchor] of [[first, "start"], [first + span, "end"]]) {
    drawing.append(svg("text", { class: "tick", x: x(at), y: height - 7, "text-anchor": anchor }, clock(at)));
  }
  if (points.length === 1) drawing.append(svg("circle", { class: "dot", cx: x(points[0][0]), cy: y(last), r: 3 }));
  const path = points.map(([at, value], index) => `${index ? "L" : "M"}${x(at).toFixed(1)} ${y(value).toFixed(1)}`).join("");
  drawing.append(svg("path", { class: "course", d: path }));
  return figure;
}

function clock(at) {
  const moment = new Date(at * 1000);
  if (moment.toDateString() === new Date().toDateString()) return moment.toLocaleTimeString("en-GB");
  const two = (part) => String(part).padStart(2, "0");
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  return `${day} ${two(moment.getHours())}:${two(moment.getMinutes())}`;
}
