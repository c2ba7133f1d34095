// The page: asks the API how a job stands, and draws it. Text goes in as text, never as markup.
"use strict";

/* global bars, course, number, clock, svg, COLOURS */

const EVERY_MS = 2000;
const AFTER_FAILURE_MS = 5000;
const TIMEOUT_MS = 15000;
// What is drawn over time: its title, its unit, and what a number is multiplied by.
const COURSES = [
  ["distance_pct", "Load distance", "points", 1],
  ["batch_s", "Batch time", "s", 1],
  ["collocation", "Collocation", "%", 100],
  ["load_index", "Load index", "% of the start", 100],
  ["executors", "Executors", "", 1],
];

const at = (id) => document.getElementById(id);
const chosen = new URLSearchParams(location.search).get("job");
let tag = null;
let page = null;
let older = [];
let lastWord = 0;

function text(id, words) {
  if (at(id).textContent !== words) at(id).textContent = words;
}

function row(cells, numbers = []) {
  const line = document.createElement("tr");
  cells.forEach((cell, index) => {
    const one = document.createElement("td");
    if (numbers.includes(index)) one.className = "number";
    if (cell instanceof Node) one.append(cell);
    else one.textContent = cell;
    line.append(one);
  });
  return line;
}

function ago(seconds) {
  if (seconds === null || seconds === undefined) return "never";
  const passed = Math.max(Date.now() / 1000 - seconds, 0);
  if (passed < 90) return `${Math.round(passed)} s ago`;
  if (passed < 5400) return `${Math.round(passed / 60)} min ago`;
  return passed < 172800 ? `${Math.round(passed / 3600)} h ago` : `${Math.round(passed / 86400)} days ago`;
}

function bytes(amount) {
  let size = amount;
  for (const unit of ["B", "kB", "MB", "GB", "TB"]) {
    if (size < 1000) return `${Number(size.toPrecision(3))} ${unit}`;
    size /= 1000;
  }
  return `${Number(size.toPrecision(3))} PB`;
}

const percent = (share) => (share === null || share === undefined ? "–" : `${(100 * share).toFixed(1)} %`);
const seconds = (value) => (value === null || value === undefined ? "–" : `${number(value)} s`);

async function ask(path, method = "GET", body) {
  const headers = {};
  const token = sessionStorage.getItem("albic-token");
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (method === "GET" && tag && path.includes("/state")) headers["If-None-Match"] = tag;
  const response = await fetch(path, {
    method, headers, body: body === undefined ? undefined : JSON.stringify(body),
    cache: "no-store", credentials: "omit", signal: AbortSignal.timeout(method === "GET" ? TIMEOUT_MS : 60000),
  });
  if (response.status === 304) return null;
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.error || `status ${response.status}`);
  if (path.includes("/state")) tag = response.headers.get("ETag");
  return answer;
}

const job = (rest) => `/api/jobs/${encodeURIComponent(chosen)}/${rest}`;

function tile(name, value, kind = "") {
  const box = document.createElement("div");
  const term = document.createElement("dt");
  const told = document.createElement("dd");
  term.textContent = name;
  told.textContent = value;
  told.className = kind;
  box.append(term, told);
  return box;
}

function drawHealth() {
  const { health } = page.state;
  const status = page.controller;
  let doing = "journal only";
  if (status) doing = status.running ? "at work" : "ended";
  if (status ? status.paused : health.paused) doing = "paused";
  else if (health.silent && (!status || status.running)) doing = "silent: nothing to win";
  if (status && status.stopped) doing = `only measuring: ${status.stopped}`;
  const batch = (status && status.last_batch_s) || health.last_batch_s;
  const low = health.compliance !== null && health.compliance < 0.9;
  const tiles = [
    tile("controller", doing, status && status.stopped ? "bad words" : doing === "paused" ? "warn words" : "words"),
    tile("tasks that ran on their owner", percent(health.compliance), low ? "warn" : ""),
    tile("last batch seen", ago(batch)),
    tile(`not ready, of ${health.rounds} rounds`, String(health.not_ready)),
    tile(`failed, of ${health.rounds} rounds`, String(health.failed), health.failed ? "bad" : "good"),
    tile("moves in all", `${health.moves_total.toLocaleString("en")} (${bytes(health.moved_bytes_total)})`, "words"),
  ];
  if (health.last_error) tiles.push(tile(`last error, ${ago(health.last_error_s)}`, health.last_error, "bad words"));
  if (page.reading.damaged) tiles.push(tile("damaged lines", String(page.reading.damaged), "warn"));
  at("health").replaceChildren(...tiles);
}

