// Suggestions below the search box, and keys: / searches, arrows choose, [ and ] turn the pages.
// Every page works without this.
"use strict";

const box = document.getElementById("find");
const wait = 120; // milliseconds after the last key
let list = null;
let chosen = -1;
let timer = 0;
let asked = 0;

function close() {
  if (list) list.remove();
  list = null;
  chosen = -1;
  box.setAttribute("aria-expanded", "false");
  box.removeAttribute("aria-activedescendant");
}

function choose(index) {
  const options = [...list.children];
  chosen = (index + options.length) % options.length;
  options.forEach((option, at) => option.setAttribute("aria-selected", String(at === chosen)));
  options[chosen].scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", options[chosen].id);
}

function option(suggestion, at) {
  const item = document.createElement("li");
  item.id = "suggestion" + at;
  item.setAttribute("role", "option");
  item.setAttribute("aria-selected", "false");
  item.dataset.address = suggestion.address;
  item.append(suggestion.name + " ");
  const more = document.createElement("small");
  more.textContent = suggestion.about;
  item.append(more);
  item.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    location.assign(suggestion.address);
  });
  return item;
}

function show(suggestions) {
  close();
  if (!suggestions.length) return;
  list = document.createElement("ul");
  list.id = "suggestions";
  list.className = "suggestions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", box.labels[0].textContent);
  list.append(...suggestions.map(option));
  box.after(list);
  box.setAttribute("aria-expanded", "true");
}

async function suggest() {
  const number = ++asked;
  const words = box.value.trim();
  if (!words) return close();
  const address = box.dataset.suggestions + "?format=json&q=" + encodeURIComponent(words);
  const answer = await fetch(address).catch(() => null);
  if (answer && answer.ok && number === asked && document.activeElement === box) {
    show((await answer.json()).suggestions);
  }
}

function steer(event) {
  if (event.isComposing) return; // an input method uses the arrows and Enter itself
  if (!list) return;
  if (event.key === "Escape") close(); // and the words stay: a second Escape clears them
  else if (event.key === "ArrowDown") choose(chosen + 1);
  else if (event.key === "ArrowUp") choose(chosen < 0 ? -1 : chosen - 1);
  else if (event.key === "Enter" && chosen >= 0) location.assign(list.children[chosen].dataset.address);
  else return;
  event.preventDefault();
}

function turn(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select")) return;
  const link = { "[": "a[rel=prev]", "]": "a[rel=next]" }[event.key];
  if (event.key === "/") {
    event.preventDefault();
    box.focus();
    box.select();
  } else if (link) {
    const found = document.querySelector(link);
    if (found) location.assign(found.href);
  }
}

box.setAttribute("role", "combobox");
box.setAttribute("aria-autocomplete", "list");
box.setAttribute("aria-expanded", "false");
box.setAttribute("aria-controls", "suggestions");
box.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(suggest, wait);
});
box.addEventListener("keydown", steer);
box.addEventListener("blur", close);
document.addEventListener("keydown", turn);
