// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws what explain says. Three steps: `Scopes` makes items and edges of a graph, its runs of quiet nodes folded;
// `layOut` places them in layers; `Picture` draws what of them is in view. All text goes in as text, never as markup.
"use strict";

const report = JSON.parse(document.getElementById("report").textContent);
const { values, nodes, graphs, crossings } = report;
const byId = (id) => document.getElementById(id);

const KINDS = {
  fetch: { word: "fetch", says: "read back from the device" },
  upload: { word: "upload", says: "copied to the device" },
  argument: { word: "argument", says: "goes to kernels with their launch" },
  told: { word: "extent told", says: "told behind the run; nobody waits" },
};

/** A size for people: a number, a formula of dims, or `unknown`. */
const sizeText = (size) => String(size?.expr ?? size ?? "unknown");
/** A type for people: `float32[n, 2]`. */
function typeText(type) {
  if (type.sequence) return `sequence of ${typeText(type.sequence)}`;
  if (type.optional) return `optional ${typeText(type.optional)}`;
  return type.dtype ? `${type.dtype}[${type.shape ? type.shape.map(sizeText).join(", ") : "..."}]` : "no tensor";
}

//===--- Who makes and reads what ---===//

const hasDevice = values.some((value) => value.side === "device");
/** Per value: the node that makes it, and the graph it belongs to. */
const maker = new Array(values.length), home = new Array(values.length).fill(0);
/** Per value: the nodes that read it. */
const readers = values.map(() => []);
const nodesOf = graphs.map(() => []);
const graphsOf = nodes.map(() => []);
/** Per node with graphs: what these read from outside of them. */
const captures = nodes.map(() => new Map());
const roots = [];

function index() {
  nodes.forEach((node, number) => {
    nodesOf[node.graph].push(number);
    for (const result of node.results) {
      maker[result] = number;
      home[result] = node.graph;
    }
    for (const read of node.operands) readers[read.value].push(number);
  });
  graphs.forEach((graph, number) => {
    (graph.node === undefined ? roots : graphsOf[graph.node]).push(number);
    for (const value of graph.arguments) home[value] = number;
  });
  nodes.forEach((node) => node.operands.forEach((read) => capture(node.graph, read)));
  graphs.forEach((graph, number) => graph.results.forEach((read) => capture(number, read)));
}

/** A read in a graph passes through every node between that graph and the one that has the value. */
function capture(graph, read) {
  while (graph !== home[read.value] && graphs[graph].node !== undefined) {
    const crossesHere = read.crossing !== undefined && crossings[read.crossing].graph === graph;
    read = { value: read.value, crossing: crossesHere ? undefined : read.crossing };
    captures[graphs[graph].node].set(`${read.value} ${read.crossing}`, read);
    graph = nodes[graphs[graph].node].graph;
  }
}

//===--- Folds ---===//

/** Graphs of fewer nodes than this are drawn whole; of a fold, at most so many parts are shown at once. */
const MOST_AT_ONCE = 48;
const SHORTEST_RUN = 4;
const openFolds = new Set(), closedBoxes = new Set();

/** Nothing crosses at a quiet node, and all of it is on the device (without one: on the host). */
function isQuiet(number) {
  const side = hasDevice ? "device" : "host";
  const node = nodes[number];
  return graphsOf[number].length === 0 &&
    node.results.every((value) => values[value].side === side && !marked.has(value)) &&
    node.operands.every((read) => read.crossing === undefined && !read.kernel_argument && values[read.value].side !== (hasDevice ? "host" : "device"));
}

const marked = new Set();
for (const crossing of crossings) if (crossing.number !== undefined) marked.add(crossing.number);
for (const extent of report.told_behind) marked.add(extent.value);

/** Nodes stand in an order in which each is behind what it reads, so that no cycle comes of folding neighbours. */
function foldRuns(numbers) {
  if (numbers.length <= MOST_AT_ONCE) return numbers.map((node) => ({ node }));
  const parts = [];
  for (let first = 0; first < numbers.length;) {
    let last = first;
    while (last < numbers.length && isQuiet(numbers[last])) ++last;
    if (last - first >= SHORTEST_RUN) parts.push(...openFold(numbers.slice(first, last)));
    else for (last = Math.max(last, first + 1); first < last;) parts.push({ node: numbers[first++] });
    first = last;
  }
  return parts;
}

function foldKey(run) { return `fold ${run[0]} ${run.length}`; }

function openFold(run) {
  if (!openFolds.has(foldKey(run))) return [{ fold: run }];
  if (run.length <= MOST_AT_ONCE) return run.map((node) => ({ node, foldedIn: foldKey(run) }));
  return splitRun(run).flatMap(openFold);
}

