"use strict";

// What a mark says when it is pointed at stands in its <title>.  The browser would show that only after a while, so
// it moves into a box of the page's own.
const tip = document.getElementById("tip");

for (const title of document.querySelectorAll("rect > title")) {
	title.parentNode.dataset.says = title.textContent;
	title.parentNode.setAttribute("aria-label", title.textContent);
	title.remove();
}

function show(event) {
	const mark = event.target.closest("[data-says]");

	tip.hidden = !mark;
	if (!mark)
		return;
	tip.textContent = mark.dataset.says;
	const box = tip.getBoundingClientRect();
	tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 4)) + "px";
	tip.style.top = (event.clientY + 18 + box.height < innerHeight ? event.clientY + 18 : event.clientY - box.height - 10) + "px";
}

document.querySelector("figure").addEventListener("pointermove", show);
document.querySelector("figure").addEventListener("pointerleave", () => { tip.hidden = true; });

// A field of CSV is quoted where a reader would take it apart otherwise.
function field(text) {
	return /[",\r\n]/.test(text) ? '"' + text.replaceAll('"', '""') + '"' : text;
}

// Amounts are shown with three figures and a unit; what is copied is the value.
function csv(table) {
	return [...table.rows].map(row => [...row.cells].map(cell => field(cell.dataset.is ?? cell.textContent)).join(",") + "\n").join("");
}

// Pages opened from a file may not be allowed to use the clipboard's own interface.
async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = document.body.appendChild(document.createElement("textarea"));
		area.value = text;
		area.select();
		document.execCommand("copy");
		area.remove();
	}
}

for (const button of document.querySelectorAll("caption button"))
	button.addEventListener("click", async () => {
		await copy(csv(button.closest("table")));
		button.textContent = "Copied";
		setTimeout(() => { button.textContent = "Copy as CSV"; }, 1500);
	});