function drawControls() {
  const status = page.controller;
  at("controls").hidden = !status;
  if (!status) return;
  at("pause").disabled = status.paused || !status.running;
  at("resume").disabled = !status.paused || !status.running;
  at("stop").disabled = !status.running;
  at("plan-now").disabled = !status.running;
  drawExecutorChoice(status);
  const form = at("settings");
  // Nobody's typing is overwritten.
  if (form.contains(document.activeElement) || form.dataset.touched) return;
  at("period").value = status.period;
  at("budget").value = status.max_migrations;
  at("approve").checked = status.approve;
  at("exclude-operators").value = status.exclude_operators.join(", ");
  at("exclude-executors").value = status.exclude_executors.join(", ");
  if ([...at("planner").options].every((option) => option.value !== status.planner)) {
    at("planner").append(new Option(status.planner, status.planner));
  }
  at("planner").value = status.planner;
}

function drawExecutorChoice(status) {
  const choice = at("executor");
  const names = page.state.executors ? page.state.executors.bars.map((bar) => bar.id) : [];
  const offered = [...choice.options].map((option) => option.value);
  if (choice !== document.activeElement && names.join("\n") !== offered.join("\n")) {
    const before = choice.value;
    choice.replaceChildren(...names.map((name) => new Option(name, name)));
    if (names.includes(before)) choice.value = before;
  }
  const kept = status.drained.includes(choice.value);
  at("drain").disabled = !status.running || !names.length || kept;
  at("release").disabled = !status.running || !kept;
  text("drained", status.drained.length ? `kept empty: ${status.drained.join(", ")}` : "");
}

// What is to be said of an executor beside its load.
function remark(bar) {
  const status = page.controller;
  if (status && status.drained.includes(bar.id)) return "drained";
  if (status && status.exclude_executors.includes(bar.id)) return "receives nothing";
  return bar.draining ? "to be empty" : "";
}

function drawPlan() {
  const { plan } = page.state;
  const status = page.controller;
  const waits = Boolean(status && status.proposal && status.running);
  at("waiting").hidden = !waits;
  if (waits) text("lapses", `lapses in ${Math.max(Math.round(status.lapses_s - Date.now() / 1000), 0)} s`);
  if (!plan) {
    text("plan-words", "No round has come to a plan yet.");
    at("moves-details").hidden = true;
    return;
  }
  const moves = plan.moves.length + plan.more_moves;
  const verb = { applied: "carried out", waiting: "waits for an answer", held: "held", proposed: "proposed (dry run)" };
  text("plan-words", `Round ${plan.round}: ${moves} ${moves === 1 ? "move" : "moves"}, ${verb[plan.status] || plan.status}. ${plan.reason}`);
  at("moves-details").hidden = moves === 0;
  text("moves-summary", plan.more_moves ? `the first ${plan.moves.length} moves` : "its moves");
  at("moves").replaceChildren(...plan.moves.map((move) => row(
    [move.operator, String(move.partition), move.source, move.target, bytes(move.state_bytes)], [1, 4])));
}

function drawBars() {
  const { executors } = page.state;
  if (!executors) {
    text("bars-words", "Nothing was measured yet.");
    at("bars").replaceChildren();
    return;
  }
  text("bars-words", `Load (${executors.resource}) of ${executors.bars.length} executors with ${executors.key_groups.toLocaleString("en")} key groups: `
    + `mean ${number(executors.mean_pct)} %, load distance ${number(executors.distance_pct)} points. `
    + `No placement brings the busiest below the bound, ${number(executors.bound_pct)} %.`);
  at("legend").replaceChildren(...executors.operators.map((name, index) => {
    const entry = document.createElement("span");
    const box = svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" });
    box.append(svg("rect", { class: `c${index % COLOURS}`, width: 10, height: 10 }));
    entry.append(box, name);
    return entry;
  }));
  at("bars").replaceChildren(bars(executors, remark, Math.min(Math.max(at("bars").clientWidth, 320), 1200)));
}

function drawCourses() {
  const { courses, marks } = page.state;
  at("marks-legend").hidden = !marks.length;
  const width = Math.min(Math.max(at("courses").clientWidth, 320), 480);
  at("courses").replaceChildren(...COURSES.map(([key, title, unit, factor]) => {
    const values = courses[key].map((value) => (value === null ? null : value * factor));
    return course(title, unit, courses.at_s, values, marks, width);
  }));
}

