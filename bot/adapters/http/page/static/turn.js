// One question with its answer, as it comes and when it is whole.

import { announce, button, copy, element } from "./elements.js";
import { built, confirmed } from "./nodes.js";
import { vote } from "./service.js";
import { ago, explained, extent, markdown, named, split } from "./words.js";
import { voter } from "./conversation.js";

const LONGEST_COMMENT = 2_000;

export class TurnView {
  #turn;
  #panel;
  #again;
  #saved;
  #asked;
  #body = element("div", { class: "answer" });
  #state = element("div", { class: "state" });
  #below = element("div", { class: "below" });
  #nodes = [];

  /** `again` asks the same again; `saved` is told when something of the turn has changed. */
  constructor(turn, { panel, again, saved }) {
    this.#turn = turn;
    this.#panel = panel;
    this.#again = again;
    this.#saved = saved;
    const share = button("Copy a link to this question", "link", async () => {
      await copy(this.#link());
      confirmed(share);
    });
    const asked = (this.#asked = element("h2", { dir: "auto", tabindex: "-1" }, turn.question));
    this.element = element("article", { class: "turn" }, element("div", { class: "asked" }, asked, share), this.#body, this.#state, this.#below);
    if (turn.answer) this.#finished();
  }

  begin() {
    if (this.#state.contains(document.activeElement)) this.#asked.focus(); // what was pressed goes
    this.#nodes = [];
    this.#body.replaceChildren();
    this.#below.replaceChildren();
    this.element.setAttribute("aria-busy", "true");
    this.#wait("Searching");
    this.element.scrollIntoView({ block: "start" });
  }

  passages({ passages, files }) {
    this.#wait(passages ? `Reading ${passages} places in ${files} ${files === 1 ? "file" : "files"}` : "Searching");
  }

  block({ from, nodes }) {
    this.#patch([...this.#nodes.slice(0, from), ...nodes]);
  }

  answer({ answer, nodes, warnings }) {
    Object.assign(this.#turn, { answer, nodes, warnings, vote: null });
    this.element.removeAttribute("aria-busy");
    this.#state.replaceChildren();
    this.#finished();
    announce(`${answer.declined ? "No answer was found. " : "The answer is here. "}${this.#body.innerText.slice(0, 600)}`);
  }

  /** Says what went wrong, and offers to ask again, after a while where that was said. */
  fail(problem) {
    this.element.removeAttribute("aria-busy");
    const [title, why, command] = explained(problem);
    const again = element("button", { type: "button", class: "plain", onclick: () => this.#again(this.#turn, this) }, "Ask again");
    const calm = problem.code === "stopped" || problem.code === "unanswered";
    const note = [element("strong", {}, title), element("p", {}, why), command && element("pre", {}, element("code", {}, command)), again];
    this.#state.replaceChildren(element("div", { class: "note", role: calm ? null : "alert" }, ...note));
    if (calm) announce(title);
    if (problem.wait) countdown(again, problem.wait);
  }

  #wait(doing) {
    const dots = element("span", { class: "dots", "aria-hidden": "true" }, element("i"), element("i"), element("i"));
    this.#state.replaceChildren(element("p", { class: "doing" }, doing, dots));
  }

  #patch(nodes) {
    const as = nodes.map((node) => JSON.stringify(node));
    const before = this.#nodes.map((node) => JSON.stringify(node));
    const changed = as.findIndex((node, at) => node !== before[at]);
    const from = changed < 0 ? Math.min(as.length, before.length) : changed;
    while (this.#body.childNodes.length > from) this.#body.lastChild.remove();
    this.#body.append(...built(nodes.slice(from), (number, label) => this.#cite(number, label)));
    this.#nodes = nodes;
  }

  /** What refers to a source. It can be followed when the answer is whole. */
  #cite(number, label) {
    const open = ({ currentTarget }) => this.#panel.show(this.#turn.answer, number, currentTarget);
    const cite = element("button", { type: "button", class: "cite", "data-number": number, disabled: true, onclick: open, "aria-label": `Source ${number}` }, ...(label ?? [String(number)]));
    return cite;
  }

  #finished() {
    const { answer, nodes, warnings } = this.#turn;
    this.#patch(nodes);
    for (const cite of this.#body.querySelectorAll(".cite")) {
      const citation = answer.citations.find(({ number }) => number === Number(cite.dataset.number));
      cite.disabled = !citation;
      if (citation) cite.setAttribute("aria-label", `Source ${citation.number}: ${citation.path}, ${extent(citation)}`);
    }
    this.element.classList.toggle("declined", answer.declined);
    const told = warnings.map((warning) => element("div", { class: "note", role: "note" }, ...built(warning, () => "")));
    this.#below.replaceChildren(...told, ...this.#sources(), this.#about(), this.#actions());
  }

  #sources() {
    const { answer } = this.#turn;
    if (!answer.citations.length) return [];
    const items = answer.citations.map((citation) => {
      const open = ({ currentTarget }) => this.#panel.show(answer, citation.number, currentTarget);
      const [folder, name] = split(citation.path);
      const path = element("span", { class: "path", dir: "ltr" }, element("span", { class: "folder" }, folder), element("bdi", {}, name));
      const symbol = citation.symbol && element("bdi", { class: "symbol" }, citation.symbol);
      return element("li", {}, element("button", { type: "button", class: "place", "data-number": citation.number, onclick: open },
        element("span", { class: "number" }, String(citation.number)), path, element("span", { class: "extent" }, extent(citation)), symbol,
      ));
    });
    return [element("h3", {}, answer.declined ? "Nearest places" : "Sources"), element("ol", { class: "places" }, ...items)];
  }

  #about() {
    const { index, model, declined } = this.#turn.answer;
    const by = declined ? "" : model === "extractive" ? " in the sources’ own words" : ` by ${model}`;
    const moved = index.stale ? " Its source has moved on since." : "";
    return element("p", { class: "read" }, `An automated answer${by}, read from `, element("bdi", {}, `${index.repository} ${named(index.ref)}`), `, indexed ${ago(index.indexed_at)}.${moved}`);
  }

  #actions() {
    const copying = button("Copy answer", "copy", async () => {
      await copy(markdown(this.#turn.answer));
      confirmed(copying);
    }, { labelled: true, class: "action" });
    const comment = element("div");
    const voting = ["up", "down"].map((way) => {
      const name = way === "up" ? "This helped" : "This did not help";
      return button(name, way, () => this.#vote(way, voting, comment), { class: "action", "aria-pressed": String(this.#turn.vote === way) });
    });
    return element("div", {}, element("div", { class: "actions" }, copying, ...voting), comment);
  }

  async #vote(way, buttons, comment) {
    try {
      await this.#send({ vote: way });
    } catch (problem) {
      comment.replaceChildren(element("p", { class: "thanks", role: "status" }, problem.code === "unknown_answer" ? "This answer is not kept any more, so it cannot be judged." : "That could not be sent. Try again later."));
      return;
    }
    this.#turn.vote = way;
    this.#saved();
    buttons.forEach((pressed, at) => pressed.setAttribute("aria-pressed", String(way === ["up", "down"][at])));
    comment.replaceChildren(this.#comment(way, comment));
  }

  /** A field for what there is to say, which nobody has to fill in. */
  #comment(way, place) {
    const id = `comment-${this.#turn.answer.id}`;
    const box = element("textarea", { id, rows: "2", dir: "auto", maxlength: LONGEST_COMMENT });
    const send = async (event) => {
      event.preventDefault();
      try {
        if (box.value.trim()) await this.#send({ vote: way, comment: box.value.trim() });
      } catch {
        announce("That could not be sent.");
        return;
      }
      place.replaceChildren(element("p", { class: "thanks", role: "status" }, "Thank you. The maintainers will see it."));
    };
    const label = way === "up" ? "Noted. Anything to add?" : "Noted. What is wrong or missing?";
    return element("form", { class: "comment", onsubmit: send }, element("label", { for: id }, label, element("span", {}, " Optional.")), box, element("button", { type: "submit", class: "plain" }, "Send"));
  }

  #send(said) {
    return vote({ answer_id: this.#turn.answer.id, voter: voter(), ...said });
  }

  #link() {
    const link = new URL(document.baseURI.replace(/[?#].*$/, "").replace(/embed$/, ""));
    const { question, repository, ref } = this.#turn;
    for (const [name, value] of Object.entries({ q: question, repository, ref })) if (value) link.searchParams.set(name, value);
    return link.href;
  }
}

function countdown(again, seconds) {
  const until = Date.now() + seconds * 1000;
  const tick = () => {
    const left = Math.ceil((until - Date.now()) / 1000);
    again.disabled = left > 0;
    again.textContent = left > 0 ? `Ask again in ${left} s` : "Ask again";
    if (left <= 0) clearInterval(timer);
  };
  const timer = setInterval(tick, 500);
  tick();
}
