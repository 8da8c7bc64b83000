// What a chart says of the point that one points at.
const tip = element("div", { id: "tip", hidden: "" });
document.body.append(tip);
function tell(event, text) {
  tip.textContent = text;
  tip.hidden = false;
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 4))}px`;
  tip.style.top = `${Math.max(4, event.clientY - tip.offsetHeight - 12)}px`;
}
const NEAR = 12;
for (const svg of all("svg.chart")) {
  for (const title of all("title", svg)) {
    title.parentNode.dataset.tip = title.textContent;
    title.remove();
  }
  const told = all("[data-tip]", svg);
  const away = (one, event) => {
    const box = one.getBoundingClientRect();
    return Math.hypot(box.left + box.width / 2 - event.clientX, box.top + box.height / 2 - event.clientY);
  };
  svg.addEventListener("pointermove", (event) => {
    const own = event.target.closest("[data-tip]");
    const near = told.map((one) => [away(one, event), one]).sort((a, b) => a[0] - b[0])[0];
    const found = own || (near && near[0] <= NEAR ? near[1] : null);
    for (const one of told) one.classList.toggle("pointed", one === found);
    if (found) tell(event, found.dataset.tip);
    else tip.hidden = true;
  });
  svg.addEventListener("pointerleave", () => {
    tip.hidden = true;
    for (const one of told) one.classList.remove("pointed");
  });
}
