// The workspace: address over the order of kernels. Each tensor is a rectangle from its first to its last kernel.
const memory = {from: 0, to: 1, boxes: []};

/// Returns the tensors of the workspace, in the order in which they begin.
function workspaceOf(version) {
  version.order ??= version.tensors.map((tensor, number) => ({tensor, number})).filter(({tensor}) => tensor.kind === "workspace" && tensor.bytes > 0)
    .sort((a, b) => a.tensor.first - b.tensor.first || a.tensor.offset - b.tensor.offset);
  return version.order;
}

const spanText = tensor => tensor.first === tensor.last ? `kernel ${tensor.first}` : `kernels ${tensor.first} to ${tensor.last}`;
function tensorText(tensor) {
  return `${tensorName(tensor)}: ${tensor.type}, ${placeText(tensor)}\n${exactBytes(tensor.bytes)}${tensor.offset === undefined ? "" : ` at ${grouped(tensor.offset)}`}\n` +
    `live from ${spanText(tensor)}`;
}

/// Returns round numbers up to `most`, about `count` of them.
function ticks(most, count, base) {
  if (!(most > 0)) return [0];
  let step = base === 2 ? 2 ** Math.round(Math.log2(most / count)) : 10 ** Math.floor(Math.log10(most / count));
  if (base !== 2) step *= [1, 2, 5, 10].find(factor => most / (step * factor) <= count) ?? 10;
  const all = [];
  for (let at = 0; at <= most; at += Math.max(step, 1)) all.push(at);
  return all;
}

function drawMemory() {
  if (state.view !== "memory") return;
  const version = current(), {context, width, height} = canvasOf(byId("memory"), 380), count = Math.max(1, version.kernels.length);
  const left = 66, right = width - 12, top = 14, bottom = height - 34, from = memory.from * count, to = memory.to * count;
  const x = kernel => left + (kernel - from) / (to - from) * (right - left), most = Math.max(1, version.workspace);
  const y = address => bottom - address / most * (bottom - top), inPeak = new Set(version.largest_live_set.tensors);
  context.fillStyle = colorOf("--sheet");
  context.fillRect(0, 0, width, height);
  drawMemoryAxes(context, {left, right, top, bottom, x, y, from, to, most});
  context.save();
  context.beginPath();
  context.rect(left, top - 6, right - left, bottom - top + 12);
  context.clip();
  memory.boxes = [];
  const hatch = hatchOf(context), drawn = {accent: colorOf("--accent"), soft: colorOf("--accent-soft"), line: colorOf("--faint"), shade: colorOf("--shade"), ink: colorOf("--ink")};
  for (const {tensor, number} of workspaceOf(version)) {
    const box = {number, x: x(tensor.first), y: y(tensor.offset + tensor.bytes), w: 0, h: 0};
    box.w = Math.max(1.5, x(tensor.last + 1) - box.x);
    box.h = Math.max(1.5, y(tensor.offset) - box.y);
    if (box.x > right || box.x + box.w < left) continue;
    memory.boxes.push(box);
    drawBox(context, box, inPeak.has(number), number === state.tensor, hatch, drawn, tensor);
  }
  drawLiveLine(context, version, x, y);
  drawPeak(context, version, x, top, bottom, right);
  context.restore();
}

function drawBox(context, box, isInPeak, isChosen, hatch, drawn, tensor) {
  const gap = box.w > 5 ? 1 : 0, high = box.h > 4 ? 0.5 : 0;
  context.fillStyle = isInPeak ? drawn.soft : drawn.shade;
  context.fillRect(box.x, box.y + high, box.w - gap, box.h - high);
  if (isInPeak && box.w > 3 && box.h > 3) {
    context.fillStyle = hatch;
    context.fillRect(box.x, box.y + high, box.w - gap, box.h - high);
  }
  if (box.w > 3 && box.h > 3 || isChosen) {
    context.strokeStyle = isChosen ? drawn.ink : isInPeak ? drawn.accent : drawn.line;
    context.lineWidth = isChosen ? 2.5 : 1;
    context.strokeRect(box.x + 0.5, box.y + high + 0.5, Math.max(1, box.w - gap - 1), Math.max(1, box.h - high - 1));
  }
  const text = tensorName(tensor);
  if (box.h > 15 && box.w > 8 + 6.2 * text.length) {
    context.fillStyle = isInPeak ? drawn.soft : drawn.shade;
    context.fillRect(box.x + 4, box.y + box.h / 2 - 7, context.measureText(text).width + 6, 14);
    context.fillStyle = drawn.ink;
    context.fillText(text, box.x + 7, box.y + box.h / 2 + 4);
  }
}

/// Returns a pattern of diagonal lines, which marks the largest live set besides its colour.
function hatchOf(context) {
  const tile = make("canvas", {width: 8, height: 8}), paint = tile.getContext("2d");
  paint.strokeStyle = colorOf("--accent");
  paint.globalAlpha = 0.35;
  paint.beginPath();
  for (const shift of [-8, 0, 8]) {
    paint.moveTo(shift, 8);
    paint.lineTo(shift + 8, 0);
  }
  paint.stroke();
  return context.createPattern(tile, "repeat");
}

function drawMemoryAxes(context, {left, right, top, bottom, x, y, from, to, most}) {
  context.strokeStyle = colorOf("--line");
  context.fillStyle = colorOf("--quiet");
  context.lineWidth = 1;
  context.textAlign = "right";
  for (const at of ticks(most, 5, 2)) {
    context.beginPath();
    context.moveTo(left, Math.round(y(at)) + 0.5);
    context.lineTo(right, Math.round(y(at)) + 0.5);
    context.stroke();
    context.fillText(bytesText(at), left - 7, y(at) + 4);
  }
  context.textAlign = "center";
  for (const at of ticks(to, Math.max(2, (right - left) / 90), 10))
    if (at >= from && at < to) context.fillText(String(at), x(at + 0.5), bottom + 14);
  context.fillText("kernels in their order", (left + right) / 2, bottom + 29);
  context.textAlign = "left";
}

