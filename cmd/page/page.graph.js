// Automata as drawings: layers by distance from the start (Sugiyama, Tagawa, Toda 1981, with barycentres), edges as curves.
// A large automaton shows the neighbourhood of the chosen node; a click on a node goes there. What leads to the node is
// left of it, what it leads to is right of it. Labels stand where no other label and no node is, if there is such a place.
const NODES_AT_ONCE = 32, NODES_NEAR = 24, NODES_BEFORE = 6, STEP_X = 200, STEP_Y = 60, RADIUS = 16, FEW_EDGES = 24, MANY_EDGES = 96;
const LETTER_X = 6.4, LETTER_Y = 12, NAME = 16, LABELS = [14, 9, 5];

// graph: {nodes: Map(id -> {name, start, final, odd, square}), edges: [{from, to, label}]}
// All of it; or the chosen node, some that lead there, and what it leads to, nearest first. roots: where layers begin.
function neighbourhood(graph, center) {
	if (graph.nodes.size <= NODES_AT_ONCE)
		return {ids: new Set(graph.nodes.keys()), roots: [...graph.nodes.keys()].filter(id => graph.nodes.get(id).start)};
	const near = new Set([center]), queue = [center], after = new Map();
	for (const {from, to} of graph.edges) (after.get(from) || after.set(from, []).get(from)).push(to);
	const before = [...new Set(graph.edges.filter(e => e.to === center && e.from !== center).map(e => e.from))].slice(0, NODES_BEFORE);
	for (const id of before) near.add(id);
	while (queue.length && near.size < NODES_NEAR)
		for (const next of after.get(queue.shift()) || [])
			if (!near.has(next) && near.size < NODES_NEAR) near.add(next), queue.push(next);
	return {ids: near, roots: [center]};
}

// Where each node stands: layer by layer from the roots; what only leads to a node stands in the layer before it. Little
// crossing from layer to layer.
function place(ids, edges, starts) {
	const layer = new Map(), out = new Map([...ids].map(id => [id, []])), into = new Map([...ids].map(id => [id, []]));
	for (const {from, to} of edges) out.get(from).push(to), into.get(to).push(from);
	const spread = queue => {
		for (const id of queue) layer.set(id, 0);
		while (queue.length) {
			const id = queue.shift();
			for (const next of out.get(id)) if (!layer.has(next)) layer.set(next, layer.get(id) + 1), queue.push(next);
		}
	};
	spread([...starts]);
	for (const id of ids) {
		const after = out.get(id).filter(next => layer.has(next));
		if (!layer.has(id) && after.length) layer.set(id, Math.min(...after.map(next => layer.get(next))) - 1);
	}
	for (const root of [...[...ids].filter(id => !into.get(id).length), ...ids]) if (!layer.has(root)) spread([root]);
	const layers = [], least = Math.min(...layer.values());
	for (const [id, l] of layer) layer.set(id, l - least);
	for (const [id, l] of layer) (layers[l] = layers[l] || []).push(id);
	const row = new Map();
	const number = () => layers.forEach(l => l.forEach((id, i) => row.set(id, i - (l.length - 1) / 2)));
	number();
	for (let sweep = 0; sweep < 8; sweep++) {
		for (const l of sweep % 2 ? [...layers].reverse() : layers) {
			const beside = sweep % 2 ? out : into;
			const middle = new Map(l.map(id => {
				const others = beside.get(id).filter(x => layer.get(x) !== layer.get(id));
				return [id, others.length ? others.reduce((sum, x) => sum + row.get(x), 0) / others.length : row.get(id)];
			}));
			l.sort((a, b) => middle.get(a) - middle.get(b) || row.get(a) - row.get(b));
			number();
		}
	}
	const most = Math.max(...layers.map(l => l.length));
	const at = new Map([...layer].map(([id, l]) => [id, {x: 40 + l * STEP_X, y: 60 + (row.get(id) + (most - 1) / 2) * STEP_Y, layer: l}]));
	const last = layers.length - 1, beyond = edges.some(e => e.from !== e.to && layer.get(e.from) === last && layer.get(e.to) === last);
	return {at, last, width: 130 + (last + (beyond ? 1 : 0)) * STEP_X, height: 130 + (most - 1) * STEP_Y};
}

