"use strict";
(() => {
  const query = document.getElementById("query");
  const matches = document.getElementById("matches");
  const none = document.getElementById("no-match");
  const sections = [...document.querySelectorAll("main > section")];
  const entries = [...document.querySelectorAll("[data-entry]")];
  for (const hidden of document.querySelectorAll(".search, .tools")) hidden.hidden = false;

  // Cards that share a shape have only the values of its holes. filled returns the objects of one.
  const shapes = new Map();
  const filled = (body) => {
    const id = body.dataset.shape;
    if (!shapes.has(id)) shapes.set(id, document.getElementById(`shape-${id}`).content);
    const values = body.dataset.values.split("\n"), copy = shapes.get(id).cloneNode(true);
    for (const hole of copy.querySelectorAll("data")) hole.replaceWith(values[hole.value]);
    copy.normalize();
    return copy;
  };
  const fill = (card) => {
    const body = card.querySelector("[data-shape]");
    if (!body) return;
    body.append(filled(body));
    for (const pre of body.querySelectorAll("pre")) {
      const [kind, name] = [".kind", ".name"].map((part) => pre.parentElement.querySelector(part).textContent);
      pre.setAttribute("aria-label", `${kind} ${name.replace(/^.*\//, "")}`);
    }
    body.removeAttribute("data-shape");
    choose(card);
  };
  document.addEventListener("toggle", (event) => fill(event.target), true);

  // open shows an element that is in closed ones.
  const open = (element) => {
    for (let at = element; at; at = at.parentElement) {
      if (at.localName !== "details") continue;
      fill(at);
      at.open = true;
    }
  };

  const show = () => {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]")) { query.value = ""; search(); }
    open(target);
    target.scrollIntoView();
    if (target.localName === "details") target.querySelector("summary").focus({preventScroll: true});
  };

  // highlight marks the words in what is visible. Few browsers lack the means; they mark nothing.
  const most = 500;
  const highlight = (words) => {
    if (!globalThis.CSS || !CSS.highlights) return;
    CSS.highlights.delete("found");
    if (!words.length) return;
    const ranges = [];
    const walker = document.createTreeWalker(document.getElementById("main"), NodeFilter.SHOW_TEXT);
    while (ranges.length < most && walker.nextNode()) {
      const node = walker.currentNode;
      if (node.parentElement.closest("[hidden], details:not([open]) > :not(summary)")) continue;
      const text = node.data.toLowerCase();
      for (const word of words) {
        for (let at = text.indexOf(word); at >= 0 && ranges.length < most; at = text.indexOf(word, at + word.length)) {
          const range = new Range();
          range.setStart(node, at);
          range.setEnd(node, Math.min(at + word.length, node.length));
          ranges.push(range);
        }
      }
    }
    CSS.highlights.set("found", new Highlight(...ranges));
  };

  let words = [];
  const has = (text) => words.every((word) => text.includes(word));
  const texts = new Map();
  const textOf = (entry) => {
    if (!texts.has(entry)) {
      const body = entry.querySelector("[data-shape]");
      texts.set(entry, (entry.textContent + (body ? filled(body).textContent : "")).toLowerCase());
    }
    return texts.get(entry);
  };
  // choose hides the parts of an entry that lack a word, if not all do.
  const choose = (entry) => {
    const parts = [...entry.querySelectorAll("[data-part]")];
    const found = words.length && !entry.hidden ? parts.filter((part) => has(part.textContent.toLowerCase())) : parts;
    const some = new Set(found.length ? found : parts);
    for (const part of parts) part.hidden = !some.has(part);
  };

  // search hides the entries that lack a word, and the parts of others.
  const search = () => {
    words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const entry of entries) {
      entry.hidden = words.length > 0 && !has(textOf(entry));
      if (!entry.hidden) count++;
      choose(entry);
    }
    for (const section of sections) {
      const own = [...section.querySelectorAll("[data-entry]")];
      section.hidden = words.length > 0 && own.every((entry) => entry.hidden);
    }
    none.hidden = !words.length || count > 0;
    matches.value = !words.length ? "" : count === 1 ? "1 match" : `${count} matches`;
    highlight(words);
  };

  let wait = 0;
  query.addEventListener("input", () => {
    clearTimeout(wait);
    wait = setTimeout(search, 120);
  });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && document.activeElement === query) {
      query.value = "";
      search();
      query.blur();
    } else if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && document.activeElement !== query) {
      event.preventDefault();
      query.focus();
      query.select();
    }
  });
  for (const button of document.querySelectorAll("[data-all]")) {
    button.addEventListener("click", () => {
      for (const card of button.closest("section").querySelectorAll("details.card")) card.open = button.dataset.all === "open";
    });
  }

  // All cards are printed open; objects and scripts as they are.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details.card:not([open])")];
    for (const card of closed) open(card);
  });
  addEventListener("afterprint", () => {
    for (const card of closed) card.open = false;
  });
  addEventListener("hashchange", show);
  if (location.hash) show();
})();