function drawTraffic() {
  const { traffic } = page.state;
  at("traffic-table").hidden = !traffic.length;
  const all = traffic.reduce((sum, edge) => sum + edge.bytes_per_s, 0);
  const local = traffic.reduce((sum, edge) => sum + edge.bytes_per_s * edge.local_share, 0);
  text("traffic-words", all ? `${bytes(all)} a second between key groups; ${percent(local / all)} of it stays on its executor.` : page.state.executors ? "No key groups talk to each other." : "Nothing was measured yet.");
  at("traffic").replaceChildren(...traffic.map((edge) => {
    const bar = document.createElement("progress");
    bar.max = 1;
    bar.value = edge.local_share;
    bar.setAttribute("aria-label", `${percent(edge.local_share)} local`);
    return row([edge.sender, edge.receiver, bytes(edge.bytes_per_s), percent(edge.local_share), bar], [2, 3]);
  }));
}

function drawRounds() {
  const none = !page.state.rounds.length;
  at("rounds-table").hidden = none;
  text("rounds-words", none ? "No round was run yet."
    : "What a plan makes small, in points of load: as measured before, as the plan promised, and as the next round measured.");
  const oldest = page.state.rounds.length ? page.state.rounds[page.state.rounds.length - 1] : null;
  const earlier = oldest ? older.filter((round) => round.position < oldest.position) : [];
  at("rounds").replaceChildren(...[...page.state.rounds, ...earlier].map((round) => {
    const words = [round.error || round.reason, round.scaling, round.note, round.by ? `by ${round.by}` : null].filter(Boolean).join(" · ");
    const line = row([String(round.number), clock(round.at_s), round.trigger, round.status, String(round.moves || ""), number(round.measured),
      number(round.promised), number(round.came), seconds(round.batch_s), words], [0, 4, 5, 6, 7, 8]);
    line.lastChild.className = "words";
    if (round.error) line.className = "bad";
    return line;
  }));
  at("older").hidden = page.state.records <= page.state.rounds.length + earlier.length;
}

function drawJob() {
  at("job").hidden = false;
  text("title", page.name);
  document.title = `${page.name} – albic`;
  drawHealth();
  drawControls();
  drawPlan();
  drawBars();
  drawCourses();
  drawTraffic();
  drawRounds();
}

function drawFreshness() {
  if (!page) return;
  const reading = page.reading.behind_bytes ? `, reading: ${bytes(page.reading.behind_bytes)} to go` : "";
  const gone = page.reading.missing ? "the journal is not there; waiting for it. " : "";
  text("freshness", `${gone}${page.state.records.toLocaleString("en")} records, last ${ago(page.state.health.last_record_s)}${reading}`);
}

function trouble(words) {
  at("trouble").hidden = !words;
  if (words) text("trouble", words);
}

async function lookAtJob() {
  const answer = await ask(job("state"));
  if (answer) {
    page = answer;
    drawJob();
  } else if (page) {
    drawHealth();
    drawPlan();
  }
  drawFreshness();
}

async function lookAtList() {
  const jobs = await ask("/api/jobs");
  at("list").hidden = false;
  text("freshness", `${jobs.length} ${jobs.length === 1 ? "job" : "jobs"}`);
  at("jobs").replaceChildren(...jobs.map((one) => {
    const link = document.createElement("a");
    link.href = `/?job=${encodeURIComponent(one.id)}`;
    link.textContent = one.name;
    let doing = one.live ? "at work" : "journal only";
    if (one.missing) doing = "no journal yet";
    if (one.paused) doing = "paused";
    if (one.waiting) doing = "a plan waits";
    return row([link, doing, one.records.toLocaleString("en"), one.distance_pct === null ? "–" : `${number(one.distance_pct)} points`,
      seconds(one.batch_s), String(one.failed), ago(one.last_record_s)], [2, 3, 4, 5, 6]);
  }));
}

