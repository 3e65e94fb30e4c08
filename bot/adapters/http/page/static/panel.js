// Beside the answer: the lines that a citation refers to, highlighted in their file.

import { button, element, followable, icon, scrollable } from "./elements.js";
import { spans } from "./nodes.js";
import { key, lines } from "./service.js";
import { extent, split } from "./words.js";

const CONTEXT = 12;
const MORE = 24;
const PROSE = /\.(md|markdown|mdx|rst|txt|adoc)$/i;
const SHEET = matchMedia("(max-width: 960px)");

export class Panel {
  #dialog = document.getElementById("source");
  #stage = document.getElementById("stage");
  #opener = null;
  #sources = null;
  #at = 0;
  #reading = null;

  constructor() {
    this.#dialog.addEventListener("close", () => this.#closed());
    this.#dialog.addEventListener("click", ({ target }) => target === this.#dialog && this.close());
    SHEET.addEventListener("change", () => {
      if (!this.isOpen) return;
      this.#dialog.close();
      this.#open();
    });
  }

  get isOpen() {
    return this.#dialog.open;
  }

  /** Shows one of an answer's citations; closing goes back to what opened it. */
  show(answer, number, opener) {
    this.#at = answer.citations.findIndex((citation) => citation.number === number);
    if (this.#at < 0) return;
    this.#sources = answer;
    this.#opener = opener;
    this.#open();
    this.#read();
  }

  close() {
    this.#dialog.close();
  }

  #open() {
    if (this.isOpen) return;
    const before = this.#opener.getBoundingClientRect().top;
    this.#stage.classList.add("split");
    if (SHEET.matches) this.#dialog.showModal();
    else this.#dialog.show();
    // What was clicked stays where it is, although the column has become narrower.
    if (!SHEET.matches) window.scrollBy({ top: this.#opener.getBoundingClientRect().top - before, behavior: "instant" });
  }

  #closed() {
    if (this.isOpen) return; // it only changed its form
    this.#reading?.abort();
    this.#stage.classList.remove("split");
    this.#mark(null);
    this.#opener?.focus();
  }

  #mark(number) {
    for (const marked of document.querySelectorAll("[aria-current=true]")) marked.removeAttribute("aria-current");
    if (number === null) return;
    const turn = this.#opener?.closest("article");
    for (const cite of turn?.querySelectorAll(`[data-number="${number}"]`) ?? []) cite.setAttribute("aria-current", "true");
  }

  #read() {
    const citation = this.#sources.citations[this.#at];
    this.#mark(citation.number);
    this.#reading?.abort();
    this.#reading = new AbortController();
    const body = element("div", { class: "lines", "aria-busy": "true" });
    const title = element("h2", { id: "source-title", tabindex: "-1" });
    const [folder, name] = split(citation.path);
    title.append(element("span", { class: "unseen" }, `Source ${citation.number}: `), element("span", { class: "folder", dir: "ltr" }, folder), element("bdi", {}, name));
    const where = element("p", { class: "where" }, element("span", {}, extent(citation)), citation.symbol && element("bdi", { class: "symbol" }, citation.symbol));
    const foot = element("div", { class: "foot" }, ...this.#steps(), this.#link(citation));
    this.#dialog.replaceChildren(element("div", { class: "head" }, title, button("Close the source", "close", () => this.close()), where), body, foot);
    title.focus({ preventScroll: true });
    new Excerpt(body, citation, this.#sources.index, this.#reading.signal).begin();
  }

  #steps() {
    const count = this.#sources.citations.length;
    if (count < 2) return [];
    const step = (by) => () => {
      this.#at = (this.#at + by + count) % count;
      this.#read();
    };
    return [
      button("Source before", "before", step(-1)),
      element("span", { class: "of" }, `Source ${this.#at + 1} of ${count}`),
      button("Next source", "after", step(1)),
    ];
  }

  /** To the code host. A link to our own server cannot carry a key. */
  #link({ url }) {
    const to = followable(url);
    const own = to?.origin === location.origin;
    if (!to || (own && key.get())) return null;
    const label = own ? "Open the file" : `Open on ${to.hostname.replace(/^www\./, "")}`;
    return element("a", { class: "out", href: to.href, target: "_blank", rel: "noopener noreferrer" }, label, icon("out"));
  }
}

/** The lines of one citation, and as many around them as are asked for. */
class Excerpt {
  #body;
  #citation;
  #index;
  #signal;
  #code = element("code");
  #first = 0;
  #last = 0;
  #total = 0;

  constructor(body, citation, index, signal) {
    this.#body = body;
    this.#citation = citation;
    this.#index = index;
    this.#signal = signal;
  }

  async begin() {
    const { start_line: start, end_line: end, path } = this.#citation;
    try {
      const found = await this.#lines(Math.max(1, start - CONTEXT), end + CONTEXT);
      [this.#first, this.#last, this.#total] = [found.start, found.end, found.total];
      this.#code.append(...this.#made(found));
    } catch (error) {
      if (error.name === "AbortError") return;
      const why = error.code === "unreachable" ? "The service cannot be reached." : "They may be of a version that is not indexed any more.";
      this.#body.replaceChildren(element("p", { class: "gone", role: "alert" }, "These lines cannot be shown here. ", why));
      return;
    } finally {
      this.#body.removeAttribute("aria-busy");
    }
    const pre = scrollable(element("pre", { class: PROSE.test(path) ? "prose" : "", dir: "ltr", "aria-label": `${path}, ${extent(this.#citation)} are cited` }, this.#code));
    pre.setAttribute("role", "group");
    this.#body.replaceChildren(this.#more(-1), pre, this.#more(1));
    const cited = this.#code.querySelector(".cited");
    this.#body.scrollTop = Math.max(0, cited.offsetTop - this.#body.clientHeight / 4);
  }

  #lines(start, end) {
    const { repository, commit } = this.#index;
    return lines({ repository, ref: commit, path: this.#citation.path, start, end }, this.#signal);
  }

  #made({ start, lines }) {
    const { start_line: from, end_line: to } = this.#citation;
    return lines.map((line, at) => {
      const number = start + at;
      const cited = number >= from && number <= to;
      const edge = number === from ? "Cited lines begin. " : number === to + 1 ? "Cited lines end. " : "";
      return element("span", { class: cited ? "line cited" : "line", "data-line": number }, edge && element("span", { class: "unseen" }, edge), ...spans(line), "\n");
    });
  }

  /** A button that shows more lines above (-1) or below (1), while there are any. */
  #more(way) {
    const left = () => (way < 0 ? this.#first - 1 : this.#total - this.#last);
    const label = () => `Show ${Math.min(MORE, left())} more ${left() === 1 ? "line" : "lines"} ${way < 0 ? "above" : "below"}`;
    const more = element("button", { type: "button", class: "more", hidden: left() < 1 }, label());
    more.addEventListener("click", async () => {
      const [from, to] = way < 0 ? [Math.max(1, this.#first - MORE), this.#first - 1] : [this.#last + 1, this.#last + MORE];
      try {
        const found = await this.#lines(from, to);
        const height = this.#body.scrollHeight;
        if (way < 0) this.#code.prepend(...this.#made(found));
        else this.#code.append(...this.#made(found));
        if (way < 0) this.#body.scrollTop += this.#body.scrollHeight - height;
        [this.#first, this.#last] = [Math.min(this.#first, found.start), Math.max(this.#last, found.end)];
      } catch (error) {
        if (error.name === "AbortError") return;
        more.textContent = "That did not work; try again";
        return;
      }
      more.textContent = label();
      more.hidden = left() < 1;
    });
    return more;
  }
}
