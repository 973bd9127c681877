// The page: its parts, the way from one to the other (the part's name is the address's fragment), the summary.
const summary = data.summary, tables = data.tables;

// Terminals without a name in the grammar are shown as they are written there: "=>" for __ANON_0.
const written = new Map(tables.terminals.rows.filter(r => r.name.startsWith("__ANON_")).map(r => [r.name, r.pattern]));
function spellOut(x) {
	for (const key of Object.keys(x)) {
		if (x[key] && typeof x[key] === "object") spellOut(x[key]);
		else if (typeof x[key] === "string" && x[key].includes("__ANON_")) x[key] = x[key].replace(/__ANON_\d+/g, name => written.get(name) || name);
	}
}
if (written.size) spellOut(tables), data.walk && spellOut(data.walk);
const fileName = summary.artifact.split("/").pop();

function fact(name, value, note) {
	return el("div", {}, el("dt", {}, name), el("dd", {}, value === null ? "unbounded" : number(value), note ? el("small", {}, note) : null));
}
function summaryView() {
	const s = summary, sections = [...s.sections].filter(x => x.decoded).sort((a, b) => b.stored - a.stored);
	const largest = sections.length ? sections[0].stored : 1;
	return el("section", {}, el("h1", {}, fileName),
		el("p", {class: "about"}, `Token masks of a grammar for a vocabulary of ${number(s.tokens)} tokens. ${bytes(s.file_bytes)}, ${bytes(s.decoded_bytes)} more when opened; format ${s.format_version}.`),
		s.warnings.map(w => el("div", {class: "warning"}, w)),
		el("h2", {class: "part"}, "What is in it"),
		el("dl", {class: "facts"}, fact("Terminals", s.terminals), fact("Productions", s.productions, plural(s.nonterminals, "nonterminal")),
			fact("Lexer states", s.lex_states, `${s.byte_classes} byte classes, ${s.contexts} contexts`),
			fact("Parser states", s.lr_states, s.conflicts ? plural(s.conflicts, "place") + " with several ways" : "no conflicts"),
			fact("Starts", s.starts, "always-accepted sets"), fact("Nodes", s.nodes, `${number(s.edges)} edges: read the stack`),
			fact("Token sets", s.sets, `${number(s.set_rows)} rows, ${number(s.set_tokens)} listed tokens`),
			fact("Tokens", s.tokens, `${number(s.max_token_len)} bytes at most, ${number(s.eos)} end${s.eos === 1 ? "s" : ""} a text`)),
		el("h2", {class: "part"}, "At worst"),
		el("dl", {class: "facts"}, fact("Frames", s.worst_frames, "of the stack that one mask reads"), fact("Sets", s.worst_sets, "that one mask unites"),
			fact("Readings", s.max_readings, "of one text at once"), fact("Pushes", s.max_pushes, "frames that one terminal adds")),
		el("h2", {class: "part"}, "Sections of the file"),
		el("div", {class: "bars"}, sections.map(x => [el("span", {}, x.name.replace(/_/g, " ")), el("span", {class: "n"}, bytes(x.stored)),
			el("div", {class: "bar", style: `width:${100 * x.stored / largest}%`}), el("span", {class: "note"}, x.codec === "raw" ? "raw" : `${bytes(x.decoded)} decoded`)])),
		el("p", {class: "hashes"}, "grammar ", code(s.grammar_hash), el("br"), "vocabulary ", code(s.vocab_hash)));
}

function titled(title, about, ...content) {
	return el("section", {}, el("h1", {}, title), el("p", {class: "about"}, about), ...content);
}
function masksView() {
	const rows = tables.sets.rows.map((row, i) => ({...row, order: i}));
	const view = () => {
		const table = tableView(rows.map(({order, tokens, row, listed, ...rest}) => ({...rest, tokens})), tables.sets.total,
			[{key: "coverage", show: r => data.coverage[r.set] ? strip(data.coverage[r.set][stripBy], false, stripTitle[stripBy]) : ""}]);
		table.tools.prepend(...stripChoice(() => { table.replaceWith(view()); }));
		return table;
	};
	return titled("Masks", "Every set of tokens that masks are united from. A strip is the whole vocabulary: the darker, the more of it is allowed; " +
		"by the byte that tokens begin with (controls, signs, digits, capitals, small letters, not ASCII), or by token id.", view());
}
const capital = text => text.replace(/^./, c => c.toUpperCase());
const rowBy = (rows, key) => { const by = new Map(rows.map(r => [r[key], r])); return id => by.get(id); };