function splitRun(run) {
  const size = Math.ceil(run.length / Math.min(MOST_AT_ONCE / 2, Math.ceil(run.length / MOST_AT_ONCE)));
  const pieces = [];
  for (let at = 0; at < run.length; at += size) pieces.push(run.slice(at, at + size));
  return pieces;
}

/** Opens all that a node is folded in. */
function reveal(number) {
  const run = nodesOf[nodes[number].graph].filter((node) => !nodes[node].constant);
  for (let graph = graphs[nodes[number].graph]; graph.node !== undefined; graph = graphs[nodes[graph.node].graph])
    closedBoxes.delete(`node ${graph.node}`);
  for (let parts = foldRuns(run);;) {
    const around = parts.find((part) => part.fold && part.fold.includes(number));
    if (!around) return;
    openFolds.add(foldKey(around.fold));
    parts = openFold(around.fold);
  }
}

//===--- Items and edges of a graph ---===//

const nodeType = (number) => nodes[number].name.split(":")[0] || "node";
const nodeName = (number) => nodes[number].name.slice(nodeType(number).length + 1).trim();
const widthOf = (text, size) => text.length * size * 0.6;
const shorten = (text, most) => text.length <= most ? text : text.slice(0, most / 2 - 1) + "…" + text.slice(text.length - most / 2 + 1);

function makeItem(key, classes, title, under, more) {
  title = shorten(title, 30);
  under = shorten(under, 30);
  const w = Math.max(76, widthOf(title, 13.5), widthOf(under, 11)) + 22;
  return { key, classes, title, under, w, h: under ? 44 : 28, parts: [], ...more };
}

function sideOfNode(number) {
  const sides = new Set(nodes[number].results.map((value) => values[value].side));
  return sides.has("device") ? "device" : sides.has("host") || sides.size === 0 ? "host" : "both";
}

class Scope {
  constructor(graph) {
    this.graph = graph;
    this.items = new Map();
    this.edges = new Map();
    this.itemOfNode = new Map();
    for (const value of graphs[graph].arguments) this.addEnd(value, "in");
    const drawn = nodesOf[graph].filter((node) => !nodes[node].constant);
    const parts = foldRuns(drawn).map((part) => part.fold ? this.addFold(part.fold) : this.addNode(part));
    for (const item of parts) this.readAll(item);
    graphs[graph].results.forEach((read, position) => this.addResult(read, position));
    layOut(this);
  }

  key(text) { return `${text} @${this.graph}`; }
  add(item) { this.items.set(item.key, item); return item; }

  addEnd(value, what, read) {
    const { name, side } = values[value];
    const words = { in: graphs[this.graph].node === undefined ? "input" : "given", captured: "from outside" };
    return this.add(makeItem(this.key(`${what} ${value} ${read?.crossing ?? ""}`), `end ${read?.crossing === undefined ? side : otherSide(read.crossing)}`, name, words[what], { value }));
  }

  addNode({ node, foldedIn }) {
    const inner = graphsOf[node];
    const key = `node ${node}`;
    const item = makeItem(key, sideOfNode(node), nodeType(node), nodeName(node), { node, foldedIn, members: [node] });
    if (inner.length > 0 && !closedBoxes.has(key)) this.openBox(item, inner);
    else if (inner.length > 0) item.under = `${countInside(node)} nodes inside`;
    this.itemOfNode.set(node, item);
    return this.add(item);
  }

  openBox(item, inner) {
    item.classes += " box";
    let x = 12;
    for (const graph of inner) {
      const scope = new Scope(graph);
      item.parts.push({ scope, x, y: 62, name: graphs[graph].name });
      x += Math.max(scope.w, widthOf(graphs[graph].name, 11)) + 32;
      item.h = Math.max(item.h, scope.h + 82);
    }
    item.w = Math.max(item.w, x - 8);
  }

  addFold(run) {
    const types = [...new Set(run.map(nodeType))].slice(0, 4).join(", ");
    const item = makeItem(foldKey(run), `fold ${hasDevice ? "device" : "host"}`, `${run.length} nodes`, types, { fold: run, members: run });
    for (const node of run) this.itemOfNode.set(node, item);
    return this.add(item);
  }

  readAll(item) {
    for (const node of item.members) {
      for (const read of nodes[node].operands) this.connect(this.source(read), item, read);
      for (const read of captures[node].values()) this.connect(this.source(read), item, read);
    }
  }