// The curve from a to b: two ends and between them two points that it bends to. Within a layer it goes beside the names;
// right of the last layer, where nothing else is.
function bend(a, b, last) {
	if (a === b) return [[a.x - 8, a.y - RADIUS + 2], [a.x - 30, a.y - 50], [a.x + 30, a.y - 50], [a.x + 8, a.y - RADIUS + 2]];
	const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1, steps = b.layer - a.layer;
	if (steps === 0) {
		const side = dy > 0 || a.layer === last ? 1 : -1, out = side * Math.min((dy > 0 ? 54 : 66) + 6 * Math.abs(dy) / STEP_Y, STEP_X / 2);
		return [[a.x + side * RADIUS, a.y], [a.x + side * RADIUS + out, a.y], [b.x + side * RADIUS + out, b.y], [b.x + side * (RADIUS + 3), b.y]];
	}
	const side = steps > 0 ? -1 : 1, lift = steps === 1 ? 0 : 24 + 10 * Math.abs(steps);
	const x1 = a.x + dx / length * RADIUS, y1 = a.y + dy / length * RADIUS, x2 = b.x - dx / length * (RADIUS + 3), y2 = b.y - dy / length * (RADIUS + 3);
	if (steps === 1) return [[x1, y1], [(x1 + x2) / 2, y1], [(x1 + x2) / 2, y2], [x2, y2]];
	return [0, 1, 1, 0].map((on, i) => [x1 + (x2 - x1) * i / 3 - on * side * dy / length * lift, y1 + (y2 - y1) * i / 3 + on * side * dx / length * lift]);
}
const along = (p, t) => [0, 1].map(k => (1 - t) ** 3 * p[0][k] + 3 * (1 - t) ** 2 * t * p[1][k] + 3 * (1 - t) * t ** 2 * p[2][k] + t ** 3 * p[3][k]);

// A text's box; (x, y): the middle, the left end or the right end of its foot, by anchor.
const BEFORE = {start: 0, middle: 0.5, end: 1};
function textBox(text, x, y, anchor = "middle") {
	const width = text.length * LETTER_X;
	return {x: x - width * BEFORE[anchor], y: y - LETTER_Y + 3, width, height: LETTER_Y};
}
const overlap = (a, b) => Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) * Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));
const shorten = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;
// The place on the curve, near t, at which the text covers least of what is taken; then it is taken, too. Beside a curve
// within a layer. Shortened where there is little room; null: even then it would hide something.
function labelAt(label, points, t, taken) {
	const beside = points[0][0] !== points[1][0] && points[1][0] === points[2][0] ? Math.sign(points[1][0] - points[0][0]) : 0;
	const anchor = beside > 0 ? "start" : beside < 0 ? "end" : "middle";
	let best = null;
	for (const most of LABELS) {
		const text = shorten(label, most);
		for (let i = 0; i < 11; i++) {
			const point = along(points, Math.max(0.05, t + (i % 2 ? 1 : -1) * Math.ceil(i / 2) * 0.04));
			const x = point[0] + 5 * beside, y = point[1] + (beside ? 4 : -3);
			const box = textBox(text, x, y, anchor), covered = taken.reduce((sum, other) => sum + overlap(box, other), 0);
			if (!best || covered < best.covered) best = {text, x, y, anchor, box, covered};
		}
		if (!best.covered) break;
	}
	if (best.covered > LETTER_Y) return null;
	taken.push(best.box);
	return best;
}

function drawn(graph, center, choose) {
	const {ids, roots} = neighbourhood(graph, center);
	const edges = graph.edges.filter(e => ids.has(e.from) && ids.has(e.to));
	const whole = ids.size === graph.nodes.size;
	const {at, last, width, height} = place(ids, edges, roots);
	const picture = svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "automaton"},
		svg("defs", {}, svg("marker", {id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse"},
			svg("path", {d: "M 0 1 L 7 4 L 0 7 z", fill: "context-stroke"}))));
	const named = id => shorten(graph.nodes.get(id).name || "", NAME);
	const taken = [...ids].flatMap(id => {
		const p = at.get(id);
		return [{x: p.x - RADIUS, y: p.y - RADIUS, width: 2 * RADIUS, height: 2 * RADIUS}, textBox(named(id), p.x, p.y + RADIUS + 13)];
	});
	// In a crowded picture an edge that does not touch the chosen node is drawn if it goes to the next layer.
	const few = edges.length <= FEW_EDGES, crowded = edges.length > (whole ? MANY_EDGES : FEW_EDGES), touches = e => e.from === center || e.to === center;
	const shown = edges.filter(e => !crowded || touches(e) || at.get(e.to).layer === at.get(e.from).layer + 1);
	const labels = [];
	for (const e of shown) {
		const near = touches(e), points = bend(at.get(e.from), at.get(e.to), last);
		picture.append(svg("path", {class: "edge" + (near ? " near" : few ? "" : " far") + (at.get(e.to).layer < at.get(e.from).layer ? " back" : ""),
			d: `M ${points[0]} C ${points[1]}, ${points[2]}, ${points[3]}`, "marker-end": "url(#arrow)"}, svg("title", {}, `${e.from} → ${e.to}: ${e.label}`)));
		if (!near && !few) continue;
		const spot = labelAt(e.label, points, few || e.from === e.to ? 0.5 : e.to === center ? 0.25 : 0.74, taken);
		if (!spot) continue;
		const {text, x, y, anchor} = spot;
		labels.push(svg("text", {class: near ? "label near" : "label", x, y, "text-anchor": anchor}, text, svg("title", {}, e.label)));
	}
	for (const id of ids) {
		const n = graph.nodes.get(id), p = at.get(id), name = named(id);
		const go = () => choose(id);
		picture.append(svg("g", {class: "node" + (n.start ? " start" : "") + (n.final ? " final" : "") + (n.odd ? " odd" : "") + (id === center ? " chosen" : ""),
			transform: `translate(${p.x} ${p.y})`, tabindex: "0", role: "button", "aria-label": `state ${id} ${n.name || ""}`, onclick: go,
			onkeydown: event => { if (event.key === "Enter" || event.key === " ") event.preventDefault(), go(); }},
			n.square ? svg("rect", {x: -RADIUS, y: -RADIUS + 3, width: 2 * RADIUS, height: 2 * RADIUS - 6, rx: 4}) : svg("circle", {r: RADIUS}),
			n.final && !n.square ? svg("circle", {class: "outer", r: RADIUS - 3.5}) : null,
			svg("text", {y: 4}, String(id)), name ? svg("text", {class: "name", y: RADIUS + 13}, name) : null,
			svg("title", {}, `${id} ${n.name || ""}`)));
	}
	picture.append(...labels);
	return {picture, whole, n: ids.size, hidden: edges.length - shown.length};
}

