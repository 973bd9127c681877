// Automata as drawings: layers by distance from the start (Sugiyama, Tagawa, Toda 1981, with barycentres), edges as curves.
// A large automaton shows the neighbourhood of the chosen node; a click on a node goes there.
const NODES_AT_ONCE = 32, NODES_NEAR = 24, NODES_BEFORE = 6, STEP_X = 185, STEP_Y = 60, RADIUS = 16, LABEL = 18, FEW_EDGES = 24;

// graph: {nodes: Map(id -> {name, start, final, odd, square}), edges: [{from, to, label}]}
// All of it; or the chosen node, some that lead there, and what it leads to, nearest first. roots: where the layers begin.
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
	return {ids: near, roots: before.length ? before : [center]};
}

// Where each node stands: layer by layer from the starts (or the chosen node), little crossing within a layer.
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
	for (const root of [...[...ids].filter(id => !into.get(id).length), ...ids]) if (!layer.has(root)) spread([root]);
	const layers = [];
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
	return {at, width: 130 + (layers.length - 1) * STEP_X, height: 130 + (most - 1) * STEP_Y};
}

// The path from a to b, and the point of it at t, for the label.
function curve(a, b, t) {
	if (a === b) return {path: `M ${a.x - 8} ${a.y - RADIUS + 2} C ${a.x - 30} ${a.y - 50}, ${a.x + 30} ${a.y - 50}, ${a.x + 8} ${a.y - RADIUS + 2}`, x: a.x, y: a.y - 41};
	const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1, steps = b.layer - a.layer;
	const side = steps > 0 ? -1 : 1, lift = steps === 1 ? 0 : steps === 0 ? 40 : 24 + 10 * Math.abs(steps);
	const x1 = a.x + dx / length * RADIUS, y1 = a.y + dy / length * RADIUS, x2 = b.x - dx / length * (RADIUS + 3), y2 = b.y - dy / length * (RADIUS + 3);
	const p = steps === 1 ? [[x1, y1], [(x1 + x2) / 2, y1], [(x1 + x2) / 2, y2], [x2, y2]]
		: [0, 1, 1, 0].map((on, i) => [x1 + (x2 - x1) * i / 3 - on * side * dy / length * lift, y1 + (y2 - y1) * i / 3 + on * side * dx / length * lift]);
	const at = k => (1 - t) ** 3 * p[0][k] + 3 * (1 - t) ** 2 * t * p[1][k] + 3 * (1 - t) * t ** 2 * p[2][k] + t ** 3 * p[3][k];
	// Beside a curve within one layer, above any other.
	if (steps === 0) return {path: `M ${p[0]} C ${p[1]}, ${p[2]}, ${p[3]}`, x: at(0) + (dy < 0 ? 5 : -5), y: at(1) + 4, anchor: dy < 0 ? "start" : "end"};
	return {path: `M ${p[0]} C ${p[1]}, ${p[2]}, ${p[3]}`, x: at(0), y: at(1) - 3};
}

function drawn(graph, center, choose) {
	const {ids, roots} = neighbourhood(graph, center);
	const edges = graph.edges.filter(e => ids.has(e.from) && ids.has(e.to));
	const whole = ids.size === graph.nodes.size;
	const {at, width, height} = place(ids, edges, roots);
	const picture = svg("svg", {width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "automaton"},
		svg("defs", {}, svg("marker", {id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse"},
			svg("path", {d: "M 0 1 L 7 4 L 0 7 z", fill: "context-stroke"}))));
	const labels = [];
	for (const e of edges) {
		const near = e.from === center || e.to === center, few = edges.length <= FEW_EDGES;
		const c = curve(at.get(e.from), at.get(e.to), few ? 0.5 : e.to === center ? 0.25 : 0.74);
		picture.append(svg("path", {class: "edge" + (near ? " near" : few ? "" : " far") + (at.get(e.to).layer < at.get(e.from).layer ? " back" : ""), d: c.path, "marker-end": "url(#arrow)"},
			svg("title", {}, `${e.from} → ${e.to}: ${e.label}`)));
		const text = e.label.length > LABEL ? e.label.slice(0, LABEL - 1) + "…" : e.label;
		if (near || few) labels.push(svg("text", {class: near ? "label near" : "label", x: c.x, y: c.y, "text-anchor": c.anchor || "middle"}, text, svg("title", {}, e.label)));
	}
	for (const id of ids) {
		const n = graph.nodes.get(id), p = at.get(id), name = n.name && n.name.length > 16 ? n.name.slice(0, 15) + "…" : n.name;
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
	return {picture, whole, n: ids.size};
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
		const {picture, whole, n} = drawn(graph, center, choose);
		frame.replaceChildren(picture);
		input.value = center;
		note.textContent = whole ? plural(n, "state") : `the ${n} nearest of ${number(total)} states; a click goes on from there`;
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
