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

// Reading: marks of terms as the reader last chose them; the contents say where one is.
function marks() {
  const root = document.documentElement;
  const select = document.getElementById("marks");
  const terms = () => document.querySelectorAll("a.mentions, a.name");
  const set = (mode) => {
    root.dataset.marks = mode;
    for (const term of terms()) {
      term.dataset.href ??= term.getAttribute("href");
      if (mode === "off") term.removeAttribute("href"); // and Tab passes it by
      else term.setAttribute("href", term.dataset.href);
    }
    if (select) select.value = mode;
  };
  const given = new URLSearchParams(location.search).has("marks");
  const kept = localStorage.getItem("marks");
  if (!given && ["off", "quiet", "full"].includes(kept)) set(kept);
  if (!select) return;
  select.addEventListener("change", () => {
    localStorage.setItem("marks", select.value);
    if (given) select.form.requestSubmit(); // the page may have come without links
    else set(select.value);
  });
}

function follow(contents) {
  const links = [...contents.querySelectorAll("a[href^='#']")];
  const heading = (link) => document.getElementById(decodeURIComponent(link.hash.slice(1)));
  const places = links.map((link) => [link, heading(link)]).filter(([, place]) => place);
  const line = () => 0.15 * innerHeight + 1; // what has passed this line is being read
  let current = null;
  const find = () => {
    const passed = places.filter(([, place]) => place.getBoundingClientRect().top < line());
    const [link] = passed.at(-1) ?? [null];
    if (link === current) return;
    for (const each of contents.querySelectorAll(".open")) each.classList.remove("open");
    if (current) current.removeAttribute("aria-current");
    current = link;
    contents.querySelector(".here").textContent = link ? link.textContent : "";
    if (!link) return;
    link.setAttribute("aria-current", "true");
    for (let item = link.closest("li"); item; item = item.parentElement.closest("li")) item.classList.add("open");
    if (contents.scrollHeight > contents.clientHeight) {
      contents.scrollTop = link.offsetTop - contents.clientHeight / 3;
    }
  };
  // From far above down to that line, so that a jump over it is seen, too.
  const observer = new IntersectionObserver(find, { rootMargin: "1000000px 0px -85% 0px" });
  for (const [, place] of places) observer.observe(place);
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a[href^='#']")) contents.open = false;
  });
}

marks();
const contents = document.querySelector("details.toc");
if (contents) follow(contents);
