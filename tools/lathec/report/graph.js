// The graph from coarse to fine: groups of kernels, kernels, and the ops in a kernel. A level shows few enough nodes to be read.
const kMostNodes = 40;

/// Returns the tree of a version: kernels in their order, branches and loops as groups, and long runs in parts.
function treeOf(version) {
  if (version.tree) return version.tree;
  const regions = version.regions.filter(region => region.first !== undefined);
  const childrenOf = (first, last, parent) => {
    const items = [];
    for (let at = first; at <= last;) {
      const inner = regions.find(region => region.first === at && region.last <= last && (region.parent ?? -1) === parent);
      if (inner) {
        const number = version.regions.indexOf(inner);
        items.push({first: inner.first, last: inner.last, region: inner, children: childrenOf(inner.first, inner.last, number)});
        at = inner.last + 1;
      } else {
        items.push({first: at, last: at, kernel: at});
        ++at;
      }
    }
    return parted(items);
  };
  version.tree = {first: 0, last: version.kernels.length - 1, children: childrenOf(0, version.kernels.length - 1, -1)};
  return version.tree;
}

/// Returns items in equal parts if there are too many of them.
function parted(items) {
  if (items.length <= kMostNodes) return items;
  const parts = Math.min(24, Math.ceil(Math.sqrt(items.length))), size = Math.ceil(items.length / parts), groups = [];
  for (let i = 0; i < items.length; i += size) {
    const children = parted(items.slice(i, i + size));
    groups.push({first: children[0].first, last: children.at(-1).last, children});
  }
  return groups;
}

/// Returns, for each kernel, the kernels whose results it reads.
function readsOf(version) {
  if (version.readsFrom) return version.readsFrom;
  const writers = new Map();
  version.readsFrom = version.kernels.map((kernel, number) => {
    const from = new Set();
    for (const tensor of kernel.reads) {
      const region = version.regions[version.tensors[tensor].region];
      const writer = writers.get(tensor) ?? (region?.last < number ? region.last : undefined); // of the values that a branch or loop returns
      if (writer !== undefined) from.add(writer);
    }
    for (const tensor of kernel.writes) writers.set(tensor, number);
    return [...from];
  });
  return version.readsFrom;
}

/// Returns the nodes of a level, and its edges as pairs of node numbers.
function levelOf(version) {
  let at = treeOf(version);
  for (const step of state.path) at = at.children[step];
  if (at.kernel !== undefined) return opsLevel(version, at.kernel);
  const nodeOf = new Map();
  at.children.forEach((child, i) => { for (let k = child.first; k <= child.last; ++k) nodeOf.set(k, i); });
  const edges = new Set(), from = readsOf(version);
  for (let k = at.first; k <= at.last; ++k)
    for (const other of from[k])
      if (nodeOf.has(other) && nodeOf.get(other) !== nodeOf.get(k)) edges.add(nodeOf.get(other) + ":" + nodeOf.get(k));
  const nodes = at.children.map((child, i) => child.kernel !== undefined ? kernelNode(version, child.kernel, i) : groupNode(version, child, i));
  return {nodes, edges: [...edges].map(pair => pair.split(":").map(Number))};
}

function kernelNode(version, number, step) {
  const kernel = version.kernels[number], fused = kernel.fused ? kernel.fused.split(" ").length : 0;
  return {kind: classOf(kernel), title: shortOp(kernel.op) + (fused ? ` + ${fused}` : ""), small: `${number} \u00b7 ${placeText(kernel)}`,
          share: secondsOf(version, number) / totalSeconds(version), kernel: number, step,
          label: `Kernel ${number}, ${kernelName(kernel)}, ${placeText(kernel)}`};
}

function groupNode(version, child, step) {
  const counts = new Map();
  let seconds = 0;
  for (let k = child.first; k <= child.last; ++k) {
    const op = shortOp(version.kernels[k].op);
    counts.set(op, (counts.get(op) ?? 0) + 1);
    seconds += secondsOf(version, k);
  }
  const common = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 3).map(([op, count]) => `${count} ${op}`).join(", ");
  const title = child.region ? shortOp(child.region.op) : `kernels ${child.first}\u2013${child.last}`;
  return {kind: "group", title, small: common, share: seconds / totalSeconds(version), step,
          label: `${title}, kernels ${child.first} to ${child.last}: ${common}`};
}