const parts = [
	["", [
		["summary", "Summary", null, summaryView],
		...(data.walk ? [["walk", "Walk", data.walk.steps.length - 1, () => titled("Walk", "The example, token by token. Left and right step; a place is before the token.", walkView(data.walk))]] : []),
		["masks", "Masks", tables.sets.total, masksView],
	]],
	["Automata", [
		["automaton/lexer", "Lexer", summary.lex_states, () => titled("Lexer", "States of the one lexer for all terminals. A double ring: the lexeme can be this terminal when it ends there.",
			graphView(lexerGraph(tables.lexer.rows), rowBy(tables.lexer.rows, "lex_state"), summary.start_lex_state, "lexer state", summary.lex_states))],
		["automaton/stacks", "Parser", summary.lr_states, () => titled("Parser", "States of the parser: an edge is a terminal that is shifted, or a nonterminal that was completed. Coloured: several actions on one terminal.",
			graphView(stacksGraph(tables.stacks.rows), rowBy(tables.stacks.rows, "lr_state"), 1, "parser state", summary.lr_states))],
		...(!tables.dependent.total ? [] : [["automaton/dependent", "Stack reading", summary.nodes, () => titled("Stack reading", "Nodes that read the stack downwards, for tokens that depend on it: an edge is the parser state of the frame that is read, and adds a set of tokens.",
			graphView(dependentGraph(tables.dependent.rows), rowBy(tables.dependent.rows, "node"), 1, "node", summary.nodes))]]),
	]],
	["Tables", Object.entries(tables).filter(([, t]) => t.total).map(([name, t]) => ["table/" + name, name.replace(/_/g, " "), t.total,
		() => titled(capital(name.replace(/_/g, " ")), capital(t.about) + ".", tableView(t.rows, t.total))])],
];

const head = document.getElementById("head"), nav = document.getElementById("nav"), main = document.getElementById("main");
const themes = ["auto", "light", "dark"];
const theme = el("button", {type: "button", title: "light, dark, or as the system has it", onclick: () => {
	const next = themes[(themes.indexOf(theme.textContent) + 1) % 3];
	theme.textContent = next;
	if (next === "auto") delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = next;
	document.querySelectorAll("canvas.strip").forEach(c => c.paint());
}}, "auto");
head.append(el("b", {}, "gcdc"), el("span", {}, fileName), el("span", {class: "keys"}, el("kbd", {}, "/"), " filter  ", el("kbd", {}, "["), " ", el("kbd", {}, "]"), " parts  ",
	data.walk ? [el("kbd", {}, "←"), " ", el("kbd", {}, "→"), " walk  "] : null), theme);
nav.append(...parts.map(([title, entries]) => [title ? el("h2", {}, title) : null,
	...entries.map(([id, name, n]) => el("a", {href: "#" + id}, name, n === null ? null : el("small", {}, number(n))))]).flat().filter(x => x));
const all = parts.flatMap(([, entries]) => entries);

function show() {
	const id = decodeURIComponent(location.hash.slice(1)).split("?")[0];
	const part = all.find(([name]) => name === id) || all[0];
	for (const a of nav.querySelectorAll("a")) {
		if (a.getAttribute("href") === "#" + part[0]) a.setAttribute("aria-current", "page");
		else a.removeAttribute("aria-current");
	}
	document.title = part[1] + " · " + fileName;
	main.replaceChildren(part[3]());
	window.scrollTo(0, 0);
	if (part[0] === "walk") main.querySelector(".tokens [aria-pressed=true]").focus({preventScroll: true});
}
window.addEventListener("hashchange", show);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.querySelectorAll("canvas.strip").forEach(c => c.paint()));
document.addEventListener("keydown", event => {
	if (event.target.tagName === "INPUT") {
		if (event.key === "Escape") event.target.blur();
		return;
	}
	if (event.ctrlKey || event.metaKey || event.altKey) return;
	const search = main.querySelector("input[type=search]");
	if (event.key === "/" && search) event.preventDefault(), search.focus();
	const i = all.findIndex(([name]) => "#" + name === (location.hash || "#" + all[0][0]));
	if (event.key === "]") location.hash = all[(Math.max(i, 0) + 1) % all.length][0];
	if (event.key === "[") location.hash = all[(Math.max(i, 0) + all.length - 1) % all.length][0];
});
show();