  /** The item that a read comes from; none of a constant, which is on both sides. */
  source(read) {
    const { value, crossing } = read;
    if (read.kernel_argument) return this.pill(`argument ${value}`, "argument", values[value].bytes, { value, argument: value }, { value, crossing });
    if (crossing !== undefined && crossings[crossing].graph === this.graph) {
      const { kind, bytes } = crossings[crossing];
      return this.pill(`crossing ${crossing}`, kind, bytes, { value, crossing }, { value });
    }
    if (maker[value] !== undefined && nodes[maker[value]].constant) return null;
    if (home[value] !== this.graph) return this.items.get(this.key(`captured ${value} ${crossing ?? ""}`)) ?? this.addEnd(value, "captured", read);
    return this.itemOfNode.get(maker[value]) ?? this.items.get(this.key(`in ${value} `));
  }

  pill(name, kind, bytes, more, from) {
    const key = this.key(name);
    if (this.items.has(key)) return this.items.get(key);
    const size = bytes === undefined || sizeText(bytes).length > 12 ? "" : `  ${sizeText(bytes)} B`;
    const title = KINDS[kind].word + size;
    const item = this.add({ key, classes: `crossing ${kind}`, title, under: "", w: widthOf(title, 12) + 26, h: 24, parts: [], kind, ...more });
    this.connect(this.source(from), item, from);
    return item;
  }

  addResult(read, position) {
    const told = this.graph === roots[0] ? report.told_behind.filter((extent) => extent.value === read.value) : [];
    const { name } = values[read.value];
    const isRoot = graphs[this.graph].node === undefined;
    const item = this.add(makeItem(this.key(`result ${position}`), `end ${read.crossing === undefined ? values[read.value].side : otherSide(read.crossing)}`, name, isRoot ? "output" : "yielded", { value: read.value }));
    this.connect(this.source(read), item, read);
    if (told.length > 0) this.connect(this.pill(`told ${read.value}`, "told", undefined, { value: read.value, told }, read), item, read);
  }

  connect(from, to, read) {
    if (!from || from === to) return;
    const key = `${from.key}>${to.key}`;
    if (this.edges.has(key)) return;
    const side = from.kind === "upload" || (from.kind === "argument") ? "device" : from.kind === "fetch" ? "host" : values[read.value].side;
    this.edges.set(key, { from, to, side, value: read.value });
  }
}

function otherSide(crossing) { return crossings[crossing].kind === "fetch" ? "host" : "device"; }

function countInside(node) {
  let count = 0;
  for (const graph of graphsOf[node])
    for (const inner of nodesOf[graph]) count += (nodes[inner].constant ? 0 : 1) + countInside(inner);
  return count;
}

//===--- Layers ---===//

const GAP = 26, LAYER_GAP = 34;
/** Long edges bend around items, as far as that many places for it cost little. */
const MOST_BENDS = 6000;

function layOut(scope) {
  const items = [...scope.items.values()], edges = [...scope.edges.values()];
  for (const item of items) { item.into = []; item.outOf = []; }
  for (const edge of edges) { edge.to.into.push(edge.from); edge.from.outOf.push(edge.to); }
  rank(items);
  const layers = fillLayers(items, edges);
  const sweeps = items.length > 1500 ? 4 : 12;
  for (let sweep = 0; sweep < sweeps; ++sweep) orderLayers(layers, sweep % 2 === 0);
  for (const layer of layers) pack(layer, layer.map(() => 0));
  for (let sweep = 0; sweep < sweeps; ++sweep) alignLayers(layers, sweep % 2 === 0);
  let left = Infinity, right = -Infinity, y = 0;
  for (const layer of layers) {
    const height = Math.max(0, ...layer.map((place) => place.h));
    for (const place of layer) {
      place.y = y + (height - place.h) / 2;
      left = Math.min(left, place.x);
      right = Math.max(right, place.x + place.w);
    }
    y += height + LAYER_GAP;
  }
  for (const layer of layers) for (const place of layer) place.x -= left;
  scope.w = items.length === 0 ? 60 : right - left;
  scope.h = Math.max(20, y - LAYER_GAP);
  for (const edge of edges) edge.points = route(edge);
}

/** Longest paths; then what has nothing above it goes down to its readers. */
function rank(items) {
  const waits = new Map(items.map((item) => [item, item.into.length]));
  const order = items.filter((item) => item.into.length === 0);
  for (const item of order) item.rank = 0;
  for (let at = 0; at < order.length; ++at)
    for (const next of order[at].outOf) {
      next.rank = Math.max(next.rank ?? 0, order[at].rank + 1);
      waits.set(next, waits.get(next) - 1);
      if (waits.get(next) === 0) order.push(next);
    }
  for (const item of order)
    if (item.into.length === 0 && item.outOf.length > 0) item.rank = Math.min(...item.outOf.map((next) => next.rank)) - 1;
}

