// The roofline: operations per second over operations per byte, both logarithmic. Kernels without arithmetic have a strip of their
// own, by bytes per second.
const roof = {points: []};

/// Returns the limits to draw: measured ones with a profile, else those of the compiler's cost model for one core.
function limitsOf(version) {
  const limits = isMeasured(version) ? data.profile.limits : null;
  if (limits) {
    const first = limits.bandwidth[0], last = limits.bandwidth.at(-1);
    const isDouble = version.kernels.some(kernel => kernel.type.startsWith("f64")) && !version.kernels.some(kernel => kernel.type.startsWith("f32"));
    return {peak: isDouble ? limits.f64_flops : limits.f32_flops, peakName: isDouble ? "f64 peak" : "f32 peak", roofs: [{speed: last.bytes_per_second, name: "memory"}, {speed: first.bytes_per_second, name: "first cache"}]};
  }
  if (isMeasured(version)) return {peak: 0, roofs: []};
  return {peak: 60e9, peakName: "model: products", roofs: [{speed: 10e9, name: "model: memory"}]};
}

/// Returns a point for each kernel that ran.
function pointsOf(version) {
  return version.kernels.map((kernel, number) => {
    const seconds = secondsOf(version, number), calls = callsOf(version, number);
    return {number, kernel, seconds, flops: seconds ? kernel.flop * calls / seconds : 0, speed: seconds ? kernel.bytes * calls / seconds : 0,
            intensity: kernel.bytes ? kernel.flop / kernel.bytes : 0};
  }).filter(point => point.seconds > 0 && (point.speed > 0 || point.flops > 0));
}

const logScale = (low, high, from, to) => value => from + (Math.log10(value) - Math.log10(low)) / (Math.log10(high) - Math.log10(low)) * (to - from);
const powers = (low, high) => Array.from({length: Math.max(0, Math.floor(Math.log10(high)) - Math.ceil(Math.log10(low)) + 1)}, (_, i) => 10 ** (Math.ceil(Math.log10(low)) + i));
const rate = value => scaled(value, ["", "k", "M", "G", "T"], 1000);

function drawRoofline() {
  if (state.view !== "roofline") return;
  const version = current(), {context, width, height} = canvasOf(byId("roofline"), 440), limits = limitsOf(version);
  const points = pointsOf(version), computing = points.filter(point => point.flops > 0 && point.intensity > 0), moving = points.filter(point => !point.flops);
  const left = 62, right = width - 14, top = 14, bottom = moving.length ? height - 118 : height - 40;
  const lowX = 10 ** Math.floor(Math.log10(Math.min(0.1, ...computing.map(point => point.intensity)))), highX = Math.max(100, ...computing.map(point => point.intensity * 2));
  const highY = Math.max(limits.peak, ...computing.map(point => point.flops), 1e9) * 2, lowY = Math.min(highY / 1e3, ...computing.map(point => point.flops / 2));
  const x = logScale(lowX, highX, left, right), y = logScale(lowY, highY, bottom, top);
  context.fillStyle = colorOf("--sheet");
  context.fillRect(0, 0, width, height);
  drawRoofAxes(context, {left, right, top, bottom, lowX, highX, lowY, highY, x, y});
  drawRoofs(context, limits, {left, right, lowX, highX, lowY, x, y});
  roof.points = computing.map(point => ({...point, x: x(point.intensity), y: y(point.flops)}));
  if (moving.length) drawMoves(context, moving, limits, {left, right, top: height - 66, bottom: height - 40});
  const longest = Math.max(...points.map(point => point.seconds), 1e-12);
  for (const point of roof.points) drawPoint(context, point, 3.2 + 5 * Math.sqrt(point.seconds / longest));
}

