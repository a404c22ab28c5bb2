// Suggestions below the search box; keys: / searches, arrows choose, [ and ] turn the pages, j and k
// go through what is on one, ? shows them; buttons that copy.
// Every page works without this.
"use strict";
document.documentElement.style.setProperty("--running", JSON.stringify(document.title)); // printed
const box = document.getElementById("find");
const wait = 120; // milliseconds after the last key
let [list, chosen, timer, asked] = [null, -1, 0, 0];

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
  Object.assign(item, { id: "suggestion" + at, role: "option", ariaSelected: "false" });
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
  const ariaLabel = box.labels[0].textContent;
  Object.assign(list, { id: "suggestions", className: "suggestions", role: "listbox", ariaLabel });
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
const steps = ".line, .book .rule, .entries > li, ol.kwic > li, article:not(.book), .timeline > li, " +
  "dl.glossary > div, .definition, .beside > section, .references li, article:not(.book) .text";

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
    document.querySelector(link)?.click();
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
    Object.assign(button, { type: "button", textContent: words.copy });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = words.copied;
    });
    text.after(button);
  }
}

Object.assign(box, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: "false" });
box.setAttribute("aria-controls", "suggestions");
box.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(suggest, wait);
});
box.addEventListener("keydown", steer);
box.addEventListener("blur", close);
document.addEventListener("keydown", turn);

// Previews: what a link leads to, in a card beside it, for who points at it, focuses or taps it. The
// server makes the card; only the one that is pointed at is asked for.
function previews() {
  const pause = 120; // milliseconds until a card opens: less opens it for who only passes
  const grace = 400; // until it closes, so that the pointer can get into it
  const known = new Map(); // address: promise of the card
  let [card, owner, timer, turn, asking, byTouch, spot] = [null, null, 0, 0, null, false, ""];

  // A link of the page to a node; to tap, only those in running text: lists are there to go on.
  function linkOf(target) {
    const link = target instanceof Element && target.closest("main a[href]");
    if (!link || link.closest("nav, .preview") || !/^\/\w\w\/node(\/|$)/.test(link.pathname)) return null;
    return !byTouch || link.closest(".text, .example, .definition, .comments") ? link : null;
  }
  function ask(link) {
    const address = link.pathname.replace("/node", "/preview") + link.search;
    if (known.has(address)) return known.get(address);
    if (asking) asking.abort(); // nobody waits for it any more
    asking = new AbortController();
    const answer = fetch(address, { signal: asking.signal })
      .then((reply) => (reply.ok ? reply.text() : ""))
      .then((text) => new DOMParser().parseFromString(text, "text/html").querySelector(".preview"))
      .catch(() => known.delete(address) && null);
    known.set(address, answer);
    return answer;
  }
  function hide() {
    clearTimeout(timer);
    turn += 1;
    if (!card) return;
    if (card.contains(document.activeElement)) owner.focus();
    card.remove();
    owner.removeAttribute("aria-describedby");
    [card, owner] = [null, null];
  }
  async function open(link, y) {
    const mine = ++turn;
    const made = await ask(link);
    if (!made || mine !== turn || !link.isConnected) return; // a late one never covers a newer one
    hide();
    [card, owner] = [document.importNode(made, true), link];
    Object.assign(card, { id: "preview", role: "dialog", ariaLabel: link.textContent });
    document.body.append(card);
    link.setAttribute("aria-describedby", card.id);
    link.removeAttribute("title"); // which the browser would show over the card
    // In the margin beside what is read, if there is one; else below or above the link.
    const width = document.documentElement.clientWidth;
    const edge = link.closest("p, li, dd, td, div, section").getBoundingClientRect().right + 20;
    const aside = width >= 1180 && width - edge >= 362 && !link.closest(".two, .beside, .pair");
    if (aside) card.style.width = Math.min(352, width - edge - 10) + "px";
    const lowest = () => innerHeight - card.offsetHeight - 8;
    const boxes = [...link.getClientRects()];
    const box = boxes.find((each) => each.top <= y && y <= each.bottom) || boxes[0];
    if (!aside) card.style.maxHeight = `min(26rem, ${Math.max(innerHeight - box.bottom, box.top) - 14}px)`;
    const below = box.bottom + 6 + card.offsetHeight <= innerHeight || box.top < card.offsetHeight + 6;
    const left = Math.min(box.left, width - card.offsetWidth - 8);
    const top = below ? box.bottom + 6 : box.top - 6 - card.offsetHeight;
    card.style.left = (aside ? edge : Math.max(8, left)) + scrollX + "px";
    card.style.top = (aside ? Math.max(8, Math.min(box.top, lowest())) : top) + scrollY + "px";
    const hidden = box.bottom + 12 - card.getBoundingClientRect().top;
    if (byTouch && hidden > 0 && box.top > hidden) scrollBy(0, hidden); // above the card on a phone
  }
  function point(event) {
    byTouch = event.pointerType === "touch";
    const before = spot;
    spot = event.screenX + " " + event.screenY;
    if (byTouch || spot === before) return; // the page moved, and not the pointer
    if (card && card.contains(event.target)) return clearTimeout(timer);
    const link = linkOf(event.target);
    clearTimeout(timer);
    if (link && link !== owner) ask(link);
    if (link !== owner) timer = setTimeout(link ? () => open(link, event.clientY) : hide, link ? pause : grace);
  }
  document.addEventListener("pointerover", point);
  document.addEventListener("pointerdown", (event) => {
    byTouch = event.pointerType === "touch";
    if (card && !card.contains(event.target) && linkOf(event.target) !== owner) hide();
  });
  document.addEventListener("click", (event) => {
    const link = byTouch && linkOf(event.target);
    if (!link || link === owner || event.ctrlKey || event.metaKey) return; // a second tap follows it
    event.preventDefault();
    open(link, event.clientY);
  });
  document.addEventListener("focusin", (event) => {
    if ((card && card.contains(event.target)) || !event.target.matches(":focus-visible")) return;
    const link = linkOf(event.target);
    if (link && link === owner) return;
    hide(); // also a card that is still awaited
    if (!link) return;
    ask(link);
    timer = setTimeout(open, pause, link);
  });
  document.addEventListener("keydown", (event) => {
    const enters = event.key === "ArrowDown" && event.altKey;
    if (card && (enters || event.key === "Escape")) event.preventDefault();
    if (enters && card) card.querySelector("a").focus();
    else if (event.key === "Escape") hide();
  });
}
previews();