function fillLayers(items, edges) {
  const layers = [];
  const put = (place, rank) => (layers[rank] ??= []).push(place);
  for (const item of items) { put(item, item.rank); item.up = []; item.down = []; }
  const bends = edges.reduce((sum, edge) => sum + edge.to.rank - edge.from.rank - 1, 0);
  for (const edge of edges) {
    edge.bends = [];
    let above = edge.from;
    for (let rank = edge.from.rank + 1; rank < edge.to.rank && bends <= MOST_BENDS; ++rank) {
      const bend = { w: 2, h: 2, up: [above], down: [], isBend: true };
      above.down.push(bend);
      put(bend, rank);
      edge.bends.push(bend);
      above = bend;
    }
    above.down.push(edge.to);
    edge.to.up.push(above);
  }
  const filled = layers.filter((layer) => layer);
  for (const layer of filled) layer.forEach((place, position) => { place.position = position; });
  return filled;
}

function orderLayers(layers, down) {
  for (const layer of down ? layers : [...layers].reverse()) {
    const wish = (place) => {
      const near = down ? place.up : place.down;
      return near.length === 0 ? place.position : near.reduce((sum, other) => sum + other.position, 0) / near.length;
    };
    const wishes = new Map(layer.map((place) => [place, wish(place)]));
    layer.sort((a, b) => wishes.get(a) - wishes.get(b));
    layer.forEach((place, position) => { place.position = position; });
  }
}

const middle = (place) => place.x + place.w / 2;

function alignLayers(layers, down) {
  for (const layer of down ? layers : [...layers].reverse())
    pack(layer, layer.map((place) => {
      const near = [...(down ? place.up : place.down)];
      if (near.length === 0) near.push(...(down ? place.down : place.up));
      return near.length === 0 ? middle(place) : near.reduce((sum, other) => sum + middle(other), 0) / near.length;
    }));
}

/** The places of a layer as near to their wishes (of their middles) as can be, in order and apart: least squares by
 * pooling neighbours that would overlap. */
function pack(layer, wishes) {
  const offsets = [], pools = [];
  let offset = 0;
  layer.forEach((place, at) => {
    offsets.push(offset);
    offset += place.w + (place.isBend ? GAP / 2 : GAP);
    const weight = place.isBend ? 4 : 1;
    pools.push({ sum: weight * (wishes[at] - place.w / 2 - offsets[at]), weight, count: 1 });
    while (pools.length > 1 && pools.at(-2).sum / pools.at(-2).weight > pools.at(-1).sum / pools.at(-1).weight) {
      const last = pools.pop(), before = pools.at(-1);
      before.sum += last.sum;
      before.weight += last.weight;
      before.count += last.count;
    }
  });
  let at = 0;
  for (const pool of pools)
    for (let left = pool.count; left > 0; --left, ++at) layer[at].x = pool.sum / pool.weight + offsets[at];
}

/** Where an edge leaves or enters: along the side of a wide item, near the other end. */
function port(item, towards) {
  const room = item.w / 2 - 12;
  return middle(item) + Math.max(-room, Math.min(room, (towards - middle(item)) * 0.35));
}

function route({ from, to, bends }) {
  const first = bends[0] ?? to, last = bends.at(-1) ?? from;
  return [[port(from, middle(first)), from.y + from.h], ...bends.map((bend) => [bend.x + 1, bend.y + 1]), [port(to, middle(last)), to.y]];
}

//===--- The picture ---===//