function drawRoofAxes(context, {left, right, top, bottom, lowX, highX, lowY, highY, x, y}) {
  context.strokeStyle = colorOf("--line");
  context.fillStyle = colorOf("--quiet");
  context.lineWidth = 1;
  context.textAlign = "center";
  for (const at of powers(lowX, highX)) {
    line(context, Math.round(x(at)) + 0.5, top, Math.round(x(at)) + 0.5, bottom);
    context.fillText(at >= 1 ? grouped(at) : String(+at.toPrecision(1)), x(at), bottom + 15);
  }
  context.fillText("FLOP per byte of inputs and results", (left + right) / 2, bottom + 31);
  context.textAlign = "right";
  for (const at of powers(lowY, highY)) {
    line(context, left, Math.round(y(at)) + 0.5, right, Math.round(y(at)) + 0.5);
    context.fillText(rate(at), left - 6, y(at) + 4);
  }
  context.save();
  context.translate(12, (top + bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillText("FLOP/s", 0, 0);
  context.restore();
  context.textAlign = "left";
}

function line(context, x1, y1, x2, y2) {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}

/// Draws the bandwidths as slopes up to the peak, and names them.
function drawRoofs(context, limits, {left, right, lowX, highX, lowY, x, y}) {
  context.lineWidth = 1.5;
  context.strokeStyle = context.fillStyle = colorOf("--ink");
  if (!limits.peak) return;
  const fastest = Math.max(...limits.roofs.map(each => each.speed));
  line(context, x(Math.max(lowX, limits.peak / fastest)), y(limits.peak), right, y(limits.peak));
  context.textAlign = "right";
  context.fillText(`${limits.peakName}: ${rate(limits.peak)}FLOP/s`, right - 4, y(limits.peak) - 12);
  context.textAlign = "left";
  limits.roofs.forEach((each, number) => {
    const from = Math.max(lowX, lowY / each.speed), to = Math.min(highX, limits.peak / each.speed);
    context.setLineDash(number ? [6, 4] : []);
    line(context, x(from), y(from * each.speed), x(to), y(to * each.speed));
    context.setLineDash([]);
    context.save();
    context.translate(x(from), y(from * each.speed));
    context.rotate(Math.atan2(y(to * each.speed) - y(from * each.speed), x(to) - x(from)));
    context.fillText(`${each.name}: ${rate(each.speed)}B/s`, 8, number ? -5 : 14);
    context.restore();
  });
}

/// Draws the kernels without arithmetic by their bytes per second.
function drawMoves(context, moving, limits, {left, right, top, bottom}) {
  const speeds = [...moving.map(point => point.speed), ...limits.roofs.map(each => each.speed)];
  const low = 10 ** Math.floor(Math.log10(Math.min(...speeds))), high = 10 ** Math.ceil(Math.log10(Math.max(...speeds) * 1.01));
  const x = logScale(low, high, left, right), middle = (top + bottom) / 2;
  context.strokeStyle = colorOf("--line");
  context.fillStyle = colorOf("--quiet");
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
  context.textAlign = "center";
  for (const at of powers(low, high)) {
    line(context, x(at), top, x(at), bottom);
    context.fillText(rate(at) + "B/s", Math.min(right - 18, Math.max(left + 14, x(at))), bottom + 14);
  }
  context.fillText("kernels without arithmetic, by bytes per second", (left + right) / 2, bottom + 30);
  context.textAlign = "left";
  const longest = Math.max(...moving.map(point => point.seconds), 1e-12);
  for (const point of moving) {
    const placed = {...point, x: x(point.speed), y: middle};
    roof.points.push(placed);
  }
  context.strokeStyle = colorOf("--ink");
  for (const each of limits.roofs) line(context, x(each.speed), top - 4, x(each.speed), bottom + 3);
}

function drawPoint(context, point, radius) {
  const kind = classes[classOf(point.kernel)], path = new Path2D(outline(kind.shape, point.x, point.y, radius)), isChosen = point.number === state.kernel;
  context.globalAlpha = isChosen ? 1 : 0.75;
  context.fillStyle = colorOf(kind.color);
  context.fill(path);
  context.globalAlpha = 1;
  context.lineWidth = isChosen ? 3 : 1;
  context.strokeStyle = isChosen ? colorOf("--ink") : colorOf("--sheet");
  context.stroke(path);
}

function pointText(point) {
  const version = current(), share = limitShare(version, point.number), calls = callsOf(version, point.number);
  return `kernel ${point.number}: ${kernelName(point.kernel)}, ${placeText(point.kernel)}\n` +
    `${timeText(point.seconds)}${calls > 1 ? ` in ${calls} calls` : ""}${isMeasured(version) ? "" : ", estimated"}\n` +
    `${rate(point.flops)}FLOP/s, ${rate(point.speed)}B/s` + (share === null ? "" : `, ${percent(share)} of the limit`);
}

function nearestPoint(event) {
  const area = byId("roofline").getBoundingClientRect(), px = event.clientX - area.left, py = event.clientY - area.top;
  let best = null, least = 14;
  for (const point of roof.points) {
    const distance = Math.hypot(point.x - px, point.y - py);
    if (distance < least) least = distance, best = point;
  }
  return {point: best, px, py};
}

(() => {
  const canvas = byId("roofline");
  canvas.addEventListener("pointermove", event => {
    const {point, px, py} = nearestPoint(event);
    canvas.style.cursor = point ? "pointer" : "default";
    showTip("roofline-tip", point ? pointText(point) : "", px, py);
  });
  canvas.addEventListener("pointerleave", () => showTip("roofline-tip", ""));
  canvas.addEventListener("blur", () => showTip("roofline-tip", ""));
  canvas.addEventListener("click", event => {
    const {point} = nearestPoint(event);
    if (point) change({kernel: point.number, tensor: null});
  });
  canvas.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1, Home: -1e9, End: 1e9}[event.key];
    if (!step || !roof.points.length) return;
    event.preventDefault();
    const order = [...roof.points].sort((a, b) => b.seconds - a.seconds), at = order.findIndex(point => point.number === state.kernel);
    const next = order[Math.max(0, Math.min(order.length - 1, at < 0 ? 0 : at + step))];
    change({kernel: next.number, tensor: null});
    showTip("roofline-tip", pointText(next), next.x, next.y);
  });
})();

watch(() => {
  if (state.view !== "roofline") return;
  drawRoofline();
  const chosen = roof.points.find(point => point.number === state.kernel);
  byId("roofline-status").textContent = chosen ? pointText(chosen).replaceAll("\n", ", ") : "";
});
