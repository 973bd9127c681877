// Uses the page: every part, a table's sorting, filter and pages, the walk's keys, an automaton's nodes.
const errors = [];
window.onerror = message => { errors.push(message); };
const wait = ms => new Promise(done => setTimeout(done, ms));
const expect = (holds, what) => { if (!holds) errors.push(what); };
const press = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
// No label of the drawing hides another one, a node's name or a node.
function expectReadable(main, what) {
	const boxes = [...main.querySelectorAll(".graph .label, .graph .name, .graph .node circle, .graph .node rect")].map(x => [x, x.getBoundingClientRect()]);
	for (const [a, p] of boxes.filter(([x]) => x.matches(".label")))
		for (const [b, q] of boxes) {
			const width = Math.min(p.right, q.right) - Math.max(p.left, q.left), height = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
			expect(a === b || width < 4 || height < 4, what + ": " + a.firstChild.data + " covers " + (b.firstChild ? b.firstChild.data : "a node"));
		}
}
async function use() {
	let parts = 0;
	for (const link of [...document.querySelectorAll("nav a")]) {
		link.click();
		await wait(30);
		parts++;
		const main = document.getElementById("main");
		expect(main.querySelector("h1"), link.href + " has no heading");
		expect(link.getAttribute("aria-current") === "page", link.href + " is not current");
		expect(!main.textContent.includes("[object"), link.href + " shows an object");
		expect(!main.textContent.includes("undefined") && !main.textContent.includes("NaN"), link.href + " shows nothing as something");
		if (main.querySelector(".graph")) expectReadable(main, link.href.split("#")[1]);
		for (const heading of main.querySelectorAll("th button")) heading.click(), heading.click();
	}
	location.hash = "#table/vocabulary";
	await wait(30);
	const main = document.getElementById("main"), rows = () => main.querySelectorAll("tbody tr").length;
	const first = () => main.querySelector("tbody td").textContent;
	expect(rows() === 50 && first() === "0", "a page of the vocabulary");
	[...main.querySelectorAll("button")].find(b => b.textContent === "Next").click();
	expect(first() === "50", "the next page");
	main.querySelector("th button").click();
	main.querySelector("th button").click();
	expect(first() === (tables.vocabulary.total - 1).toLocaleString("en"), "sorted the other way round: " + first());
	press(document.body, "/");
	expect(document.activeElement.type === "search", "/ goes to the filter");
	document.activeElement.value = "\"token\":65,";
	document.activeElement.dispatchEvent(new Event("input"));
	expect(rows() === 1 && first() === "65", "the filter finds one row");
	location.hash = "#walk";
	await wait(30);
	const pressed = () => [...main.querySelectorAll(".tokens button")].findIndex(b => b.getAttribute("aria-pressed") === "true");
	expect(pressed() === 0, "the walk begins at its beginning");
	press(document.activeElement, "ArrowRight");
	expect(pressed() === 1, "an arrow goes one token on");
	for (let i = 0; i < data.walk.steps.length; i++) press(document.activeElement, "ArrowRight");
	expect(pressed() === data.walk.steps.length - 1, "and to the end");
	expect(!data.walk.refused === !main.querySelector(".warning"), "a refused token is told");
	expect(main.querySelectorAll(".stack").length > 0, "the walk shows stacks");
	location.hash = "#automaton/lexer";
	await wait(30);
	const nodes = main.querySelectorAll(".node");
	expect(nodes.length > 1, "the lexer is drawn");
	nodes[nodes.length - 1].dispatchEvent(new MouseEvent("click", {bubbles: true}));
	await wait(30);
	expect(main.querySelector(".node.chosen") && main.querySelector(".detail td"), "a node that is clicked is chosen");
	const loaded = performance.getEntriesByType("resource").map(r => r.name).filter(name => !name.startsWith("data:"));
	expect(!loaded.length, "asks for " + loaded);
	return parts;
}
use().catch(error => errors.push(String(error.stack || error))).then(parts => {
	const told = document.createElement("pre");
	told.id = "used";
	told.textContent = errors.length ? "not ok: " + errors.join("; ") : "ok (" + parts + " parts)";
	document.body.append(told);
});
