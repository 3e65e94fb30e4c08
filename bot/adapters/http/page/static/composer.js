// The field for the question.

import { element, icon } from "./elements.js";

export class Composer {
  #form = document.getElementById("composer");
  #box = document.getElementById("question");
  #send = document.getElementById("send");
  #stop = document.getElementById("stop");

  constructor({ ask, stop }) {
    this.#send.append(icon("ask"), element("span", { class: "unseen" }, "Ask"));
    this.#stop.append(icon("stop"), element("span", { class: "unseen" }, "Stop"));
    this.#stop.addEventListener("click", stop);
    this.#box.addEventListener("input", () => this.#grow());
    this.#box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.#form.requestSubmit();
    });
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      const question = this.#box.value.trim();
      if (!question || this.#send.hidden) return;
      this.fill("");
      ask(question);
    });
    this.#grow();
  }

  fill(text) {
    this.#box.value = text;
    this.#grow();
  }

  busy(is) {
    const held = is ? this.#send : this.#stop;
    const hadFocus = document.activeElement === held;
    this.#send.hidden = is;
    this.#stop.hidden = !is;
    if (hadFocus) this.#box.focus();
  }

  focus() {
    this.#box.focus();
  }

  #grow() {
    this.#send.disabled = !this.#box.value.trim();
    if (CSS.supports("field-sizing", "content")) return;
    this.#box.style.height = "auto";
    this.#box.style.height = `${this.#box.scrollHeight}px`;
  }
}
