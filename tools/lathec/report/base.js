// What all views share: the document, the selection, and how numbers are written.
const data = JSON.parse(document.getElementById("document").textContent);
const byId = id => document.getElementById(id);

/// The selection. Views redraw when it changes; `watch` adds one.
const state = {version: 0, kernel: null, tensor: null, view: "graph", path: []};
const watchers = [];
const watch = draw => watchers.push(draw);
function change(values) {
  Object.assign(state, values);
  for (const draw of watchers) draw(values);
}
const current = () => data.versions[state.version];

/// Makes an element of HTML or, with a name such as "svg:rect", of SVG. Attributes that are functions become listeners.
function make(name, attributes = {}, ...children) {
  const isSvg = name.startsWith("svg:");
  const element = isSvg ? document.createElementNS("http://www.w3.org/2000/svg", name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const grouped = number => Math.round(number).toString().replace(/\B(?=(\d{3})+$)/g, "\u202f");

/// Returns a number with three digits and a unit of thousands: "12.3 M".
function scaled(number, units, base) {
  let unit = 0;
  while (Math.abs(number) >= base && unit + 1 < units.length) number /= base, ++unit;
  const digits = unit === 0 && Number.isInteger(number) ? 0 : Math.abs(number) >= 100 ? 0 : Math.abs(number) >= 10 ? 1 : 2;
  return number.toFixed(digits) + (units[unit] ? "\u00a0" + units[unit] : "");
}
const flopText = count => scaled(count, ["", "k", "M", "G", "T", "P"], 1000) + (count < 1000 ? "\u00a0FLOP" : "FLOP");
const bytesText = count => scaled(count, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
const exactBytes = count => grouped(count) + "\u00a0bytes" + (count >= 1024 ? " (" + bytesText(count) + ")" : "");
const timeText = seconds => seconds >= 1 ? seconds.toFixed(2) + "\u00a0s" : seconds >= 1e-3 ? (seconds * 1e3).toFixed(2) + "\u00a0ms"
  : (seconds * 1e6).toFixed(seconds >= 1e-4 ? 0 : 1) + "\u00a0\u00b5s";
const shortOp = op => op.replace(/^lathe\./, "");
const percent = share => (100 * share).toFixed(share < 0.0995 ? 1 : 0) + "\u202f%";

/// The classes of kernels, each with a colour and a shape of its own.
const classes = {
  product: {name: "products and convolutions", shape: "square", color: "--product"},
  compute: {name: "elementwise", shape: "circle", color: "--compute"},
  sum: {name: "reductions and scans", shape: "triangle", color: "--sum"},
  move: {name: "moves only", shape: "diamond", color: "--move"},
};
function classOf(kernel) {
  if (kernel.product_flop > 0) return "product";
  if (!kernel.flop) return "move";
  return /reduce|cumulative|recurrence|arg(max|min)|sort|top_k|softmax/.test(kernel.op + " " + kernel.fused) ? "sum" : "compute";
}
const colorOf = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/// The outline of a shape around a point, as commands that SVG and canvas both read.
function outline(shape, x, y, r) {
  switch (shape) {
    case "square": return `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`;
    case "triangle": return `M${x} ${y - r * 1.15}L${x + r * 1.15} ${y + r}H${x - r * 1.15}z`;
    case "diamond": return `M${x} ${y - r * 1.3}L${x + r * 1.3} ${y}L${x} ${y + r * 1.3}L${x - r * 1.3} ${y}z`;
    default: return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`;
  }
}
const sign = (shape, color) => make("svg:svg", {viewBox: "0 0 12 12", "aria-hidden": "true"},
  make("svg:path", {d: outline(shape, 6, 6, 4.2), style: `fill: var(${color})`}));
function drawLegend(id) {
  byId(id).replaceChildren(...Object.values(classes).map(each => make("span", {}, sign(each.shape, each.color), each.name)));
}

/// Returns the seconds of all calls of a kernel: those of the profile, or null without one for this version.
function profileOf(version) {
  const profile = data.profile;
  if (!profile || profile.function !== version.function || profile.version !== version.version) return null;
  if (!version.times) {
    version.times = new Map(profile.rows.map(row => [row.row, row]));
    version.total = profile.rows.reduce((sum, row) => sum + row.seconds, 0);
  }
  return version.times;
}
/// Returns how long a kernel takes: measured, or as the compiler estimates it, for all of its calls.
function secondsOf(version, number) {
  const times = profileOf(version);
  return times ? (times.get(number)?.seconds ?? 0) : version.kernels[number].estimate_ns * 1e-9;
}
const callsOf = (version, number) => profileOf(version) ? (profileOf(version).get(number)?.calls ?? 0) : 1;
function totalSeconds(version) {
  if (profileOf(version)) return version.total;
  version.estimate ??= version.kernels.reduce((sum, kernel) => sum + kernel.estimate_ns * 1e-9, 0);
  return version.estimate;
}
const isMeasured = version => profileOf(version) !== null;

/// Returns the share of the machine's limit that a kernel reaches; null without a profile with limits.
function limitShare(version, number) {
  const limits = data.profile?.limits, seconds = secondsOf(version, number), calls = callsOf(version, number);
  if (!isMeasured(version) || !limits || !seconds) return null;
  const kernel = version.kernels[number], isDouble = kernel.type.startsWith("f64");
  const level = limits.bandwidth.find(each => kernel.bytes <= each.working_set) ?? limits.bandwidth.at(-1);
  const least = Math.max(kernel.flop / (isDouble ? limits.f64_flops : limits.f32_flops), kernel.bytes / level.bytes_per_second);
  return least * calls / seconds;
}

/// Returns "dot_general + add \u00d72, exp": the op that names a kernel, and how often each other op is in it. Constants are left out.
function kernelName(kernel) {
  if (kernel.name) return kernel.name;
  const counts = new Map();
  for (const op of kernel.fused.split(" ").map(shortOp))
    if (op && op !== "constant") counts.set(op, (counts.get(op) ?? 0) + 1);
  const parts = [...counts].map(([op, count]) => op + (count > 1 ? ` \u00d7${count}` : ""));
  return kernel.name = shortOp(kernel.op) + (parts.length ? " + " + parts.slice(0, 6).join(", ") + (parts.length > 6 ? ", \u2026" : "") : "");
}
const placeText = at => at.node ? `'${at.node}'` : at.line ? `line ${at.line}` + (at.file ? ` of ${at.file}` : "") : "no line";
const tensorName = tensor => tensor.name ? (/^@|^second buffer/.test(tensor.name) ? tensor.name : "%" + tensor.name)
  : tensor.op ? shortOp(tensor.op) + (tensor.line ? ` of line ${tensor.line}` : "") : tensor.kind;

/// Prepares a canvas for drawing in CSS pixels. Returns its context, width and height.
function canvasOf(canvas, height) {
  const width = canvas.parentElement.clientWidth, ratio = window.devicePixelRatio || 1;
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = "11px system-ui, sans-serif";
  return {context, width, height};
}

/// Shows a text beside a point of a plot, inside of the plot.
function showTip(id, text, x, y) {
  const tip = byId(id);
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  const room = tip.parentElement.getBoundingClientRect(), own = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, room.width - own.width - 4)) + "px";
  tip.style.top = Math.max(4, y + 18 + own.height > room.height ? y - own.height - 10 : y + 18) + "px";
}
