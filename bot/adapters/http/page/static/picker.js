// What can be asked about: repositories and their versions, and how old what is known of them is.

import { element } from "./elements.js";
import { indexed } from "./service.js";
import { ago, named } from "./words.js";

export class Picker {
  #repository = document.getElementById("repository");
  #ref = document.getElementById("ref");
  #title = document.getElementById("title");
  #about = document.getElementById("about");
  #subject = document.getElementById("subject");
  #known = { default: null, indexes: [] };
  #wanted = { repository: null, ref: null };

  constructor() {
    this.#repository.addEventListener("change", () => this.#versions());
    this.#ref.addEventListener("change", () => this.#describe());
  }

  /** Asks what there is. `wanted` is what an address or the widget names, and is asked about whether it is known or not:
   * the service knows more spellings, and says what it does not have. Raises Problem. */
  async load(wanted) {
    this.#wanted = wanted;
    this.#known = await indexed();
    const names = [...new Set(this.#known.indexes.map(({ repository }) => repository))];
    const chosen = wanted.repository ? alike(names, wanted.repository) : this.#known.default.repository;
    offer(this.#repository, names, chosen);
    this.#versions(wanted.ref);
  }

  /** {repository, ref} to ask about; null where nothing was chosen. */
  get chosen() {
    return this.#known.default ? { repository: this.#repository.value || null, ref: this.#ref.value || null } : this.#wanted;
  }

  #versions(wanted) {
    const refs = this.#known.indexes.filter(({ repository }) => repository === this.#repository.value).map(({ ref }) => ref);
    offer(this.#ref, refs, wanted ? alike(refs, wanted) : "");
    if (this.#ref.options.length > 1) this.#ref.prepend(element("option", { value: "", selected: !wanted }, "Newest release"));
    else if (!wanted) this.#ref.replaceChildren();
    this.#describe();
  }

  #describe() {
    const { repository, ref } = this.chosen;
    const fallback = this.#known.default?.repository === repository ? this.#known.default.ref : null;
    const of = this.#known.indexes.filter((index) => index.repository === repository);
    const index = of.find((found) => found.ref === (ref ?? fallback)) ?? of[0];
    const known = index ? ` ${named(index.ref)}` : "";
    this.#subject.textContent = this.#repository.parentElement.hidden && this.#ref.parentElement.hidden ? `${repository}${known}` : "";
    this.#title.replaceChildren("Ask about ", element("bdi", {}, repository));
    if (!index) return this.#about.replaceChildren();
    const moved = index.stale ? ", and its source has moved on since" : "";
    this.#about.textContent = `${named(index.ref)}, ${index.files.toLocaleString("en")} ${index.files === 1 ? "file" : "files"}, read ${ago(index.indexed_at)}${moved}. Every answer links to the lines that prove it.`;
  }
}

/** What is known by that name, or the name itself. */
function alike(names, wanted) {
  return names.find((name) => name.toLowerCase() === wanted.toLowerCase()) ?? wanted;
}

/** Fills a choice, and hides it where there is none. */
function offer(select, values, chosen) {
  const all = chosen && !values.includes(chosen) ? [...values, chosen] : values;
  select.replaceChildren(...all.map((value) => element("option", { value, selected: value === chosen }, named(value))));
  select.parentElement.hidden = all.length < 2;
}
