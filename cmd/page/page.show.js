// Elements, texts, numbers, strips: what the other parts are made of. No innerHTML: texts of a grammar stay texts.
const data = JSON.parse(document.getElementById("data").textContent);

function make(parent, name, attributes, ...children) {
	for (const [key, value] of Object.entries(attributes || {})) {
		if (key.startsWith("on")) parent.addEventListener(key.slice(2), value);
		else if (value === true) parent.setAttribute(key, "");
		else if (value !== false && value !== null && value !== undefined) parent.setAttribute(key, value);
	}
	for (const child of children.flat(9)) if (child !== null && child !== undefined && child !== false) parent.append(child);
	return parent;
}
const el = (name, attributes, ...children) => make(document.createElement(name), name, attributes, ...children);
const svg = (name, attributes, ...children) =>
	make(document.createElementNS("http://www.w3.org/2000/svg", name), name, attributes, ...children);

const number = n => n === null || n === undefined ? "–" : n.toLocaleString("en");
const bytes = n => n < 10000 ? number(n) + " bytes" : n < 1e6 ? (n / 1e3).toFixed(1) + " KB" : (n / 1e6).toFixed(2) + " MB";
const plural = (n, word) => number(n) + " " + word + (n === 1 ? "" : "s");

// A text with what does not show made visible, in quotes.
function quoted(text) {
	const seen = text.replace(/["\\]/g, "\\$&").replace(/\n/g, "\\n").replace(/\t/g, "\\t").replace(/\r/g, "\\r")
		.replace(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g, c => "\\u{" + c.charCodeAt(0).toString(16) + "}");
	return "\"" + seen + "\"";
}
const code = text => el("code", {}, text);
const chip = text => el("span", {class: "chip"}, text);
// A token of a table: its text, or its id where it has none.
const tokenText = t => t.text === "" ? "<" + t.id + ">" : quoted(t.text);

// How much of the vocabulary a mask allows, as a strip: digits 0 (nothing) to f (everything).
function strip(digits, wide, title) {
	const canvas = el("canvas", {class: wide ? "strip wide" : "strip", width: digits.length, height: 1, role: "img", "aria-label": title, title});
	const paint = () => {
		const context = canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
		context.fillStyle = style.getPropertyValue("--wash");
		context.globalAlpha = 1;
		context.fillRect(0, 0, digits.length, 1);
		context.fillStyle = style.getPropertyValue("--accent");
		for (let i = 0; i < digits.length; i++) {
			const level = parseInt(digits[i], 16);
			if (!level) continue;
			context.globalAlpha = 0.25 + 0.75 * level / 15;
			context.fillRect(i, 0, 1, 1);
		}
	};
	canvas.paint = paint;
	paint();
	return canvas;
}
// Strips by the byte that tokens begin with, or by id; one choice for the page.
let stripBy = "by_byte";
const stripTitle = {by_byte: "left to right: the byte that tokens begin with, 0 to 255", by_id: "left to right: token ids"};
const stripAxis = {by_byte: ["controls", "!#", "0–9", "A–Z", "a–z", "not ASCII", ""], by_id: ["0", number(data.summary.tokens)]};
const axisPlace = {by_byte: [0, 33, 48, 65, 97, 128, 256], by_id: [0, 256]};
function axis() {
	const marks = stripAxis[stripBy].map((text, i) => el("span", {style: "position:absolute;left:" + axisPlace[stripBy][i] / 2.56 + "%;" +
		(i === stripAxis[stripBy].length - 1 ? "transform:translateX(-100%)" : "")}, text));
	return el("div", {class: "axis", style: "position:relative;height:1.2em"}, marks);
}
const stripChoice = redraw => ["by_byte", "by_id"].map(by => el("button", {type: "button", "aria-pressed": String(stripBy === by),
	onclick: () => { stripBy = by; redraw(); }}, by === "by_byte" ? "by first byte" : "by token id"));
