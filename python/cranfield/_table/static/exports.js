// Copies and downloads, made from what is in the page.
function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = element("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
// A field that a spreadsheet would run as a formula stays text.
function field(value) {
  const text = String(value);
  const safe = typeof value === "string" && /^[=+@\t\r-]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
const csv = (rows) => rows.map((row) => row.map(field).join(",") + "\r\n").join("");
const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "figure";

function tableRows(table) {
  const cell = (one) => ("v" in one.dataset ? one.dataset.v : one.textContent.trim());
  const kept = [...table.rows].filter((row) => !row.hidden);
  const drawn = new Set([...table.tHead.rows[0].cells].flatMap((one, place) => (one.classList.contains("wide") ? [place] : [])));
  return kept.map((row) => [...row.cells].filter((one, place) => !drawn.has(place)).map((one) =>
    row.parentNode === table.tHead ? one.textContent.trim() : cell(one)));
}

// A figure by itself: its drawings and texts where they stand, with the page's style sheet and so
// both colour schemes. Sizes are written into it, since other programs lay out nothing.
const SVG = "http://www.w3.org/2000/svg";
function drawn(tag, attributes, ...content) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}
function fixed(svg, copy, from) {
  const box = svg.getBoundingClientRect();
  const place = { x: box.left - from.left, y: box.top - from.top, width: box.width, height: box.height };
  for (const [name, value] of Object.entries(place)) {
    copy.setAttribute(name, value.toFixed(1));
    copy.style[name] = `${value.toFixed(1)}px`;
  }
  const inner = all(":scope > svg", svg);
  all(":scope > svg", copy).forEach((one, number) => fixed(inner[number], one, box));
  return copy;
}
function composed(figure) {
  const from = figure.getBoundingClientRect();
  const size = { width: Math.ceil(from.width), height: Math.ceil(from.height) };
  const made = drawn("svg", { xmlns: SVG, ...size, viewBox: `0 0 ${size.width} ${size.height}` });
  const style = find("head style").textContent.replace(/html \{[^}]*\}/, "");
  made.append(drawn("style", {}, `${style}svg { width: auto; background: var(--paper); }`));
  for (const svg of all("svg", figure)) if (!svg.parentNode.closest("svg")) made.append(fixed(svg, svg.cloneNode(true), from));
  for (const mark of all("[data-tip]", made)) mark.prepend(drawn("title", {}, mark.dataset.tip));
  for (const text of all("figcaption, h3, .stated, .axis-y span, .rows .name, .legend li", figure)) {
    const box = text.getBoundingClientRect();
    if (!box.width) continue;
    const look = getComputedStyle(text);
    const left = box.left - from.left;
    const top = box.top - from.top + parseFloat(look.fontSize);
    const legend = text.matches("li");
    if (legend) made.append(drawn("path", { class: `line ${text.className}`, d: `M${left} ${top - 5}h18` }));
    const written = drawn("text", { x: left + (legend ? 24 : 0), y: top }, text.textContent.trim().replace(/\s+/g, " "));
    written.style.font = `${look.fontWeight} ${look.fontSize} ${look.fontFamily}`;
    written.style.fill = text.matches("h3, .name, li") ? "var(--ink)" : "var(--soft)";
    made.append(written);
  }
  return new XMLSerializer().serializeToString(made);
}

// The data of a page: JSON, deflated, in base64.
const bytesOf = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));
const unpacked = (text) =>
  new Response(new Blob([bytesOf(text)]).stream().pipeThrough(new DecompressionStream("deflate")));
const inflated = async (text) => JSON.parse(await unpacked(text).text());

async function copy(text, button) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", { "aria-hidden": "true" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  const before = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = before; }, 1500);
}

function control(text, label, action) {
  const button = element("button", { type: "button", "aria-label": label }, text);
  button.addEventListener("click", action);
  return button;
}

for (const table of all("table[data-name]")) {
  const name = table.dataset.name;
  const rows = () => csv(tableRows(table));
  const box = element("div", { class: "exports" },
    control("CSV", `Download the table ${name} as CSV`, () => save(`${slug(name)}.csv`, "text/csv", rows())));
  table.closest(".scroll").after(box);
}
for (const figure of all("figure[data-name]")) {
  const name = figure.dataset.name;
  const button = control("SVG", `Download the figure ${name} as SVG`, () => save(`${slug(name)}.svg`, "image/svg+xml", composed(figure)));
  figure.append(element("div", { class: "exports" }, button));
}
for (const button of all("[data-copy]"))
  button.addEventListener("click", () => copy(document.getElementById(button.dataset.copy).textContent, button));

const exported = {
  latex: () => save("leaderboard.tex", "application/x-tex", find("#latex").textContent),
};
for (const button of all("[data-export]"))
  button.addEventListener("click", () => exported[button.dataset.export]());
