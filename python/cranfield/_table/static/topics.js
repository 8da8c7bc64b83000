// What needs the values: hovering over charts, topics with both lists, downloads of all scores.
const [texts, scores] = find("#data").textContent.split(" ");
Promise.all([inflated(texts), unpacked(scores).arrayBuffer()]).then(([data, bytes]) => {
const values = new DataView(bytes);
const valueOf = (run, topic, measure = 0) =>
  values.getFloat64(8 * ((measure * data.runs.length + run) * data.topics.length + topic), true);
const number = (value, sign = false) =>
  Number.isNaN(value) || value === null ? "-" : ((sign && value > 0 ? "+" : "") + value.toFixed(4)).replace("-", "−");

exported.scores = () => {
  const rows = [["run", "topic", "measure", "value"]];
  data.runs.forEach((run, i) => data.topics.forEach((topic, j) => data.measures.forEach((measure, k) => {
    const value = valueOf(i, j, k);
    rows.push([run, topic, measure, Number.isNaN(value) ? "" : value]);
  })));
  save("scores.csv", "text/csv", csv(rows));
};
exported.unjudged = () => save("to-judge.csv", "text/csv",
  csv([["topic", "document", "matters", "best_rank", "lists"], ...data.unjudged]));

// --- hovering ---------------------------------------------------------------------------
function hovers(svg, text, size) {
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const column = Math.min(Math.floor((event.clientX - box.left) / box.width * size[0]), size[0] - 1);
    const row = Math.min(Math.floor((event.clientY - box.top) / box.height * size[1]), size[1] - 1);
    tell(event, text(Math.max(column, 0), Math.max(row, 0)));
  });
  svg.addEventListener("pointerleave", () => { tip.hidden = true; });
}
const titled = (topic) => data.topics[topic] + (data.queries[topic] ? ` (${data.queries[topic]})` : "");
for (const figure of all("[data-chart=cells]")) {
  const runs = figure.dataset.runs.split(" ").map(Number);
  const topics = figure.dataset.topics.split(" ").map(Number);
  const svg = find("svg.cells", figure);
  const at = (column, row) => [runs[row], topics[column]];
  hovers(svg, (column, row) => {
    const [run, topic] = at(column, row);
    return `${data.runs[run]}, topic ${titled(topic)}: ${number(valueOf(run, topic))}`;
  }, [topics.length, runs.length]);
}
for (const figure of all("[data-chart=columns]")) {
  const competitor = data.competitors[0];
  const change = (topic) => valueOf(competitor, topic) - valueOf(data.reference, topic);
  const topics = data.topics.map((_, place) => place).filter((topic) => !Number.isNaN(change(topic)));
  topics.sort((a, b) => change(b) - change(a));
  const svg = find("svg.columns", figure);
  hovers(svg, (column) => `Topic ${titled(topics[column])}: ${number(change(topics[column]), true)}`, [topics.length, 1]);
  svg.addEventListener("click", (event) => {
    const box = svg.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / box.width * topics.length);
    if (column in topics) location.hash = `topic=${encodeURIComponent(data.topics[topics[column]])}`;
  });
}

// --- a topic ----------------------------------------------------------------------------
const dialog = find("#topic");
const body = find("#topic-body");
let current = null;
let chosen = 0;

function chip(grade) {
  if (grade === null) return element("span", { class: "grade unjudged", title: "not judged" }, "?");
  const kind = grade > 0 ? "grade relevant" : "grade";
  return element("span", { class: kind, title: grade > 0 ? `relevant, grade ${grade}` : `judged not relevant, grade ${grade}` }, String(grade));
}

function moved(rank, other, first) {
  if (!other) return first ? "gone" : "new";
  if (other === rank) return "=";
  const up = first ? other < rank : rank < other;
  return first ? `${up ? "↑" : "↓"} to ${other}` : `${up ? "↑" : "↓"} from ${other}`;
}

// A part of a text: plain, evidence that a chunk above holds, or new evidence.
function marked([text, kind]) {
  return kind ? element("mark", { class: kind === 2 ? "new" : "known" }, text) : text;
}

// One list: rank, grade, document with its text, where it is in the other list.
function list(lists, own, other, first) {
  const ranked = lists.r[own].map((rank, place) => [rank, place]).filter(([rank]) => rank && rank <= lists.b[own].length);
  ranked.sort((a, b) => a[0] - b[0]);
  return element("ol", { class: "list" }, ...ranked.map(([rank, place]) => {
    const adds = lists.b[own][rank - 1];
    const item = element("li", { "data-doc": place },
      element("span", { class: "rank" }, String(rank)),
      chip(lists.g[place]),
      element("span", { class: "doc" }, element("bdi", {}, lists.d[place]),
        ...(lists.h ? [element("small", {}, element("bdi", {}, ...lists.h[own][rank - 1].map(marked)))] : []),
        ...(lists.t && lists.t[place] ? [element("small", {}, element("bdi", {}, lists.t[place]))] : [])),
      element("span", { class: "adds" }, !adds ? "" : lists.h ? `+${adds} characters` : number(adds, true)),
      element("span", { class: "moves" }, own === other || (lists.h && !lists.r[other][place]) ? "" : moved(rank, lists.r[other][place], first)));
    return item;
  }));
}