/// The ops of a kernel, and its inputs in front of them.
function opsLevel(version, number) {
  const kernel = version.kernels[number], nodes = [], edges = [], inputs = new Map();
  const inputNode = index => {
    if (!inputs.has(index)) {
      const tensor = version.tensors[kernel.reads[index]];
      inputs.set(index, nodes.length);
      nodes.push({kind: "input", title: tensorName(tensor), small: tensor.type, tensor: kernel.reads[index], label: `Input ${tensorName(tensor)}, ${tensor.type}`});
    }
    return inputs.get(index);
  };
  const numbers = [];
  for (const op of kernel.ops) {
    const reads = op.reads.map(read => read < 0 ? inputNode(-1 - read) : numbers[read]);
    numbers.push(nodes.length);
    for (const read of new Set(reads)) edges.push([read, nodes.length]);
    nodes.push({kind: op.op === kernel.op ? classOf(kernel) : "other", title: shortOp(op.op), small: `${placeText(op)} \u00b7 ${op.type}`,
                label: `${shortOp(op.op)}, ${placeText(op)}, ${op.type}`});
  }
  return {nodes, edges};
}

/// Gives each node a place: in the layer after those that it reads, and layers in columns that fit the width.
function arrange({nodes, edges}, width) {
  const kWidth = 158, kHeight = 46, kGapX = 14, kGapY = 24, before = nodes.map(() => []), layers = [];
  for (const [from, to] of edges) before[to].push(from);
  nodes.forEach((node, i) => {
    node.layer = before[i].reduce((layer, other) => other < i ? Math.max(layer, nodes[other].layer + 1) : layer, 0);
    (layers[node.layer] ??= []).push(i);
  });
  for (const layer of layers) { // each node below the middle of those that it reads
    for (const i of layer)
      nodes[i].order = before[i].length ? before[i].reduce((sum, other) => sum + (nodes[other].slot ?? 0), 0) / before[i].length : i / nodes.length;
    layer.sort((a, b) => nodes[a].order - nodes[b].order || a - b).forEach((i, slot) => { nodes[i].slot = slot; });
  }
  const mostWide = Math.max(1, Math.floor((width + kGapX) / (kWidth + kGapX))), rows = [];
  for (const layer of layers)
    for (let i = 0; i < layer.length; i += mostWide) rows.push(layer.slice(i, i + mostWide));
  const widest = Math.max(...rows.map(row => row.length)), columnsFit = Math.max(1, Math.floor(mostWide / widest));
  const perColumn = Math.max(6, Math.ceil(rows.length / columnsFit));
  let right = 0, bottom = 0;
  rows.forEach((row, number) => {
    const column = Math.floor(number / perColumn), left = column * widest * (kWidth + kGapX);
    row.forEach((i, slot) => {
      Object.assign(nodes[i], {column, x: left + slot * (kWidth + kGapX) + (widest - row.length) * (kWidth + kGapX) / 2 + 2,
                               y: (number % perColumn) * (kHeight + kGapY) + 4, w: kWidth, h: kHeight});
      right = Math.max(right, nodes[i].x + kWidth + 4);
      bottom = Math.max(bottom, nodes[i].y + kHeight + 6);
    });
  });
  return {right, bottom};
}

