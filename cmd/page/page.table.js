// Tables: columns from the rows' keys, sorted by a click on a heading, filtered by a text, a page at a time. Only the rows
// of one page are elements, so 100,000 rows are as fast as 100.
const ROWS_A_PAGE = 50, MANY = 12;

// Columns in the order of their first appearance; flags (true, false) share one.
function columnsOf(rows) {
	const keys = new Map();
	const step = Math.max(1, Math.floor(rows.length / 500));
	for (let i = 0; i < rows.length; i += i < 200 ? 1 : step)
		for (const [key, value] of Object.entries(rows[i])) {
			const kind = typeof value === "boolean" ? "flags" : key;
			if (!keys.has(kind)) keys.set(kind, typeof value === "number" || value === null);
		}
	return [...keys].map(([key, isNumber]) => ({key, isNumber}));
}
const flagsOf = row => Object.entries(row).filter(([, value]) => value === true).map(([key]) => key);

function shownValue(value) {
	if (value === null || value === undefined) return "–";
	if (typeof value === "number") return number(value);
	if (typeof value === "string") return code(value);
	if (!Array.isArray(value)) return pairs(value);
	const shown = value.slice(0, MANY).map(x =>
		typeof x === "string" ? chip(x) : "id" in x && "text" in x ? chip(tokenText(x)) : el("span", {class: "pair"}, pairs(x)));
	if (!value.length) shown.push(el("span", {class: "more"}, "–"));
	if (value.length > MANY) {
		const more = el("button", {type: "button", class: "more", onclick: () => more.replaceWith(...value.slice(MANY).map(x =>
			typeof x === "string" ? chip(x) : "id" in x ? chip(tokenText(x)) : el("span", {class: "pair"}, pairs(x))))},
			number(value.length - MANY) + " more");
		shown.push(more);
	}
	return shown;
}
// {"on": "a-z", "to": 4}: on a-z to 4.
function pairs(object) {
	return Object.entries(object).filter(([, value]) => value !== false).map(([key, value]) => [
		el("i", {}, key), value === true ? "" : Array.isArray(value) ? value.map(x => typeof x === "string" ? chip(x) : pairs(x))
			: typeof value === "number" ? el("span", {class: "mono"}, String(value)) : code(value), " "]);
}
function shownCell(row, column) {
	if (column.key === "flags") return flagsOf(row).map(f => el("span", {class: "flag"}, f));
	if (column.show) return column.show(row);
	const value = row[column.key];
	if (column.key === "text" && typeof value === "string") return code(quoted(value));
	return shownValue(value);
}
const sortKey = (row, column) => column.key === "flags" ? flagsOf(row).join(" ")
	: Array.isArray(row[column.key]) ? row[column.key].length : row[column.key];
function compare(a, b) {
	if (a === b) return 0;
	if (a === null || a === undefined) return 1;
	if (b === null || b === undefined) return -1;
	return typeof a === "number" && typeof b === "number" ? a - b : String(a) < String(b) ? -1 : 1;
}

// A table's view: rows, how many there are in all, more columns ({key, show}).
function tableView(rows, total, more) {
	const columns = columnsOf(rows).concat(more || []);
	let shown = rows, page = 0, by = null, descending = false, texts = null;
	const body = el("tbody"), count = el("span", {class: "count", "aria-live": "polite"});
	const search = el("input", {type: "search", placeholder: "Filter rows", "aria-label": "Filter rows", oninput: () => filter()});
	const back = el("button", {type: "button", onclick: () => turn(-1)}, "Back"), on = el("button", {type: "button", onclick: () => turn(1)}, "Next");
	const headings = columns.map(column => el("th", {scope: "col", class: column.isNumber ? "num" : null},
		el("button", {type: "button", onclick: () => sort(column)}, column.key.replace(/_/g, " "))));

	function draw() {
		const pages = Math.max(1, Math.ceil(shown.length / ROWS_A_PAGE)), first = page * ROWS_A_PAGE;
		body.replaceChildren(...shown.slice(first, first + ROWS_A_PAGE).map(row =>
			el("tr", {}, columns.map(column => el("td", {class: column.isNumber ? "num" : null}, shownCell(row, column))))));
		if (!shown.length) body.append(el("tr", {}, el("td", {colspan: columns.length || 1, class: "nothing"}, rows.length ? "No row has this text" : "Nothing of this kind in the artifact")));
		back.disabled = page === 0;
		on.disabled = page >= pages - 1;
		count.textContent = plural(shown.length, "row") + (shown.length < rows.length ? " of " + number(rows.length) : "") +
			(rows.length < total ? " (the first of " + number(total) + "; --limit 0 has all)" : "") +
			(pages > 1 ? " · page " + number(page + 1) + " of " + number(pages) : "");
	}
	function turn(step) {
		page += step;
		draw();
		sheet.scrollTop = 0;
	}
	function filter() {
		const wanted = search.value.toLowerCase();
		if (!texts) texts = new Map(rows.map(row => [row, JSON.stringify(row).toLowerCase()]));
		shown = wanted ? rows.filter(row => texts.get(row).includes(wanted)) : rows;
		if (by) shown = [...shown].sort(order);
		page = 0;
		draw();
	}
	const order = (a, b) => (descending ? -1 : 1) * compare(sortKey(a, by), sortKey(b, by));
	function sort(column) {
		descending = by === column && !descending;
		by = column;
		headings.forEach((h, i) => h.setAttribute("aria-sort", columns[i] !== by ? "none" : descending ? "descending" : "ascending"));
		shown = [...shown].sort(order);
		page = 0;
		draw();
	}
	const sheet = el("div", {class: "sheet", tabindex: "0", "aria-label": "Rows", onkeydown: event => {
		if (event.target !== sheet) return;
		if (event.key === "ArrowRight" && !on.disabled) turn(1);
		if (event.key === "ArrowLeft" && !back.disabled) turn(-1);
	}}, el("table", {}, el("thead", {}, el("tr", {}, headings)), body));
	draw();
	const tools = el("div", {class: "tools"}, search, back, on, count);
	const view = el("section", {}, tools, sheet);
	view.tools = tools;
	view.redraw = draw;
	return view;
}
