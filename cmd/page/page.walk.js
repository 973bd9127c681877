// The walk: an example text, token by token. Each place has its readings, its stacks, what is allowed. Arrow keys step.
function lexemes(reading) {
	const last = reading.lexemes.slice(-12);
	if (!last.length && reading.at_hand === "") return el("p", {class: "because"}, "Nothing yet.");
	return el("div", {}, reading.lexemes.length > last.length ? el("span", {class: "more"}, "… ") : null,
		last.map(x => el("span", {class: "lexeme"}, code(quoted(x.text)), el("small", {}, x.terminal))),
		reading.at_hand === "" ? null : el("span", {class: "lexeme hand"}, code(quoted(reading.at_hand)),
			el("small", {}, "at hand: " + reading.may_become.slice(0, 4).join(" or ") + (reading.may_become.length > 4 ? " …" : ""))));
}
function stackOf(s) {
	const top = s.stack.slice(-24);
	return el("div", {class: "stack"}, el("span", {class: "bottom"}, top.length < s.stack.length ? "bottom …" : "bottom"), top.map(x => el("span", {}, x)));
}
function readingOf(reading, i, n) {
	return [n > 1 ? el("h3", {class: "small"}, `Reading ${i + 1} of ${n}`) : null, lexemes(reading),
		el("h3", {class: "small"}, reading.stacks.length > 1 ? "Stacks" : "Stack"),
		reading.stacks.map(s => [stackOf(s), el("p", {class: "because"}, s.because,
			el("span", {class: "more"}, ` (lexer state ${s.lex_state}, parser state ${s.lr_state})`))]),
		reading.more_stacks ? el("p", {class: "more"}, "and more stacks") : null];
}
function placeView(step, redraw) {
	const most = Math.max(1, ...step.groups.map(g => g.count));
	return el("div", {class: "place"},
		el("div", {}, el("h3", {}, "Read so far"), step.place.readings.map((r, i) => readingOf(r, i, step.place.readings.length))),
		el("div", {}, el("h3", {}, "May come next"),
			el("div", {class: "big"}, number(step.allowed), el("small", {}, ` of ${number(data.summary.tokens)} tokens`)),
			el("p", {class: "because"}, el("span", {class: step.may_end ? "yes" : "no"}, step.may_end ? "The text may end here" : "The text may not end here"),
				step.forced === "" ? null : [", ", "forced: ", code(quoted(step.forced))]),
			strip(step[stripBy], true, stripTitle[stripBy]), axis(), el("div", {class: "tools"}, stripChoice(redraw)),
			el("div", {class: "groups"}, step.groups.map(g => [code(g.class), el("span", {class: "n"}, number(g.count)),
				el("div", {class: "bar", style: `width:${Math.max(1, 100 * Math.log1p(g.count) / Math.log1p(most))}%`}),
				el("div", {class: "examples"}, g.examples.map(x => chip(quoted(x))), g.count > g.examples.length ? el("span", {class: "more"}, "…") : null)]))));
}
const visible = text => text.replace(/\n/g, "⏎\n").replace(/\t/g, "→\t").replace(/ /g, "·");
const shownLength = walk => walk.steps.reduce((n, step) => n + (step.text || "").length, 0);
function walkView(walk) {
	const steps = walk.steps;
	let at = Number(new URLSearchParams(location.hash.split("?")[1]).get("at")) || 0;   // #walk?at=7
	const place = el("div", {"aria-live": "polite"});
	const buttons = steps.map((step, i) => el("button", {type: "button", class: step.text === undefined ? "end" : walk.refused && i === steps.length - 1 ? "refused" : null,
		title: step.token === undefined ? "the end" : "before token " + step.token, onclick: () => go(i)},
		step.text === undefined ? "end" : visible(step.text) || "∅"));
	function draw() {
		buttons.forEach((b, i) => b.setAttribute("aria-pressed", String(i === at)));
		const step = steps[at], isRefused = walk.refused && at === steps.length - 1;
		place.replaceChildren(el("h2", {class: "part"}, step.text === undefined ? "At the end" : ["Before ", code(quoted(step.text)), el("span", {class: "more"}, ` token ${number(step.token)}, byte ${number(step.at)}`)]),
			isRefused ? refusal(walk.refused) : "", placeView(step, draw));
	}
	function refusal(e) {
		return el("div", {class: "warning"}, el("b", {}, quoted(e.text) + " is refused here. "), [...new Set(e.readings.flatMap(r => r.stacks.map(s => s.because)))].join("; "));
	}
	function go(i) {
		at = Math.max(0, Math.min(steps.length - 1, i));
		draw();
		buttons[at].focus({preventScroll: true});
	}
	draw();
	const view = el("section", {onkeydown: event => {
		if (event.target.tagName === "INPUT") return;
		if (event.key === "ArrowRight") go(at + 1);
		else if (event.key === "ArrowLeft") go(at - 1);
		else return;
		event.preventDefault();
	}}, el("div", {class: "tokens", role: "toolbar", "aria-label": "tokens"}, buttons,
		walk.refused ? el("span", {class: "rest"}, visible(walk.text.slice(shownLength(walk)))) : null), place);
	return view;
}
