// What this browser keeps. Storage may be full or switched off: then it is kept as long as the page is open.

class Kept {
  #area;
  #memory = new Map();

  constructor(area) {
    try {
      this.#area = area();
    } catch {
      this.#area = null;
    }
  }

  get(name) {
    try {
      return this.#area?.getItem(`repopilot.${name}`) ?? this.#memory.get(name) ?? null;
    } catch {
      return this.#memory.get(name) ?? null;
    }
  }

  /** Whether it will still be there when the page is opened again. */
  set(name, value) {
    this.#memory.set(name, value);
    try {
      this.#area.setItem(`repopilot.${name}`, value);
      return true;
    } catch {
      return false;
    }
  }

  remove(name) {
    this.#memory.delete(name);
    try {
      this.#area?.removeItem(`repopilot.${name}`);
    } catch {
      // there is nothing to remove it from
    }
  }
}

export const forLong = new Kept(() => window.localStorage);
export const forNow = new Kept(() => window.sessionStorage);
