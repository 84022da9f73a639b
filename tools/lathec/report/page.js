// The frame of the page: facts, tabs, the choice of the version, and the address that a view can be reached by.
const views = [["graph", "Graph"], ["memory", "Memory"], ["roofline", "Roofline"], ["kernels", "Kernels"]];

byId("tabs").append(...views.map(([id, name]) => make("button", {type: "button", role: "tab", id: "tab-" + id, "aria-controls": "view-" + id, click: () => change({view: id})}, name)));
byId("tabs").addEventListener("keydown", event => {
  const step = {ArrowRight: 1, ArrowLeft: -1}[event.key], at = views.findIndex(([id]) => id === state.view);
  if (!step) return;
  event.preventDefault();
  change({view: views[(at + step + views.length) % views.length][0]});
  byId("tab-" + state.view).focus();
});

function drawTabs() {
  for (const [id] of views) {
    const tab = byId("tab-" + id), isShown = id === state.view;
    tab.setAttribute("aria-selected", String(isShown));
    tab.tabIndex = isShown ? 0 : -1;
    byId("view-" + id).hidden = !isShown;
  }
}

function drawFacts() {
  const version = current(), total = version.kernels.reduce((sum, kernel) => sum + kernel.flop, 0), ops = version.kernels.reduce((sum, kernel) => sum + kernel.ops.length, 0);
  const pairs = [["Kernels", grouped(version.kernels.length), "kernels"], ["Ops in them", grouped(ops), "ops"], ["Workspace", exactBytes(version.workspace), "workspace"],
                 ["Largest live set", exactBytes(version.largest_live_set.bytes), "live"], ["FLOP", flopText(total), "flop"],
                 [isMeasured(version) ? "Time of kernels" : "Time (model, one core)", timeText(totalSeconds(version)), "time"]];
  byId("facts").replaceChildren(...pairs.map(([name, value, id]) => make("div", {}, make("dt", {}, name), make("dd", {id: "fact-" + id}, value))));
  const sizes = Object.entries(version.sizes).map(([name, size]) => `${name} = ${size}`).join(", ");
  byId("graph-name").textContent = data.graph;
  document.title = `${data.graph} \u2013 Lathe report`;
  byId("subtitle").textContent = `@${version.function}, target ${data.target}` + (sizes ? `, ${sizes}` : "");
  const set = version.largest_live_set;
  byId("memory-lead").textContent = version.workspace ? `The largest live set is ${exactBytes(set.bytes)}, at kernel ${set.kernel}; the workspace is ${exactBytes(version.workspace)}.`
    : "This version needs no workspace.";
  const limits = isMeasured(version) ? data.profile.limits : null;
  byId("roofline-lead").textContent = limits ? `Measured times, and the limits of this machine with ${limits.threads} thread${limits.threads === 1 ? "" : "s"}. Larger marks took longer.`
    : isMeasured(version) ? "Measured times. Larger marks took longer." : "No profile: times and limits are those of the compiler's cost model for one core. Larger marks take longer.";
  byId("memory-legend").replaceChildren(
    make("span", {}, make("svg:svg", {viewBox: "0 0 12 12", "aria-hidden": "true"}, make("svg:rect", {x: 1, y: 1, width: 10, height: 10, style: "fill: var(--accent-soft); stroke: var(--accent)"}),
      make("svg:path", {d: "M1 11L11 1", style: "stroke: var(--accent)"})), "in the largest live set"),
    make("span", {}, make("svg:svg", {viewBox: "0 0 12 12", "aria-hidden": "true"}, make("svg:rect", {x: 1, y: 1, width: 10, height: 10, style: "fill: var(--shade); stroke: var(--faint)"})), "other tensors"),
    make("span", {}, make("svg:svg", {viewBox: "0 0 12 12", "aria-hidden": "true"}, make("svg:path", {d: "M0 6h12", style: "stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 4 2"})), "live bytes"),
    make("span", {}, make("svg:svg", {viewBox: "0 0 12 12", "aria-hidden": "true"}, make("svg:rect", {x: 4, y: 0, width: 4, height: 12, style: "fill: none; stroke: var(--mark); stroke-width: 1.5"})), "kernel of the largest live set"));
}

byId("version").append(...data.versions.map((version, number) => make("option", {value: number}, `@${version.function}` + (version.version === "general" ? "" : `, ${version.version}`))));
byId("version").addEventListener("change", event => change({version: Number(event.target.value), kernel: null, tensor: null, path: []}));

/// The address names the view and the selection: #view=memory&version=1&kernel=12.
function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1)), view = views.find(([id]) => id === parts.get("view"))?.[0] ?? "graph";
  const number = (name, count) => { const value = Number(parts.get(name)); return parts.has(name) && Number.isInteger(value) && value >= 0 && value < count ? value : null; };
  const version = number("version", data.versions.length) ?? state.version, kernel = number("kernel", data.versions[version]?.kernels.length ?? 0);
  change({view, version, kernel, tensor: number("tensor", data.versions[version]?.tensors.length ?? 0), path: kernel === null ? state.path : pathTo(data.versions[version], kernel)});
}
function writeAddress() {
  let address = "#view=" + state.view + (state.version ? `&version=${state.version}` : "");
  if (state.kernel !== null) address += `&kernel=${state.kernel}`;
  if (state.tensor !== null) address += `&tensor=${state.tensor}`;
  if (location.hash !== address) history.replaceState(null, "", address);
}

if (data.versions.length) {
  watchers.unshift(drawTabs); // views measure themselves, so the shown one comes first
  watch(values => {
    byId("version").value = String(state.version);
    if ("version" in values) drawFacts();
    writeAddress();
  });
  drawLegend("graph-legend");
  drawLegend("roofline-legend");
  const profiled = data.versions.findIndex(version => isMeasured(version));
  state.version = Math.max(0, profiled);
  readAddress();
  window.addEventListener("hashchange", readAddress);
  let pending = 0;
  const redraw = () => { cancelAnimationFrame(pending); pending = requestAnimationFrame(() => change({})); };
  window.addEventListener("resize", redraw);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
} else {
  byId("graph-name").textContent = data.graph;
  byId("subtitle").textContent = "The graph has no entries.";
}
