// Where a service needs a key: asked for when it says so, and shown again until it is let in.

import { key } from "./service.js";

export class Door {
  #form = document.getElementById("key");
  #input = document.getElementById("key-input");
  #remember = document.getElementById("key-remember");
  #note = document.getElementById("key-note");
  #waiting = [];

  /** `changed` is told when there is a key, or none any more. */
  constructor(changed) {
    this.changed = changed;
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      key.set(this.#input.value.trim(), this.#remember.checked);
      this.#input.value = "";
      this.#form.hidden = true;
      this.changed();
      for (const resolve of this.#waiting.splice(0)) resolve();
    });
  }

  /** Does it, asking for a key as often as one is needed. Raises what doing it raises, and AbortError when stopped. */
  async through(doing, signal) {
    for (;;) {
      try {
        return await doing();
      } catch (problem) {
        if (problem.code !== "unauthorized") throw problem;
        await this.#ask(signal);
      }
    }
  }

  #ask(signal) {
    if (key.get()) this.#note.textContent = "That key was not accepted. Check it, or ask whoever runs this service for one.";
    key.forget();
    this.changed();
    this.#form.hidden = false;
    this.#input.focus();
    return new Promise((resolve, reject) => {
      this.#waiting.push(resolve);
      signal?.addEventListener("abort", () => reject(signal.reason));
    });
  }
}