// graph, the rows that belong to its nodes, a node to begin with, the number of nodes that the artifact has.
function graphView(graph, rowOf, first, what, total) {
	if (!graph.nodes.size) return el("p", {class: "nothing"}, "Nothing of this kind in the artifact");
	let center = first;
	const frame = el("div", {class: "graph"}), detail = el("div", {class: "detail"}), note = el("span", {class: "count"});
	const input = el("input", {type: "number", min: 1, "aria-label": "node", onchange: () => choose(Number(input.value))});
	function choose(id) {
		if (!graph.nodes.has(id)) return;
		center = id;
		draw(true);
	}
	function draw(focus) {
		const {picture, whole, n, hidden} = drawn(graph, center, choose);
		frame.replaceChildren(picture);
		input.value = center;
		note.textContent = whole ? plural(n, "state") : `the ${n} nearest of ${number(total)} states; a click goes on from there`;
		if (hidden) note.textContent += `; ${plural(hidden, "edge")} between others not drawn`;
		const row = rowOf(center);
		detail.replaceChildren(el("h3", {class: "small"}, `${what} ${center}`), row ? tableView([row], 1).querySelector(".sheet") : "");
		const chosen = frame.querySelector(".chosen");
		if (chosen && focus) chosen.focus({preventScroll: true});
		if (chosen && !whole) requestAnimationFrame(() => {
			const box = chosen.getBoundingClientRect(), outer = frame.getBoundingClientRect();
			frame.scrollLeft += box.left - outer.left - outer.width / 2;
			frame.scrollTop += box.top - outer.top - outer.height / 2;
		});
	}
	draw(false);
	return el("section", {}, el("div", {class: "tools"}, el("label", {}, what + " ", input), note), frame, detail);
}

// Edges with the same ends are one. Nodes that the page's tables have left out are there by their number.
function collect(nodes, list) {
	const by = new Map();
	for (const {from, to, label} of list) {
		const key = from + " " + to;
		if (by.has(key)) by.get(key).label += " " + label;
		else by.set(key, {from, to, label});
	}
	for (const {to} of list) if (!nodes.has(to)) nodes.set(to, {name: "not in the page", square: [...nodes.values()][0].square});
	return {nodes, edges: [...by.values()]};
}
function lexerGraph(rows) {
	const nodes = new Map(rows.map(r => [r.lex_state, {name: r.terminal, start: r.start, final: r.terminal !== undefined, odd: r.unfailable}]));
	const edges = rows.flatMap(r => r.next.filter(x => x.to).map(x => ({from: r.lex_state, to: x.to, label: x.on})));
	return collect(nodes, edges);
}
function stacksGraph(rows) {
	const nodes = new Map(rows.map(r => [r.lr_state, {start: r.lr_state === 1, odd: r.actions.some(x => x.choice), final: r.actions.some(x => x.do === "accept")}]));
	const edges = rows.flatMap(r => r.actions.filter(x => x.shift).map(x => ({from: r.lr_state, to: x.shift, label: x.on}))
		.concat(r.gotos.map(x => ({from: r.lr_state, to: x.to, label: x.on}))));
	return collect(nodes, edges);
}
function dependentGraph(rows) {
	const nodes = new Map(rows.map(r => [r.node, {square: true, name: r.skip ? "skips " + r.skip : ""}]));
	const edges = rows.flatMap(r => r.edges.filter(x => x.next).map(x => ({from: r.node, to: x.next, label: String(x.lr_state)}))
		.concat(r.else.filter(x => x.next).map(x => ({from: r.node, to: x.next, label: "else"}))));
	return collect(nodes, edges);
}
