// An answer's nodes become elements: the kinds below, made of text, and nothing else.

import { button, copy, element, icon, scrollable } from "./elements.js";

const SPANS = new Set([
  "comment", "string", "number", "type", "keyword", "function", "decorator", "inserted", "deleted", "unseen",
]);
const ALIGNED = new Set(["left", "right", "center"]);
// The page's own headings are the first and the second.
const TOP_HEADING = 3;
const MOST_NESTED = 60;

/** Elements of an answer's blocks; `cite(number, label)` makes the one that refers to a source. */
export function built(nodes, cite) {
  return each(nodes, cite, 0);
}

function each(nodes, cite, depth) {
  if (!Array.isArray(nodes) || depth > MOST_NESTED) return [];
  return nodes.map((node) => one(node, cite, depth + 1));
}

function one(node, cite, depth) {
  if (typeof node === "string") return document.createTextNode(node);
  const inner = () => each(node.children, cite, depth);
  switch (node.kind) {
    case "paragraph":
      return element("p", { dir: "auto" }, ...inner());
    case "heading":
      return element(`h${Math.min(6, TOP_HEADING - 1 + Math.max(1, Number(node.level) || 1))}`, { dir: "auto" }, ...inner());
    case "quote":
      return element("blockquote", { dir: "auto" }, ...inner());
    case "bullets":
      return element("ul", { class: node.tight && "tight" }, ...inner());
    case "numbers":
      return element("ol", { class: node.tight && "tight", start: Number(node.start ?? 1) }, ...inner());
    case "item":
      return element("li", { dir: "auto" }, ...inner());
    case "rule":
      return element("hr");
    case "code":
      return code(node);
    case "table":
      return table(node, cite, depth);
    case "em":
    case "strong":
      return element(node.kind, {}, ...inner());
    case "deleted":
      return element("del", {}, ...inner());
    case "mono":
      return element("code", { dir: "ltr" }, String(node.text));
    case "break":
      return element("br");
    case "citation":
      return cite(Number(node.number), node.children ? inner() : null);
  }
  return element("span", {}, ...inner());
}

/** One line of code. */
export function spans(line) {
  return line.map(([kind, text]) => (SPANS.has(kind) ? element("span", { class: `is-${kind}` }, text) : text));
}

function code({ lines }) {
  const parts = lines.flatMap((line, at) => (at ? ["\n", ...spans(line)] : spans(line)));
  const pre = scrollable(element("pre", { dir: "ltr" }, element("code", {}, ...parts)));
  const copying = button("Copy this code", "copy", async () => {
    await copy(pre.textContent);
    confirmed(copying);
  });
  return element("div", { class: "code" }, pre, copying);
}

function table({ rows }, cite, depth) {
  const cells = (row, tag) =>
    row.map(({ align, children }) =>
      element(tag, { scope: tag === "th" && "col", dir: "auto", class: ALIGNED.has(align) && `to-${align}` }, ...each(children, cite, depth)),
    );
  const [head, ...body] = rows;
  const lines = body.map((row) => element("tr", {}, ...cells(row, "td")));
  const made = element("table", {}, element("thead", {}, element("tr", {}, ...cells(head, "th"))), element("tbody", {}, ...lines));
  return scrollable(element("div", { class: "scroll" }, made));
}

/** Shows for a moment that a button has done its work. */
export function confirmed(pressed) {
  const [before] = pressed.querySelectorAll("svg");
  if (pressed.classList.contains("done")) return;
  pressed.classList.add("done");
  const mark = icon("done");
  before.replaceWith(mark);
  setTimeout(() => {
    mark.replaceWith(before);
    pressed.classList.remove("done");
  }, 1600);
}
