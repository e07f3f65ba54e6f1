// Keys for reading. Every page works without them.
"use strict";

const turns = () => [...document.querySelectorAll(".turn, .entry")].filter((e) => e.offsetParent !== null);

function place(elements) {
  const focused = elements.findIndex((e) => e.contains(document.activeElement));
  if (focused >= 0) return focused;
  return elements.findLastIndex((e) => e.getBoundingClientRect().top < 80);
}

function go(element) {
  if (!element) return;
  const target = element.querySelector("th a") || element;
  if (target === element && !element.hasAttribute("tabindex")) element.tabIndex = -1;
  target.focus({ preventScroll: true });
  element.scrollIntoView({ block: element.matches(".entry") ? "nearest" : "start" });
}

function move(step) {
  const elements = turns();
  go(elements[Math.min(elements.length - 1, Math.max(0, place(elements) + step))]);
}

function intervention() {
  const found = [...document.querySelectorAll(".critique.delivered, .action.changed")];
  go(found.find((e) => e.getBoundingClientRect().top > 90) || found[0]);
}

const follow = (...selectors) => selectors.map((s) => document.querySelector(s)).find(Boolean)?.click();

const keys = {
  j: () => move(1),
  k: () => move(-1),
  i: intervention,
  o: () => document.activeElement.closest(".entry")?.querySelector("a")?.click(),
  n: () => follow("a[rel=next]"),
  p: () => follow("a[rel=prev]"),
  u: () => follow("a[rel=up]", ".crumbs a"),
  "/": () => document.querySelector(".filter input[type=search], .filter select")?.focus(),
  "?": () => {
    const help = document.querySelector(".keys");
    help.open = !help.open;
    if (help.open) help.scrollIntoView({ block: "end" });
  },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, textarea")) return;
  const act = keys[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});
