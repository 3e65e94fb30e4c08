// The page put together.

import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { Door } from "./door.js";
import { button } from "./elements.js";
import { close, isFramed, listen } from "./framed.js";
import { Panel } from "./panel.js";
import { Picker } from "./picker.js";
import { ask, key, Problem } from "./service.js";
import { forLong } from "./storage.js";
import { TurnView } from "./turn.js";
import { explained } from "./words.js";

const root = document.documentElement;
const place = document.getElementById("turns");
const asked = new URLSearchParams(location.search);
const conversation = new Conversation();
const panel = new Panel();
const picker = new Picker();
let running = null;

const anew = button("New conversation", "fresh", begin, { labelled: true, class: "tool" });
const forget = button("Forget the key", "key", () => {
  key.forget();
  arranged();
}, { class: "tool" });
const theme = button("", "dark", () => show(isDark() ? "light" : "dark"), { class: "tool", id: "theme" });
document.getElementById("tools").append(anew, forget, theme);

const door = new Door(arranged);
const composer = new Composer({ ask: answer, stop: () => running?.abort() });

function answer(question) {
  const { repository, ref } = picker.chosen;
  const turn = conversation.begin(question, repository, ref);
  run(turn, added(turn));
}

function added(turn) {
  const view = new TurnView(turn, { panel, again: run, saved: () => conversation.save() });
  place.append(view.element);
  arranged();
  return view;
}

/** Asks a turn's question, and shows its answer as it comes. One at a time. */
async function run(turn, view) {
  running?.abort();
  const mine = (running = new AbortController());
  composer.busy(true);
  view.begin();
  const { question, repository, ref } = turn;
  const body = { question, repository, ref, history: conversation.before(turn) };
  try {
    await door.through(() => ask(body, mine.signal, heard_by(view)), mine.signal);
    conversation.save();
  } catch (problem) {
    view.fail(problem.name === "AbortError" ? new Problem("stopped", "") : problem);
    if (!(problem instanceof Problem) && problem.name !== "AbortError") console.error(problem);
  }
  if (running !== mine) return;
  running = null;
  composer.busy(false);
}

const heard_by = (view) => ({
  passages: (data) => view.passages(data),
  block: (data) => view.block(data),
  answer: (data) => view.answer(data),
});

function begin() {
  running?.abort();
  if (panel.isOpen) panel.close();
  conversation.clear();
  place.replaceChildren();
  arranged();
  composer.focus();
}

/** Shows what belongs to the state that the page is in. */
function arranged() {
  const begun = place.childElementCount > 0;
  root.classList.toggle("begun", begun);
  anew.hidden = !begun;
  forget.hidden = !key.get();
}

const darkly = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : darkly.matches);

function show(chosen) {
  root.dataset.theme = chosen;
  forLong.set("theme", chosen);
  themed();
}

function themed() {
  const name = isDark() ? "Use the light theme" : "Use the dark theme";
  const made = button(name, isDark() ? "light" : "dark", () => {});
  theme.replaceChildren(...made.children);
  theme.setAttribute("aria-label", name);
  theme.title = name;
}
darkly.addEventListener("change", themed);

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
  if (panel.isOpen) panel.close();
  else if (isFramed) close();
});

for (const turn of conversation.turns) {
  try {
    const view = added(turn);
    if (!turn.answer) view.fail(new Problem("unanswered", ""));
  } catch (error) {
    console.warn("A turn that was kept cannot be shown.", error);
  }
}
arranged();
themed();
if (asked.get("q")) composer.fill(asked.get("q"));
if (isFramed) listen(() => composer.focus());
else if (matchMedia("(pointer: fine)").matches) composer.focus(); // elsewhere a keyboard would cover the page
door.through(() => picker.load({ repository: asked.get("repository"), ref: asked.get("ref") })).catch((problem) => {
  const [title, why, command] = explained(problem);
  document.getElementById("title").textContent = title;
  document.getElementById("about").textContent = [why, command].filter(Boolean).join(" ");
});
