// Search by names in the pages that `sansho site` writes: the names stand in site-names.js.
"use strict";

function searchSite(words) {
  const most = 20; // found names that are shown
  const up = words.dataset.up;
  const fold = (text) => text.normalize("NFKC").toLowerCase();
  const known = siteNames.map((row) => [fold(row[0]), ...row]);
  const field = document.createElement("input");
  const label = document.createElement("label");
  const list = document.createElement("ul");
  field.id = words.id;
  field.type = "search";
  field.autocomplete = "off";
  label.htmlFor = field.id;
  label.className = "unseen";
  label.textContent = words.dataset.label;
  field.placeholder = words.dataset.label;
  list.className = "suggestions";
  list.setAttribute("aria-live", "polite");
  words.replaceWith(label, field, list);
  list.hidden = true;

  function entry([, name, about, path]) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const more = document.createElement("small");
    link.href = up + path.split("/").map(encodeURIComponent).join("/") + ".html";
    link.textContent = name;
    more.textContent = " " + about;
    item.append(link, more);
    return item;
  }
  field.addEventListener("input", () => {
    const typed = fold(field.value.trim());
    const rank = (row) => (row[0] === typed ? 0 : row[0].startsWith(typed) ? 1 : 2);
    const found = typed ? known.filter((row) => row[0].includes(typed)) : [];
    found.sort((one, other) => rank(one) - rank(other) || one[0].length - other[0].length);
    list.replaceChildren(...found.slice(0, most).map(entry));
    if (typed && !found.length) list.textContent = words.dataset.none;
    list.hidden = !typed;
  });
  field.addEventListener("keydown", (event) => {
    const first = list.querySelector("a");
    if (event.key === "Enter" && first) location.assign(first.href);
    else if (event.key === "Escape") list.hidden = true;
  });
}
const place = document.getElementById("find");
if (place && typeof siteNames !== "undefined") searchSite(place);