/// Draws the live bytes of each kernel as a line of steps.
function drawLiveLine(context, version, x, y) {
  context.strokeStyle = colorOf("--ink");
  context.lineWidth = 1.2;
  context.setLineDash([4, 3]);
  context.beginPath();
  version.kernels.forEach((kernel, number) => {
    context.lineTo(x(number), y(kernel.live_bytes));
    context.lineTo(x(number + 1), y(kernel.live_bytes));
  });
  context.stroke();
  context.setLineDash([]);
}

function drawPeak(context, version, x, top, bottom, right) {
  if (!version.largest_live_set.bytes) return;
  const at = x(version.largest_live_set.kernel), end = x(version.largest_live_set.kernel + 1), color = colorOf("--mark");
  context.strokeStyle = context.fillStyle = color;
  context.lineWidth = 1.5;
  context.strokeRect(at, top - 4, Math.max(1, end - at), bottom - top + 8);
  context.beginPath();
  context.moveTo((at + end) / 2 - 5, bottom + 6);
  context.lineTo((at + end) / 2 + 5, bottom + 6);
  context.lineTo((at + end) / 2, bottom);
  context.fill();
}

/// Sets the part of the order that is shown, around a middle from 0 to 1.
function showRange(middle, share) {
  const least = Math.min(1, 6 / Math.max(1, current().kernels.length)), part = Math.min(1, Math.max(least, share));
  memory.from = Math.max(0, Math.min(1 - part, middle - part / 2));
  memory.to = memory.from + part;
  drawMemory();
}
const zoomMemory = factor => showRange((memory.from + memory.to) / 2, (memory.to - memory.from) * factor);

function tellTensor(number) {
  const tensor = current().tensors[number];
  byId("memory-status").textContent = tensor ? tensorText(tensor).replaceAll("\n", ", ") : "";
}

/// Selects the next tensor in the order of first kernels, and shows it.
function stepTensor(step) {
  const order = workspaceOf(current());
  if (!order.length) return;
  const at = order.findIndex(each => each.number === state.tensor);
  const next = order[Math.max(0, Math.min(order.length - 1, at < 0 ? 0 : at + step))];
  change({tensor: next.number});
  const count = current().kernels.length, middle = (next.tensor.first + next.tensor.last + 1) / 2 / count;
  if (middle < memory.from || middle > memory.to) showRange(middle, memory.to - memory.from);
  const box = memory.boxes.find(each => each.number === next.number);
  if (box) showTip("memory-tip", tensorText(next.tensor), box.x + box.w / 2, box.y + box.h / 2);
}

function boxAt(event) {
  const area = byId("memory").getBoundingClientRect(), px = event.clientX - area.left, py = event.clientY - area.top;
  const inside = memory.boxes.filter(box => px >= box.x && px <= box.x + box.w && py >= box.y && py <= box.y + box.h);
  return {box: inside.sort((a, b) => a.w * a.h - b.w * b.h)[0], px, py};
}

(() => {
  const canvas = byId("memory");
  let drag = null;
  canvas.addEventListener("pointermove", event => {
    if (drag && event.buttons) {
      const part = memory.to - memory.from, moved = (event.clientX - drag.x) / canvas.clientWidth * part;
      if (Math.abs(event.clientX - drag.x) > 3) drag.moved = true;
      return showRange(drag.middle - moved, part);
    }
    const {box, px, py} = boxAt(event);
    canvas.style.cursor = box ? "pointer" : "default";
    showTip("memory-tip", box ? tensorText(current().tensors[box.number]) : "", px, py);
  });
  canvas.addEventListener("pointerleave", () => showTip("memory-tip", ""));
  canvas.addEventListener("pointerdown", event => { drag = {x: event.clientX, middle: (memory.from + memory.to) / 2, moved: false}; });
  canvas.addEventListener("click", event => {
    const {box} = boxAt(event);
    if (!drag?.moved && box) change({tensor: box.number});
    drag = null;
  });
  canvas.addEventListener("blur", () => showTip("memory-tip", ""));
  canvas.addEventListener("wheel", event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomMemory(event.deltaY > 0 ? 1.25 : 0.8);
  }, {passive: false});
  canvas.addEventListener("keydown", event => {
    const keys = {ArrowRight: () => stepTensor(1), ArrowDown: () => stepTensor(1), ArrowLeft: () => stepTensor(-1), ArrowUp: () => stepTensor(-1),
                  Home: () => stepTensor(-1e9), End: () => stepTensor(1e9), "+": () => zoomMemory(0.5), "=": () => zoomMemory(0.5),
                  "-": () => zoomMemory(2), 0: () => showRange(0.5, 1), Escape: () => showTip("memory-tip", "")};
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });
  byId("memory-in").addEventListener("click", () => zoomMemory(0.5));
  byId("memory-out").addEventListener("click", () => zoomMemory(2));
  byId("memory-reset").addEventListener("click", () => showRange(0.5, 1));
  byId("memory-peak").addEventListener("click", () => {
    const version = current();
    showRange((version.largest_live_set.kernel + 0.5) / Math.max(1, version.kernels.length), 20 / Math.max(1, version.kernels.length));
  });
})();

watch(values => {
  if ("version" in values) memory.from = 0, memory.to = 1;
  if (state.view !== "memory") return;
  drawMemory();
  tellTensor(state.tensor);
});