// All that speaks of a paragraph, where that is more than stands below it, when it is unfolded.
document.addEventListener("toggle", async (event) => {
  const address = event.target.open && event.target.dataset.all;
  if (!address) return;
  delete event.target.dataset.all;
  const answer = await fetch(address).catch(() => null);
  if (!answer || !answer.ok) return; // the link to all stays
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  event.target.querySelector(".comments").replaceWith(page.querySelector(".comments"));
  event.target.querySelector(".more").replaceWith(page.querySelector("[rel=next]") || "");
}, true);
takeAway();
// Reading: marks of terms as the reader last chose them; the contents say where one is.
function marks() {
  const root = document.documentElement;
  const select = document.getElementById("marks");
  const set = (mode) => {
    root.dataset.marks = mode;
    for (const term of document.querySelectorAll("a.mentions, a.name")) {
      term.dataset.href ??= term.getAttribute("href");
      if (mode === "off") term.removeAttribute("href"); // and Tab passes it by
      else term.setAttribute("href", term.dataset.href);
    }
    if (select) select.value = mode;
  };
  const [given, kept] = [new URLSearchParams(location.search).has("marks"), localStorage.getItem("marks")];
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
  let current = null;
  const find = () => {
    const line = 0.15 * innerHeight + 1; // what has passed it is being read
    const passed = places.filter(([, place]) => place.getBoundingClientRect().top < line);
    const [link] = passed.at(-1) ?? [null];
    if (link === current) return;
    for (const each of contents.querySelectorAll(".open")) each.classList.remove("open");
    if (current) current.removeAttribute("aria-current");
    current = link;
    contents.querySelector(".here").textContent = link ? link.textContent : "";
    if (!link) return;
    link.setAttribute("aria-current", "true");
    for (let item = link.closest("li"); item; item = item.parentElement.closest("li")) item.classList.add("open");
    if (contents.scrollHeight > contents.clientHeight) contents.scrollTop = link.offsetTop - contents.clientHeight / 3;
  };
  // From far above down to that line, so that a jump over it is seen, too.
  const observer = new IntersectionObserver(find, { rootMargin: "1000000px 0px -85% 0px" });
  for (const [, place] of places) observer.observe(place);
  addEventListener("scrollend", find);
  contents.addEventListener("click", (event) => {
    if (event.target.closest("a[href^='#']")) contents.open = false;
  });
}

marks();
document.querySelectorAll("details.toc").forEach(follow);
