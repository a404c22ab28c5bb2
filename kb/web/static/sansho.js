// Suggestions below the search box; keys: / searches, arrows choose, [ and ] turn the pages, j and k
// go through what is on one, ? shows them; buttons that copy.
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

// What j and k go through: paragraphs, entries of lists, rows; never one inside another.
const steps = ".line, .entries > li, ol.kwic > li, article, dl.glossary > div, .timeline > li, " +
  ".definition, .beside > section, .references li, article .text";

function step(by) {
  const all = [...document.querySelectorAll("main")].flatMap((main) => [...main.querySelectorAll(steps)]);
  const shown = all.filter((each) => each.offsetParent && !each.parentElement.closest(".line, .entries > li"));
  const now = shown.indexOf(document.activeElement);
  const below = shown.findIndex((each) => each.getBoundingClientRect().top > 8);
  const next = now >= 0 ? now + by : by > 0 ? below : (below < 0 ? shown.length : below) - 1;
  if (next < 0 || !shown[next]) return;
  shown[next].tabIndex = -1;
  shown[next].classList.add("stepped");
  shown[next].focus({ preventScroll: true });
  shown[next].scrollIntoView({ block: "nearest" });
}

function turn(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, dialog[open]")) return;
  const link = { "[": "a[rel=prev]", "]": "a[rel=next]" }[event.key];
  const by = { j: 1, k: -1 }[event.key];
  if (event.key === "/") {
    event.preventDefault();
    box.focus();
    box.select();
  } else if (event.key === "?") document.getElementById("keys").showModal();
  else if (by) step(by);
  else if (link) {
    const found = document.querySelector(link);
    if (found) location.assign(found.href);
  }
}

// A button beside each form of a citation copies it.
function takeAway() {
  const keys = document.querySelector(".show-keys");
  keys.hidden = false;
  keys.addEventListener("click", () => document.getElementById("keys").showModal());
  for (const text of document.querySelectorAll(".cite pre")) {
    const words = text.closest(".cite").dataset;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = words.copy;
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = words.copied;
    });
    text.after(button);
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
takeAway();
