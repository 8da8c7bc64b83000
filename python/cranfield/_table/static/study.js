// The files of a study, embedded so that a page that was mailed has them.
const TYPES = { csv: "text/csv", tex: "application/x-tex", json: "application/json" };
const NAMES = { csv: "CSV", tex: "LaTeX", json: "study.json" };
inflated(find("#data").textContent).then((files) => {
  for (const box of all("[data-files]")) {
    for (const path of box.dataset.files.split(" ").filter((one) => one in files)) {
      const name = path.split("/").pop();
      const form = name.split(".").pop();
      box.append(control(NAMES[form], `Download ${name}`, () => save(name, TYPES[form], files[path])));
    }
    const figure = box.closest("figure[data-figure]");
    if (figure) {
      const name = `${figure.dataset.figure}.svg`;
      box.append(control("SVG", `Download ${name}`, () => save(name, "image/svg+xml", composed(figure))));
    }
  }
  document.documentElement.dataset.ready = "";
});