function sentence(pair, topic) {
  const [a, b] = [valueOf(data.reference, topic), valueOf(data.competitors[pair], topic)];
  return `${data.measures[0]}: ${number(a)} and ${number(b)}, difference ${number(b - a, true)}`;
}

function showLists(topic) {
  const lists = data.lists[topic];
  if (!lists) return [];
  const select = element("select", { id: "pair" }, ...data.competitors.map((run, place) => {
    const option = element("option", { value: place }, data.runs[run]);
    option.selected = place === chosen;
    return option;
  }));
  select.addEventListener("change", () => {
    chosen = Number(select.value);
    show(topic);
    find("#pair").focus();
  });
  const heading = (run) => element("h3", {}, element("bdi", {}, data.runs[run]), ` ${number(valueOf(run, topic))}`);
  if (!data.competitors.length) return [heading(data.reference), list(lists, 0, 0, true)];
  const [low, high] = lists.p[chosen];
  const bounds = low === null ? "" : ` After full judging between ${number(low, true)} and ${number(high, true)}.`;
  const found = [
    element("p", {}, element("label", { for: "pair" }, "Compare "), element("bdi", {}, data.runs[data.reference]), " with ", select),
    element("p", {}, `${sentence(chosen, topic)}.${bounds}`),
    element("div", { class: "pair" },
      element("div", {}, heading(data.reference), list(lists, 0, chosen + 1, true)),
      element("div", {}, heading(data.competitors[chosen]), list(lists, chosen + 1, 0, false))),
  ];
  if (lists.u[chosen].length) {
    found.push(element("h3", {}, "Unjudged documents that matter most here"),
      element("ul", {}, ...lists.u[chosen].map(([document, best, worst]) => element("li", {},
        element("bdi", {}, document), `: the difference is ${number(best, true)} if it has the best grade, ${number(worst, true)} if the worst`))));
  }
  return found;
}

function showAll(topic) {
  const rows = data.order.map((run, place) => element("tr", {},
    element("td", {}, String(place + 1)), element("th", { scope: "row" }, element("bdi", { class: "name", title: data.runs[run] }, data.runs[run])),
    ...data.measures.map((_, measure) => element("td", { class: "value" }, number(valueOf(run, topic, measure))))));
  const head = element("tr", {}, ...["#", "Run", ...data.measures].map((text, place) => element("th", { scope: "col", ...(place > 1 ? { class: "value" } : {}) }, text)));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
  return element("details", data.lists[topic] ? {} : { open: "" }, element("summary", {}, "All runs in this topic"),
    element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All runs in this topic" }, table));
}

function show(topic) {
  current = topic;
  find("#topic-title").replaceChildren("Topic ", element("bdi", {}, data.topics[topic]));
  const query = data.queries[topic];
  body.replaceChildren(...(query ? [element("p", { class: "lead" }, element("bdi", {}, query))] : []), ...showLists(topic), showAll(topic));
  const rows = all("#topic-table tbody tr");
  const place = rows.findIndex((row) => row.id === `topic=${data.topics[topic]}`);
  find("#topic-before").disabled = place <= 0;
  find("#topic-after").disabled = place < 0 || place === rows.length - 1;
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

body.addEventListener("pointerover", (event) => {
  const item = event.target.closest("[data-doc]");
  for (const one of all("li.lit", body)) one.classList.remove("lit");
  if (item) for (const one of all(`[data-doc="${item.dataset.doc}"]`, body)) one.classList.add("lit");
});
function step(by) {
  const rows = all("#topic-table tbody tr");
  const next = rows[rows.findIndex((row) => row.id === `topic=${data.topics[current]}`) + by];
  if (next) location.hash = find("th a", next).hash;
}
find("#topic-before").addEventListener("click", () => step(-1));
find("#topic-after").addEventListener("click", () => step(1));
dialog.addEventListener("close", () => {
  const row = document.getElementById(`topic=${data.topics[current]}`);
  if (asked().startsWith("topic=")) history.replaceState(null, "", location.pathname + location.search);
  if (row) find("a", row).focus({ preventScroll: true });
});
function openTopic() {
  const name = asked();
  const topic = name.startsWith("topic=") ? data.topics.indexOf(name.slice(6)) : -1;
  if (topic >= 0) show(topic);
  else if (dialog.open) dialog.close();
}
window.addEventListener("hashchange", openTopic);
openTopic();
document.documentElement.dataset.ready = "";
});