async function lookAtDetails() {
  const settings = await ask(job("settings"));
  const known = new Set([...at("planner").options].map((option) => option.value));
  at("planner").append(...settings.planners.filter((name) => !known.has(name)).map((name) => new Option(name, name)));
  const { advice } = await ask(job("advice"));
  at("advice-section").hidden = !advice.length;
  at("advice").replaceChildren(...advice.map((finding) => {
    const item = document.createElement("li");
    const amount = (value) => (finding.unit === "bytes/s" ? `${bytes(value)} a second` : `${number(value)} ${finding.unit}`);
    const wins = finding.win === null ? "what that wins cannot be told beforehand" : `that should win ${amount(finding.win)}`;
    for (const words of [`${finding.sentence}.`, `To do: ${finding.remedy}; ${wins}.`]) {
      const line = document.createElement("p");
      line.textContent = words;
      item.append(line);
    }
    return item;
  }));
}

async function order(path, method = "POST", body) {
  lastWord += 1;
  const mine = lastWord;
  text("answer", "asking the controller …");
  try {
    const { record } = await ask(job(path), method, body);
    if (mine === lastWord) text("answer", `round ${record.number}, ${record.status}: ${record.reason}`);
  } catch (wrong) {
    if (mine === lastWord) text("answer", `not done: ${wrong.message}`);
  }
  await lookAtJob().catch(() => {});
}

function takeToken() {
  const found = /^#token=(.+)$/.exec(location.hash);
  if (found) {
    sessionStorage.setItem("albic-token", decodeURIComponent(found[1]));
    // The address bar is seen over shoulders.
    history.replaceState(null, "", location.pathname + location.search);
  }
  at("token").value = sessionStorage.getItem("albic-token") || "";
  at("token").addEventListener("change", () => {
    sessionStorage.setItem("albic-token", at("token").value.trim());
    tag = null;
  });
}

function listen() {
  at("pause").addEventListener("click", () => order("pause"));
  at("resume").addEventListener("click", () => order("resume"));
  at("stop").addEventListener("click", () => order("stop"));
  for (const verb of ["drain", "release"]) {
    at(verb).addEventListener("click", () => order(`executors/${encodeURIComponent(at("executor").value)}/${verb}`));
  }
  at("executor").addEventListener("change", () => drawExecutorChoice(page.controller));
  at("plan-now").addEventListener("click", () => order("plan", "POST", { act: false }));
  for (const verb of ["accept", "reject"]) {
    at(verb).addEventListener("click", () => order(`proposals/${encodeURIComponent(page.controller.proposal)}/${verb}`));
  }
  at("settings").addEventListener("input", () => { at("settings").dataset.touched = "yes"; });
  at("settings").addEventListener("submit", (event) => {
    event.preventDefault();
    delete at("settings").dataset.touched;
    const now = page.controller;
    const wish = {};
    if (at("period").value.trim() !== now.period) wish.period = at("period").value.trim();
    if (Number(at("budget").value) !== now.max_migrations) wish.max_migrations = Number(at("budget").value);
    if (at("planner").value !== now.planner) wish.planner = at("planner").value;
    if (at("approve").checked !== now.approve) wish.approve = at("approve").checked;
    for (const kind of ["operators", "executors"]) {
      const names = at(`exclude-${kind}`).value.split(",").map((name) => name.trim()).filter(Boolean);
      if (names.join("\n") !== now[`exclude_${kind}`].join("\n")) wish[`exclude_${kind}`] = names;
    }
    order("settings", "PATCH", wish);
  });
  at("older").addEventListener("click", async () => {
    const shown = [...page.state.rounds, ...older];
    const last = shown[shown.length - 1];
    const answer = await ask(job(`rounds?limit=100&before=${last.position}`));
    older = [...older, ...answer.rounds];
    drawRounds();
    if (!answer.rounds.length) at("older").hidden = true;
  });
  let width = window.innerWidth;
  window.addEventListener("resize", () => {
    if (page && window.innerWidth !== width) {
      width = window.innerWidth;
      drawBars();
      drawCourses();
    }
  });
}

async function look() {
  let wait = EVERY_MS;
  try {
    await (chosen === null ? lookAtList() : lookAtJob());
    trouble("");
    // A long journal is read piece by piece.
    if (page && page.reading.behind_bytes) wait = 20;
  } catch (wrong) {
    trouble(`The server does not answer as it should: ${wrong.message}`);
    wait = AFTER_FAILURE_MS;
  }
  if (document.hidden) wait = Math.max(wait, AFTER_FAILURE_MS);
  setTimeout(look, wait);
}

takeToken();
listen();
look();
if (chosen !== null) {
  lookAtDetails().catch(() => {});
  setInterval(() => lookAtDetails().catch(() => {}), 30000);
}
