// Tables of kernels, of totals by op and of the largest live set; the details of what is selected; the source.
const tables = {sort: "seconds", down: true, filter: "", shown: 200};

const columns = [
  {key: "number", name: "#", value: row => row.number, text: row => String(row.number)},
  {key: "op", name: "kernel", kind: "text wide", value: row => kernelName(row.kernel), text: row => kernelName(row.kernel)},
  {key: "line", name: "line", value: row => row.kernel.line ?? 0, text: row => row.kernel.node ?? String(row.kernel.line ?? "")},
  {key: "seconds", name: "time", value: row => row.seconds, text: row => timeText(row.seconds)},
  {key: "share", name: "share", value: row => row.seconds, text: row => percent(row.seconds / totalSeconds(current()))},
  {key: "flop", name: "FLOP", value: row => row.kernel.flop, text: row => grouped(row.kernel.flop)},
  {key: "bytes", name: "bytes", value: row => row.kernel.bytes, text: row => grouped(row.kernel.bytes)},
  {key: "limit", name: "of limit", needsProfile: true, value: row => limitShare(current(), row.number) ?? -1,
   text: row => { const share = limitShare(current(), row.number); return share === null ? "" : percent(share); }},
  {key: "form", name: "schedule", kind: "text", value: row => formOf(row.kernel), text: row => formOf(row.kernel)},
];
const formOf = kernel => kernel.schedules.length ? kernel.schedules[0].schedule.split(" ")[0] : "";

function rowsOf(version) {
  const rows = version.kernels.map((kernel, number) => ({number, kernel, seconds: secondsOf(version, number)}));
  const wanted = tables.filter.trim().toLowerCase().split(/\s+/).filter(Boolean);
  return wanted.length ? rows.filter(row => {
    const text = [row.number, kernelName(row.kernel), placeText(row.kernel), formOf(row.kernel), row.kernel.type].join(" ").toLowerCase();
    return wanted.every(word => text.includes(word));
  }) : rows;
}

/// Fills a table. Rows that `choose` accepts can be selected by pointer and keyboard.
function fill(id, head, body) {
  byId(id).replaceChildren(make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
}
const cell = (text, kind = null) => make("td", {class: kind}, text);
const heading = (text, kind = null) => make("th", {scope: "col", class: kind}, text);

function drawKernels() {
  if (state.view !== "kernels") return;
  const version = current(), rows = rowsOf(version), column = columns.find(each => each.key === tables.sort);
  const shown = columns.filter(each => !each.needsProfile || isMeasured(version) && data.profile.limits);
  rows.sort((a, b) => {
    const left = column.value(a), right = column.value(b), order = typeof left === "string" ? left.localeCompare(right) : left - right;
    return (tables.down ? -order : order) || a.number - b.number;
  });
  const head = shown.map(each => make("th", {scope: "col", class: each.kind, "aria-sort": each.key === tables.sort ? (tables.down ? "descending" : "ascending") : null},
    make("button", {type: "button", click: () => {
      tables.down = each.key === tables.sort ? !tables.down : each.kind === undefined && each.key !== "number" && each.key !== "line";
      tables.sort = each.key;
      drawKernels();
    }}, each.key === "seconds" && !isMeasured(version) ? "time (model)" : each.name, each.key === tables.sort ? (tables.down ? " \u2193" : " \u2191") : "")));
  fill("kernels-table", head, rows.slice(0, tables.shown).map(row => make("tr", {
    tabindex: 0, "aria-selected": String(row.number === state.kernel), "data-kernel": row.number,
    click: () => change({kernel: row.number, tensor: null}),
    keydown: event => { if (event.key === "Enter" || event.key === " ") event.preventDefault(), change({kernel: row.number, tensor: null}); },
  }, ...shown.map(each => cell(each.text(row), each.kind)))));
  byId("kernels-status").textContent = `${grouped(rows.length)} of ${grouped(version.kernels.length)} kernels`;
  byId("kernels-more").hidden = rows.length <= tables.shown;
  byId("kernels-more").textContent = `Show all ${grouped(rows.length)}`;
  drawOps(version);
}

function drawOps(version) {
  const sums = new Map();
  version.kernels.forEach((kernel, number) => {
    const sum = sums.get(kernel.op) ?? {kernels: 0, seconds: 0, flop: 0, bytes: 0}, calls = callsOf(version, number);
    sums.set(kernel.op, {kernels: sum.kernels + 1, seconds: sum.seconds + secondsOf(version, number), flop: sum.flop + kernel.flop * calls, bytes: sum.bytes + kernel.bytes * calls});
  });
  const total = totalSeconds(version);
  fill("ops-table", [heading("op", "text"), ...["kernels", "time", "share", "FLOP", "bytes"].map(text => heading(text))],
    [...sums].sort((a, b) => b[1].seconds - a[1].seconds).map(([op, sum]) => make("tr", {"data-op": op}, cell(shortOp(op), "text"), cell(grouped(sum.kernels)),
      cell(timeText(sum.seconds)), cell(percent(total ? sum.seconds / total : 0)), cell(grouped(sum.flop)), cell(grouped(sum.bytes)))));
}

function drawLiveSet() {
  if (state.view !== "memory") return;
  const version = current(), set = version.largest_live_set;
  const order = [...set.tensors].sort((a, b) => version.tensors[b].bytes - version.tensors[a].bytes);
  fill("live-table", [heading("tensor", "text"), heading("bytes"), heading("type", "text"), heading("line"), heading("live", "text")], order.map(number => {
    const tensor = version.tensors[number];
    return make("tr", {tabindex: 0, "aria-selected": String(number === state.tensor), "data-tensor": number, click: () => change({tensor: number}),
                       keydown: event => { if (event.key === "Enter" || event.key === " ") event.preventDefault(), change({tensor: number}); }},
                cell(tensorName(tensor), "text"), cell(grouped(tensor.bytes)), cell(tensor.type, "text"), cell(tensor.node ?? String(tensor.line ?? "")),
                cell(spanText(tensor), "text"));
  }));
}

const facts = pairs => make("dl", {}, ...pairs.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]));
const list = (title, items) => items.length ? [make("h3", {}, title), make("ul", {}, ...items)] : [];