function edgePath(a, b) {
  if (a.column === b.column && b.y > a.y) {
    const x1 = a.x + a.w / 2, y1 = a.y + a.h, x2 = b.x + b.w / 2, y2 = b.y, bend = Math.max(10, (y2 - y1) / 2);
    const aside = Math.abs(x1 - x2) < 1 && y2 - y1 > a.h ? a.w / 2 + 8 : 0; // around the nodes between
    return aside ? `M${x1} ${y1}C${x1 + aside} ${y1 + bend / 2},${x2 + aside} ${y2 - bend / 2},${x2} ${y2}`
      : `M${x1} ${y1}C${x1} ${y1 + bend},${x2} ${y2 - bend},${x2} ${y2}`;
  }
  const x1 = a.x + a.w, y1 = a.y + a.h / 2, x2 = b.x, y2 = b.y + b.h / 2, bend = Math.max(16, (x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1},${x2 - bend} ${y2},${x2} ${y2}`;
}

const fits = (text, most) => text.length > most ? text.slice(0, most - 1) + "\u2026" : text;

function nodeElement(node, number, focusable) {
  const isChosen = node.kernel !== undefined && node.kernel === state.kernel || node.tensor !== undefined && node.tensor === state.tensor;
  const color = classes[node.kind]?.color ?? "--other", group = make("svg:g", {
    class: "node " + node.kind, transform: `translate(${node.x} ${node.y})`, tabindex: focusable ? 0 : -1, role: "button",
    "aria-label": node.label + (node.share !== undefined ? `, ${percent(node.share)} of the time` : ""), "aria-current": String(isChosen),
    "data-node": number, "data-kernel": node.kernel, click: () => openNode(node), focus: () => chooseNode(node)});
  group.append(make("svg:title", {}, node.label), make("svg:rect", {class: "box", width: node.w, height: node.h, rx: 5}));
  if (node.kind === "group") group.append(make("svg:path", {d: "M8 10h9M8 14h9M8 18h9", style: "stroke: var(--quiet); stroke-width: 1.6"}));
  else if (node.kind !== "input") group.append(make("svg:path", {d: outline(classes[node.kind]?.shape ?? "circle", 13, 15, 4.2), style: `fill: var(${color})`}));
  group.append(make("svg:text", {x: node.kind === "input" ? 9 : 23, y: 19}, fits(node.title, node.kind === "input" ? 22 : 19)),
               make("svg:text", {class: "small", x: 9, y: 35}, fits(node.small, 25)));
  if (node.share !== undefined)
    group.append(make("svg:rect", {x: 0.5, y: node.h - 3.5, width: Math.max(0, (node.w - 1) * Math.min(1, node.share)), height: 3, style: "fill: var(--accent)"}));
  return group;
}

let isRestoring = false; // the focus returns to a node after it has been drawn again, which is no choice
function chooseNode(node) {
  if (isRestoring) return;
  if (node.kernel !== undefined && node.kernel !== state.kernel) change({kernel: node.kernel, tensor: null});
  if (node.tensor !== undefined && node.tensor !== state.tensor) change({tensor: node.tensor});
}
function openNode(node) {
  if (node.step !== undefined) change({path: [...state.path, node.step], ...(node.kernel !== undefined ? {kernel: node.kernel, tensor: null} : {})});
  else chooseNode(node);
  byId("graph").querySelector('[tabindex="0"]')?.focus({preventScroll: true});
}
function closeLevel() {
  const last = state.path.at(-1);
  if (last === undefined) return;
  change({path: state.path.slice(0, -1)});
  byId("graph").querySelector(`[data-node="${last}"]`)?.focus();
}

function drawGraph() {
  if (state.view !== "graph") return;
  const version = current(), holder = byId("graph");
  if (!version.kernels.length) return holder.replaceChildren(make("p", {class: "lead"}, "This version has no kernels."));
  const level = levelOf(version), size = arrange(level, holder.clientWidth);
  const svg = make("svg:svg", {class: "graph", width: size.right, height: size.bottom, role: "group", "aria-label": "Graph"});
  for (const [from, to] of level.edges) {
    const near = [from, to].some(i => level.nodes[i].kernel !== undefined && level.nodes[i].kernel === state.kernel);
    svg.append(make("svg:path", {class: "edge" + (near ? " near" : ""), d: edgePath(level.nodes[from], level.nodes[to])}));
  }
  const chosen = Math.max(0, level.nodes.findIndex(node => node.kernel !== undefined && node.kernel === state.kernel));
  level.nodes.forEach((node, i) => svg.append(nodeElement(node, i, i === chosen)));
  const focused = holder.contains(document.activeElement) ? document.activeElement.dataset.node : null;
  holder.replaceChildren(svg);
  isRestoring = true;
  if (focused !== null) holder.querySelector(`[data-node="${focused}"]`)?.focus({preventScroll: true});
  isRestoring = false;
  drawCrumbs(version);
}

function drawCrumbs(version) {
  const items = [];
  let at = treeOf(version);
  const add = (name, depth) => items.push(make("li", {}, depth === state.path.length ? make("span", {"aria-current": "true"}, name)
    : make("button", {type: "button", click: () => change({path: state.path.slice(0, depth)})}, name)));
  add("@" + version.function, 0);
  state.path.forEach((step, depth) => {
    at = at.children[step];
    add(at.kernel !== undefined ? `kernel ${at.kernel}` : at.region ? shortOp(at.region.op) : `kernels ${at.first}\u2013${at.last}`, depth + 1);
  });
  byId("crumbs").replaceChildren(...items);
}

byId("graph").addEventListener("keydown", event => {
  const nodes = [...byId("graph").querySelectorAll(".node")], at = nodes.indexOf(document.activeElement);
  const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
  if (step && at >= 0) {
    const next = nodes[Math.max(0, Math.min(nodes.length - 1, at + step))];
    byId("graph").querySelector(`[data-node="${next.dataset.node}"]`).focus();
  } else if (event.key === "Enter" || event.key === " ") {
    nodes[at]?.dispatchEvent(new MouseEvent("click"));
  } else if (event.key === "Escape" || event.key === "Backspace") {
    closeLevel();
  } else {
    return;
  }
  event.preventDefault();
});
watch(drawGraph);

/// Opens the level that shows a kernel.
function pathTo(version, number) {
  const path = [];
  for (let at = treeOf(version); at.children;) {
    const step = at.children.findIndex(child => child.first <= number && number <= child.last);
    if (step < 0 || at.children[step].kernel !== undefined) break;
    path.push(step);
    at = at.children[step];
  }
  return path;
}
