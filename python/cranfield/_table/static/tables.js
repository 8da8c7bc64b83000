"use strict";
// Tables that sort, a filter, contents that follow, links to runs. Nothing from data becomes markup:
// texts are set as text.
const find = (selector, root = document) => root.querySelector(selector);
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
function element(tag, attributes, ...content) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  made.append(...content);
  return made;
}
for (const one of all("[data-js]")) one.hidden = false;

function key(row, column) {
  const cell = row.cells[column];
  if ("v" in cell.dataset) return cell.dataset.v === "" ? NaN : Number(cell.dataset.v);
  return cell.textContent.trim();
}

function compare(a, b) {
  if (typeof a === "string" || typeof b === "string")
    return String(a).localeCompare(String(b), undefined, { numeric: true });
  return a - b;
}

// What is undefined comes last in either direction.
function sort(table, column, down) {
  const body = table.tBodies[table.tBodies.length - 1];
  const rows = [...body.rows].map((row, place) => ({ row, place, key: key(row, column) }));
  const missing = (entry) => Number.isNaN(entry.key) || entry.key === "-" || entry.key === "";
  rows.sort((a, b) =>
    missing(a) - missing(b) || (missing(a) ? 0 : (down ? -1 : 1) * compare(a.key, b.key)) || a.place - b.place);
  body.append(...rows.map((entry) => entry.row));
}

for (const table of all("table.sortable")) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    if (!head.dataset.first) return;
    const button = element("button", { type: "button", class: "sort" }, ...head.childNodes);
    if (head.hasAttribute("aria-label")) button.setAttribute("aria-label", head.getAttribute("aria-label"));
    head.append(button);
    button.addEventListener("click", () => {
      const before = head.getAttribute("aria-sort");
      const down = before ? before === "ascending" : head.dataset.first === "down";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sort(table, column, down);
    });
  });
}

const filter = find("#filter");
function narrow() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  const rows = all("#runs tbody:not(.pinned) tr");
  for (const row of rows) {
    const name = find("th", row).textContent.toLowerCase();
    row.hidden = !words.every((word) => name.includes(word));
    shown += !row.hidden;
  }
  find("#filtered").textContent = words.length ? `${shown} of ${rows.length}` : "";
}
if (filter) {
  filter.addEventListener("input", narrow);
  filter.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      filter.value = "";
      narrow();
    }
  });
}

// At first only what is in view is laid out. The rest follows a section at a time when the browser
// is idle, and at once for a link, which leads to a place that has to be known.
const later = all("main > section + section");
const layOut = (count) => { for (const one of later.splice(0, count)) one.classList.add("laid"); };
const soon = window.requestIdleCallback || ((call) => setTimeout(call, 50));
function layOutNext() {
  layOut(1);
  if (later.length) soon(layOutNext);
}
if (location.hash) layOut(later.length);
else window.addEventListener("load", () => soon(layOutNext));
for (const kind of ["pointerdown", "keydown", "beforeprint"])
  window.addEventListener(kind, () => layOut(later.length), { capture: true });

function asked() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return location.hash.slice(1);
  }
}
// A link to a topic unfolds it; one to a run that the filter hides ends the filter.
function arrive() {
  for (const row of all("tr.found")) row.classList.remove("found");
  const name = asked();
  const folded = name.startsWith("topic=") && document.getElementById(name);
  if (folded && folded.tagName === "DETAILS") {
    folded.open = true;
    folded.scrollIntoView();
    find("summary", folded).focus({ preventScroll: true });
  }
  const row = name.startsWith("run=") && document.getElementById(name);
  if (!row) return;
  if (row.hidden) {
    filter.value = "";
    narrow();
  }
  row.classList.add("found");
  row.scrollIntoView({ block: "center" });
  find("a", row).focus({ preventScroll: true });
}
window.addEventListener("hashchange", arrive);
arrive();

const links = new Map(all(".contents a").map((link) => [link.hash.slice(1), link]));
if ("IntersectionObserver" in window) {
  const seen = new Set();
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) seen[isIntersecting ? "add" : "delete"](target.id);
    const first = [...links.keys()].find((id) => seen.has(id));
    for (const [id, link] of links) {
      if (id === first) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
  }, { rootMargin: "0px 0px -60% 0px" });
  for (const id of links.keys()) observer.observe(document.getElementById(id));
}

// Printing shows what is folded; of topics with their lists those that are open, or else the first.
const ON_PAPER = 5;
window.addEventListener("beforeprint", () => {
  const topics = find(".topic[open]") ? [] : all(".topic").slice(0, ON_PAPER);
  for (const one of [...all("details:not(.topic, [open])"), ...topics]) {
    one.open = true;
    one.dataset.printed = "";
  }
});
window.addEventListener("afterprint", () => {
  for (const one of all("details[data-printed]")) {
    one.open = false;
    delete one.dataset.printed;
  }
});