/// Returns the list of a kernel's ops, which is closed at first if it is long. The last op of a composite has its name.
function opsOf(kernel) {
  const items = kernel.ops.map((op, i) => make("li", {}, `${shortOp(op.op)} `, op.name && op.name !== kernel.ops[i + 1]?.name ? make("code", {}, "%" + op.name) : "",
    ` ${op.type}, ${placeText(op)}`));
  return items.length > 12 ? [make("details", {}, make("summary", {}, `${items.length} ops`), make("ul", {}, ...items))] : list("Ops", items);
}

function kernelDetails(version, number) {
  const kernel = version.kernels[number], share = limitShare(version, number), calls = callsOf(version, number);
  const pairs = [["Result", kernel.type || "none"], ["Place", placeText(kernel)],
                 [isMeasured(version) ? "Time" : "Time (model)", timeText(secondsOf(version, number)) + (calls > 1 ? ` in ${grouped(calls)} calls` : "")],
                 ["FLOP", grouped(kernel.flop)], ["Bytes", exactBytes(kernel.bytes)], ["Live", exactBytes(kernel.live_bytes)]];
  if (share !== null) pairs.push(["Of the limit", percent(share)]);
  const tensorItem = id => make("li", {}, make("button", {type: "button", "data-tensor": id, click: () => change({tensor: id})}, tensorName(version.tensors[id])),
    ` ${version.tensors[id].type}, ${version.tensors[id].kind}`);
  return [make("h2", {}, `Kernel ${number}: ${kernelName(kernel)}`), facts(pairs),
    ...list("Decisions at these lines", kernel.why.map(id => data.decisions[id]).map(each => make("li", {class: "why"},
      make("span", {class: each.kind === "passed" ? "yes" : "no", "aria-label": each.kind === "passed" ? "done" : "not done"}, each.kind === "passed" ? "\u2713" : "\u2717"),
      make("span", {}, make("span", {class: "stage"}, each.stage + ": "), each.text)))),
    ...list("Schedules", kernel.schedules.map(each => make("li", {class: "schedule"}, `${each.target}: `, make("code", {}, each.schedule)))),
    ...opsOf(kernel),
    ...list("Reads", kernel.reads.map(tensorItem)), ...list("Writes", kernel.writes.map(tensorItem))];
}

function tensorDetails(version, number) {
  const tensor = version.tensors[number], pairs = [["Type", tensor.type], ["Place", placeText(tensor)], ["Memory", tensor.kind], ["Bytes", exactBytes(tensor.bytes)]];
  if (tensor.offset !== undefined) pairs.push(["Address", `${grouped(tensor.offset)} to ${grouped(tensor.offset + tensor.bytes)}`]);
  const region = version.regions[tensor.region];
  if (region) pairs.push(["Returned by", `${shortOp(region.op)}, ${placeText(region)}`]);
  pairs.push(["Live", spanText(tensor)]);
  if (version.largest_live_set.tensors.includes(number)) pairs.push(["Peak", "in the largest live set"]);
  const kernels = version.kernels.map((kernel, id) => ({kernel, id})).slice(tensor.first, tensor.last + 1);
  const item = ({kernel, id}) => make("li", {}, make("button", {type: "button", "data-kernel": id, click: () => change({kernel: id, tensor: null})}, `Kernel ${id}`), ` ${kernelName(kernel)}`);
  return [make("h2", {}, `Tensor ${tensorName(tensor)}`), facts(pairs), ...list("Written by", kernels.filter(each => each.kernel.writes.includes(number)).slice(0, 20).map(item)),
    ...list("Read by", kernels.filter(each => each.kernel.reads.includes(number)).slice(0, 20).map(item))];
}