const SVG = "http://www.w3.org/2000/svg";
function make(name, attributes = {}, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const svg = byId("graph"), world = byId("world");
const view = { x: 0, y: 0, scale: 1 };
/** Flat, with places in the whole picture: boxes, then edges, then items. */
let drawing = { frames: [], edges: [], items: [], w: 0, h: 0 };
let selected = null, covered = null;

function flatten(scope, x, y) {
  for (const { from, to, side, value, points } of scope.edges.values())
    drawing.edges.push({ from, to, side, value, points: points.map(([px, py]) => [px + x, py + y]) });
  for (const item of scope.items.values()) {
    const placed = Object.assign(item, { left: item.x + x, top: item.y + y });
    (item.parts.length > 0 ? drawing.frames : drawing.items).push(placed);
    for (const part of item.parts) flatten(part.scope, placed.left + part.x + 8, placed.top + part.y);
  }
}

function relayout() {
  drawing = { frames: [], edges: [], items: [], w: 0, h: 0 };
  let x = 0;
  for (const root of roots) {
    const scope = new Scope(root);
    flatten(scope, x, 0);
    x += scope.w + 80;
    drawing.h = Math.max(drawing.h, scope.h);
  }
  drawing.w = x - 80;
  covered = null;
}

function curve(points) {
  let path = `M${points[0][0]} ${points[0][1]}`;
  for (let at = 1; at < points.length; ++at) {
    const [x0, y0] = points[at - 1], [x1, y1] = points[at], half = (y0 + y1) / 2;
    path += `C${x0} ${half} ${x1} ${half} ${x1} ${y1}`;
  }
  return path;
}

function edgeBounds(points) {
  const xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
  return { left: Math.min(...xs), top: Math.min(...ys), w: Math.max(...xs) - Math.min(...xs), h: Math.max(...ys) - Math.min(...ys) };
}

/** Draws what is in view and half a view around it; while the view stays inside of that, only moves it. */
function draw() {
  const { width, height } = svg.getBoundingClientRect();
  world.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`);
  const seen = { left: -view.x / view.scale, top: -view.y / view.scale, w: width / view.scale, h: height / view.scale };
  if (covered && covered.scale === view.scale && covered.left <= seen.left && covered.top <= seen.top &&
      covered.left + covered.w >= seen.left + seen.w && covered.top + covered.h >= seen.top + seen.h) return;
  covered = { left: seen.left - seen.w / 2, top: seen.top - seen.h / 2, w: 2 * seen.w, h: 2 * seen.h, scale: view.scale };
  const isSeen = (box) => box.left <= covered.left + covered.w && box.left + box.w >= covered.left && box.top <= covered.top + covered.h && box.top + box.h >= covered.top;
  const focused = document.activeElement?.dataset?.key;
  const parts = drawing.frames.filter(isSeen).map(drawItem);
  for (const edge of drawing.edges) if (isSeen(edgeBounds(edge.points))) parts.push(drawEdge(edge));
  parts.push(...drawing.items.filter(isSeen).map(drawItem));
  world.replaceChildren(...parts);
  if (focused) elementOf(focused)?.focus({ preventScroll: true });
}

const elementOf = (key) => [...world.querySelectorAll(".item")].find((element) => element.dataset.key === key);

function drawEdge(edge) {
  const isLit = selected && (edge.from.key === selected || edge.to.key === selected);
  return make("path", { d: curve(edge.points), class: edge.side + (isLit ? " lit" : "") });
}

function drawItem(item) {
  const group = make("g", {
    class: `item ${item.classes}${item.key === selected ? " selected" : ""}`, transform: `translate(${item.left} ${item.top})`,
    tabindex: 0, role: "button", "aria-label": `${item.title} ${item.under}`, "data-key": item.key,
  });
  if (item.fold) group.append(make("rect", { x: 5, y: 5, width: item.w, height: item.h, rx: 7, class: "shadow" }));
  group.append(make("rect", { width: item.w, height: item.h, rx: item.kind ? 12 : 7 }));
  for (const part of item.parts) {
    group.append(make("rect", { class: "graph-frame", x: part.x, y: part.y - 20, width: part.scope.w + 16, height: part.scope.h + 28, rx: 5 }));
    group.append(make("text", { class: "graph-name", x: part.x + 8, y: part.y - 5 }, part.name));
  }
  const isBox = item.parts.length > 0;
  if (view.scale > 0.22 || item.kind || item.fold) {
    const x = isBox ? 12 : item.w / 2;
    group.append(make("text", { x, y: item.under ? 19 : item.h / 2 + 4.5 }, item.title));
    if (item.under) group.append(make("text", { x, y: 34, class: "under" }, item.under));
  }
  return group;
}

function fit() {
  const { width, height } = svg.getBoundingClientRect();
  const legend = 60;
  view.scale = Math.max(0.02, Math.min(1.15, (width - 60) / drawing.w, (height - legend - 40) / drawing.h));
  // What would be too small to read starts at its top instead.
  view.scale = Math.max(view.scale, Math.min(0.45, (width - 60) / drawing.w));
  view.x = (width - drawing.w * view.scale) / 2;
  view.y = Math.max(24, (height - legend - drawing.h * view.scale) / 2);
  draw();
}

function zoom(factor, x, y) {
  const box = svg.getBoundingClientRect();
  x ??= box.width / 2;
  y ??= box.height / 2;
  const scale = Math.max(0.02, Math.min(4, view.scale * factor));
  view.x = x - (x - view.x) * scale / view.scale;
  view.y = y - (y - view.y) * scale / view.scale;
  view.scale = scale;
  draw();
}

function centre(item) {
  const { width, height } = svg.getBoundingClientRect();
  view.scale = Math.max(view.scale, 0.8);
  view.x = width / 2 - (item.left + item.w / 2) * view.scale;
  view.y = height / 2 - (item.top + Math.min(item.h, 200) / 2) * view.scale;
  covered = null;
  draw();
}

const allItems = () => [...drawing.frames, ...drawing.items];

/** Lays out anew around an item that stays where it is on the screen. */
function refold(key, change) {
  const find = () => allItems().find((item) => item.key === key) ?? allItems().find((item) => item.members?.includes(change.node));
  const before = find();
  const at = before && [before.left * view.scale + view.x, before.top * view.scale + view.y];
  change();
  relayout();
  const after = find();
  if (at && after) {
    view.x = at[0] - after.left * view.scale;
    view.y = at[1] - after.top * view.scale;
  }
  draw();
}

//===--- Details ---===//

function html(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes))
    key === "onclick" ? element.addEventListener("click", value) : element.setAttribute(key, value);
  element.append(...children);
  return element;
}

const panel = byId("details");
function show(...children) {
  panel.replaceChildren(html("button", { class: "close", "aria-label": "Close", onclick: () => select(null) }, "×"), ...children);
  if (panel.hidden) hidePanel(false);
}

/** What was in the middle stays there. */
function hidePanel(hidden) {
  const middle = svg.getBoundingClientRect().width / 2;
  panel.hidden = hidden;
  view.x += svg.getBoundingClientRect().width / 2 - middle;
  covered = null;
  draw();
}

const link = (text, onclick) => html("button", { class: "link", onclick }, text);
const nodeLink = (number) => link(nodes[number].name, () => goToNode(number));

function describeDemand(value) {
  const steps = (value.demand ?? []).map((step) => {
    const what = step.kind === "symbol" ? `extent ${step.name}` : step.kind === "yield" ? `end of ${step.name}` : step.name;
    return html("li", {}, `${step.node} (${what}${step.class && step.class !== "Data" ? ", " + step.class : ""})`);
  });
  if (steps.length === 0) return [];
  const skipped = value.demand_steps_skipped ? [html("p", {}, `${value.demand_steps_skipped} steps in the middle are left out.`)] : [];
  return [html("h2", {}, "The host asks for it through"), html("ol", {}, ...steps), ...skipped];
}

function describeValue(number) {
  const value = values[number];
  const parts = [
    html("h3", {}, value.name), html("p", {}, html("code", {}, typeText(value))),
    html("span", { class: `mark ${value.side}` }, value.side === "both" ? "host and device" : value.side),
    html("h2", {}, "Why"), html("p", { class: "reason" }, value.reason),
  ];
  if (value.cost_ns) parts.push(html("p", {}, `Estimated: ${value.cost_ns.host} ns on the host, ${value.cost_ns.device} ns on the device.`));
  parts.push(...describeDemand(value));
  parts.push(html("h2", {}, "Made by"), html("p", {}, maker[number] === undefined ? value.producer : nodeLink(maker[number])));
  const users = [...new Set(readers[number])].slice(0, 12);
  if (users.length > 0) parts.push(html("h2", {}, "Read by"), ...users.map((node) => html("p", {}, nodeLink(node))));
  return parts;
}

function describeNode(item) {
  const { node } = item;
  const parts = [];
  if (graphsOf[node].length > 0) {
    const isClosed = closedBoxes.has(item.key);
    parts.push(html("p", {}, html("button", { onclick: () => refold(item.key, () => isClosed ? closedBoxes.delete(item.key) : closedBoxes.add(item.key)) }, isClosed ? "Open" : "Fold")));
  }
  if (item.foldedIn) parts.push(html("p", {}, html("button", { onclick: () => refold(item.foldedIn, () => openFolds.delete(item.foldedIn)) }, "Fold this run again")));
  const given = nodes[node].operands.map((read) => html("li", {}, `${read.name ?? ""} `, link(values[read.value].name, () => goToValue(read.value))));
  const operands = given.length > 0 ? [html("h2", {}, "Reads"), html("ol", {}, ...given)] : [];
  const results = nodes[node].results.map((value) => html("section", { class: "value" }, ...describeValue(value)));
  show(html("h3", {}, nodes[node].name), ...parts, ...operands, ...results);
}

function describeCrossing(crossing) {
  const marks = [html("span", { class: `mark kind ${crossing.kind}` }, KINDS[crossing.kind].word),
    html("span", { class: "mark both" }, crossing.blocking ? "the caller waits" : "nobody waits")];
  if (crossing.in_loop) marks.push(html("span", { class: "mark both" }, iterationsOf(crossing)));
  const value = crossing.number === undefined ? crossing.value : link(crossing.value, () => goToValue(crossing.number));
  const made = crossing.number === undefined || maker[crossing.number] === undefined ? crossing.producer : nodeLink(maker[crossing.number]);
  show(html("h3", {}, value), ...marks, html("p", {}, `${sizeText(crossing.bytes)} bytes, ${KINDS[crossing.kind].says}`),
    html("h2", {}, "Made by"), html("p", {}, made), html("h2", {}, "Why it is there"), html("p", { class: "reason" }, crossing.reason),
    html("h2", {}, "Who asks for it"), html("ol", {}, ...crossing.consumers.map((who) => html("li", {}, who))),
    ...(crossing.number === undefined ? [] : describeDemand(values[crossing.number])),
    html("h2", {}, "To remove it"), html("p", { class: "remedy" }, crossing.remedy));
}

function describeMark(item) {
  const words = item.told ? item.told.map((extent) => `Extent ${extent.axis} of this output is counted on the device. It comes in one copy behind the run.`)
    : ["A scalar of the host. It is part of the launch: no copy, no wait."];
  show(html("span", { class: `mark kind ${item.kind}` }, KINDS[item.kind].word), ...words.map((text) => html("p", {}, text)), ...describeValue(item.value));
}

function describeFold(item) {
  const counts = new Map();
  for (const node of item.fold) counts.set(nodeType(node), (counts.get(nodeType(node)) ?? 0) + 1);
  const rows = [...counts].sort((a, b) => b[1] - a[1]).map(([type, count]) => html("li", {}, `${count} × ${type}`));
  show(html("h3", {}, item.title), html("p", {}, "Nothing crosses in here."), html("p", {}, html("button", { onclick: () => activate(item) }, "Open")), html("ul", {}, ...rows));
}

//===--- Selecting ---===//

function select(item) {
  selected = item?.key ?? null;
  for (const button of document.querySelectorAll("#crossings button")) button.classList.toggle("selected", button.dataset.key === selected);
  covered = null;
  if (!item) hidePanel(true);
  else if (item.crossing !== undefined) describeCrossing(crossings[item.crossing]);
  else if (item.kind) describeMark(item);
  else if (item.fold) describeFold(item);
  else if (item.node !== undefined) describeNode(item);
  else show(...describeValue(item.value));
  draw();
}

/** A fold opens; everything else is described. */
function activate(item) {
  if (!item.fold) return select(item);
  const change = () => openFolds.add(foldKey(item.fold));
  change.node = item.fold[0];
  refold(item.key, change);
  select(allItems().find((other) => other.members?.includes(item.fold[0])) ?? null);
}

function goTo(find) {
  const item = allItems().find(find);
  if (!item) return;
  select(item);
  centre(item);
}

function goToNode(number) {
  if (nodes[number].constant) return goToValue(nodes[number].results[0]);
  reveal(number);
  relayout();
  goTo((item) => item.node === number);
}

function goToValue(number) {
  const node = maker[number];
  if (node !== undefined && !nodes[node].constant) return goToNode(node);
  const end = allItems().find((item) => item.value === number && !item.kind);
  if (end) return goTo((item) => item === end);
  select(null);
  show(...describeValue(number));
}

//===--- Lists ---===//

function row(kind, name, what, onclick, key) {
  const button = html("button", { class: kind, onclick }, html("span", { class: "name" }, name), html("span", { class: "what" }, what));
  if (key) button.dataset.key = key;
  return html("li", {}, button);
}

function goToMark(graph, inner, key) {
  if (inner !== undefined) reveal(inner);
  relayout();
  goTo((item) => item.key === `${key} @${graph}`);
}

function listCrossings() {
  const rows = crossings.map((crossing, number) => {
    const what = `${KINDS[crossing.kind].word}, ${sizeText(crossing.bytes)} B${crossing.blocking ? ", the caller waits" : ""}${crossing.in_loop ? `, ${iterationsOf(crossing)}` : ""}`;
    const show = () => crossing.graph === undefined ? describeCrossing(crossing) : goToMark(crossing.graph, nodesOf[crossing.graph][0], `crossing ${number}`);
    return row(crossing.kind, crossing.value, what, show, `crossing ${number} @${crossing.graph}`);
  });
  const seen = new Set();
  for (const node of nodes)
    for (const read of node.operands) {
      const key = `argument ${read.value}`;
      if (!read.kernel_argument || seen.has(`${key} @${node.graph}`)) continue;
      seen.add(`${key} @${node.graph}`);
      rows.push(row("argument", values[read.value].name, `kernel argument, ${sizeText(values[read.value].bytes)} B`, () => goToMark(node.graph, nodesOf[node.graph][0], key), `${key} @${node.graph}`));
    }
  for (const { value, axis } of report.told_behind)
    rows.push(row("told", values[value].name, `extent ${axis}, told behind the run`, () => goToMark(roots[0], undefined, `told ${value}`), `told ${value} @${roots[0]}`));
  byId("crossings").replaceChildren(...(rows.length > 0 ? rows : [html("p", {}, hasDevice ? "Nothing crosses." : "No value is on a device.")]));
}

const MOST_FOUND = 40;
function find(text) {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return byId("found").replaceChildren();
  const rows = [];
  const isFull = () => rows.length >= MOST_FOUND;
  values.forEach((value, number) => {
    if (!isFull() && value.name.toLowerCase().includes(wanted)) rows.push(row(value.side, value.name, `${value.side}, ${typeText(value)}`, () => goToValue(number)));
  });
  nodes.forEach((node, number) => {
    if (!isFull() && node.name.toLowerCase().includes(wanted)) rows.push(row("both", node.name, "node", () => goToNode(number)));
  });
  byId("found").replaceChildren(...(rows.length > 0 ? rows : [html("p", {}, "Nothing has this name.")]));
}

function iterationsOf(crossing) {
  return crossing.per_iterations === 1 ? "in every iteration" : `once in ${crossing.per_iterations} iterations`;
}

/** Whether a run can be part of a CUDA graph; nothing where there is no device. */
function captureOf({ capture }) {
  if (!capture) return [];
  const kept = capture.kept_inputs.join(", ");
  const [answer, title] = capture.capturable ? ["yes", kept && `a graph keeps the elements that the host has read of ${kept}`]
    : [`no, the host waits for ${capture.obstacle.value}`, capture.obstacle.remedy];
  return [html("span", title ? { title } : {}, "capturable: ", html("b", {}, answer))];
}

function writeHead() {
  document.title = `${report.model} — placement`;
  byId("model").textContent = report.model;
  byId("target").textContent = report.target;
  const counts = [[report.readbacks, "readbacks"], [report.uploads, "uploads"], [report.blocking_syncs, "waits"], [report.late_extents, "extents told behind"]];
  byId("counts").replaceChildren(...counts.map(([count, what]) => html("span", {}, html("b", {}, String(count)), ` ${what}`)), ...captureOf(report));
  const sides = [["host", "host"], ["device", "device"], ["both", "known to both"]].map(([side, text]) => html("li", { class: side }, html("i", { class: "side" }), text));
  const kinds = Object.entries(KINDS).map(([kind, { word, says }]) => html("li", { class: kind, title: says }, html("i", { class: "kind" }), word));
  byId("legend").replaceChildren(...sides, ...kinds);
}

//===--- Input ---===//

function itemAt(target) {
  const key = target.closest?.(".item")?.dataset.key;
  return key === undefined ? null : allItems().find((item) => item.key === key);
}

function watchPointer() {
  let start = null;
  svg.addEventListener("pointerdown", (event) => { start = { x: event.clientX, y: event.clientY, view: { ...view }, moved: false }; });
  window.addEventListener("pointermove", (event) => {
    if (!start) return;
    const dx = event.clientX - start.x, dy = event.clientY - start.y;
    start.moved ||= Math.hypot(dx, dy) > 4;
    if (!start.moved) return;
    svg.classList.add("dragged");
    view.x = start.view.x + dx;
    view.y = start.view.y + dy;
    draw();
  });
  window.addEventListener("pointerup", () => {
    svg.classList.remove("dragged");
    if (start && !start.moved) start = null;
    else setTimeout(() => { start = null; });
  });
  svg.addEventListener("click", (event) => {
    if (start?.moved) return;
    const item = itemAt(event.target);
    item ? activate(item) : select(null);
  });
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = svg.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - box.left, event.clientY - box.top);
  }, { passive: false });
}

function pan(dx, dy) {
  view.x += dx;
  view.y += dy;
  draw();
}

const KEYS = {
  "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), "0": fit, Escape: () => select(null),
  ArrowLeft: () => pan(80, 0), ArrowRight: () => pan(-80, 0), ArrowUp: () => pan(0, 80), ArrowDown: () => pan(0, -80),
};

function watchKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.target.tagName === "INPUT" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
      event.preventDefault();
      return byId("search").focus();
    }
    const item = itemAt(event.target);
    if (item && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      return activate(item);
    }
    const isArrow = event.key.startsWith("Arrow");
    if (!KEYS[event.key] || (isArrow && !svg.contains(event.target))) return;
    event.preventDefault();
    KEYS[event.key]();
  });
  byId("search").addEventListener("input", (event) => find(event.target.value));
}

function setTheme(name) { document.documentElement.dataset.theme = name; }

function watchButtons() {
  byId("fit").addEventListener("click", fit);
  byId("zoom-in").addEventListener("click", () => zoom(1.25));
  byId("zoom-out").addEventListener("click", () => zoom(0.8));
  byId("fold-all").addEventListener("click", () => {
    openFolds.clear();
    graphs.forEach((graph) => graph.node !== undefined && closedBoxes.add(`node ${graph.node}`));
    relayout();
    fit();
  });
  byId("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
}

index();
setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
writeHead();
listCrossings();
relayout();
watchPointer();
watchKeys();
watchButtons();
fit();
new ResizeObserver(() => { covered = null; draw(); }).observe(svg);
// What a test waits for: the time from the start of the page to a graph on the screen.
requestAnimationFrame(() => requestAnimationFrame(() => { document.documentElement.dataset.ready = String(Math.round(performance.now())); }));