function drawDetails() {
  const version = current(), children = state.tensor !== null ? tensorDetails(version, state.tensor)
    : state.kernel !== null ? kernelDetails(version, state.kernel) : [make("h2", {}, "Nothing selected"),
      make("p", {class: "lead"}, "Choose a kernel or a tensor in a view, or a line of the source.")];
  byId("details").replaceChildren(...children);
}

// ---- The source: only the lines in view are elements.
const kRow = 18;
const lines = (data.source ?? "").split("\n");

/// Returns the kernels of each line, those whose op it is first.
function kernelsByLine(version) {
  if (version.byLine) return version.byLine;
  version.byLine = new Map();
  const add = (at, number) => {
    if (!at.line || at.file || at.node) return;
    const known = version.byLine.get(at.line) ?? [];
    if (!known.includes(number)) version.byLine.set(at.line, [...known, number]);
  };
  version.kernels.forEach((kernel, number) => add(kernel, number));
  version.shares = new Map();
  const total = totalSeconds(version);
  for (const [line, numbers] of version.byLine) version.shares.set(line, numbers.reduce((sum, number) => sum + secondsOf(version, number), 0) / total);
  version.kernels.forEach((kernel, number) => kernel.ops.forEach(op => add(op, number)));
  return version.byLine;
}

function selectedLines() {
  const version = current(), chosen = new Set();
  const add = at => { if (at.line && !at.file && !at.node) chosen.add(at.line); };
  if (state.tensor !== null) add(version.tensors[state.tensor]);
  else if (state.kernel !== null) [version.kernels[state.kernel], ...version.kernels[state.kernel].ops].forEach(add);
  return chosen;
}

function drawSource(reveal) {
  const holder = byId("source"), version = current();
  byId("source-section").hidden = !data.source;
  if (!data.source) return;
  const byLine = kernelsByLine(version), chosen = selectedLines();
  const rows = holder.firstElementChild ?? holder.appendChild(make("div", {class: "rows", role: "presentation", style: `height: ${lines.length * kRow}px`}));
  if (reveal && chosen.size) {
    const top = (Math.min(...chosen) - 1) * kRow;
    if (top < holder.scrollTop || top > holder.scrollTop + holder.clientHeight - 2 * kRow) holder.scrollTop = Math.max(0, top - holder.clientHeight / 3);
  }
  const first = Math.max(0, Math.floor(holder.scrollTop / kRow) - 8), last = Math.min(lines.length, first + Math.ceil(holder.clientHeight / kRow) + 16);
  const shown = [];
  for (let i = first; i < last; ++i) {
    const numbers = byLine.get(i + 1), share = version.shares.get(i + 1);
    shown.push(make("div", {class: "row" + (numbers ? " has" : "") + (chosen.has(i + 1) ? " on" : ""), style: `top: ${i * kRow}px`, role: "option", id: `line-${i + 1}`,
                             "aria-selected": String(chosen.has(i + 1)), "data-line": i + 1, click: () => chooseLine(i + 1)},
      make("span", {class: "number"}, String(i + 1)), make("span", {class: "share"}, share ? percent(share) : ""), lines[i]));
  }
  rows.replaceChildren(...shown);
}

/// Selects the first kernel of a line, or the next one if a kernel of the line is selected.
function chooseLine(line) {
  const numbers = kernelsByLine(current()).get(line);
  if (!numbers) return;
  const at = numbers.indexOf(state.kernel), next = numbers[(at + 1) % numbers.length];
  change({kernel: next, tensor: null, path: pathTo(current(), next)});
}

byId("source").addEventListener("scroll", () => drawSource(false));
byId("source").addEventListener("keydown", event => {
  const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
  if (!step) return;
  event.preventDefault();
  const order = [...kernelsByLine(current()).keys()].sort((a, b) => a - b), at = Math.min(...selectedLines(), Infinity);
  const next = step > 0 ? order.find(line => !(line <= at) || at === Infinity) : order.findLast(line => line < at);
  if (next !== undefined) {
    state.kernel = null;
    chooseLine(next);
    byId("source").setAttribute("aria-activedescendant", `line-${next}`);
  }
});
byId("filter").addEventListener("input", event => {
  tables.filter = event.target.value;
  tables.shown = 200;
  drawKernels();
});
byId("kernels-more").addEventListener("click", () => {
  tables.shown = Infinity;
  drawKernels();
});

watch(() => {
  const row = document.activeElement?.closest?.("#kernels-table tr")?.dataset.kernel, live = document.activeElement?.closest?.("#live-table tr")?.dataset.tensor;
  drawKernels();
  drawLiveSet();
  if (row !== undefined) byId("kernels-table").querySelector(`[data-kernel="${row}"]`)?.focus({preventScroll: true});
  if (live !== undefined) byId("live-table").querySelector(`[data-tensor="${live}"]`)?.focus({preventScroll: true});
  drawDetails();
  drawSource(true);
});
