// Elements are made of plain values: no text ever becomes markup.

/** An element. `on…` attributes are listeners; true is an attribute without a value; false, null and undefined are none. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value != null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child != null && child !== false));
  return made;
}

const PATHS = {
  ask: "M10 16V4.5M5 9.5l5-5 5 5",
  stop: "M6.5 6.5h7v7h-7z",
  close: "M5 5l10 10M15 5L5 15",
  copy: "M7.5 7.5h8.5v8.5H7.5zM4.5 12.5V4h8.5",
  done: "M4.5 10.5l3.8 3.8 7.5-8.5",
  link: "M8.3 11.7l3.4-3.4M9 6.5l1.7-1.7a3.2 3.2 0 0 1 4.5 4.5L13.5 11M11 13.5l-1.7 1.7a3.2 3.2 0 0 1-4.5-4.5L6.5 9",
  up: "M6.5 9v7.5H3.5V9zM6.5 9.2l3.3-6c1.5 0 2.1 1.1 1.8 2.3L10.9 8h4.7a1.5 1.5 0 0 1 1.4 1.9l-1.4 5.3a1.8 1.8 0 0 1-1.7 1.3H6.5",
  down: "M13.5 11V3.5h3V11zM13.5 10.8l-3.3 6c-1.5 0-2.1-1.1-1.8-2.3l.7-2.5H4.4A1.5 1.5 0 0 1 3 10.1l1.4-5.3a1.8 1.8 0 0 1 1.7-1.3h7.4",
  out: "M8 5H4.5v10.5H15V12M11.5 4H16v4.5M16 4l-7 7",
  light: "M10 6.7a3.3 3.3 0 1 0 0 6.6 3.3 3.3 0 0 0 0-6.6zM10 2v1.6M10 16.4V18M2 10h1.6M16.4 10H18M4.3 4.3l1.2 1.2M14.5 14.5l1.2 1.2M4.3 15.7l1.2-1.2M14.5 5.5l1.2-1.2",
  dark: "M16.2 11.6A6.6 6.6 0 0 1 8.4 3.8a6.6 6.6 0 1 0 7.8 7.8z",
  before: "M12 5l-5 5 5 5",
  after: "M8 5l5 5-5 5",
  fresh: "M10 4.5v11M4.5 10h11",
  key: "M12.5 11.5a4 4 0 1 0-3.6-2.3L3.5 14.6v2h2.6v-1.9h1.9v-1.9l1.5-1.5M13.6 6.4h.01",
};

/** A drawing that says nothing by itself: what holds it has a name. */
export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", PATHS[name]);
  svg.append(path);
  return svg;
}

/** A button with a drawing and a name; the name is shown where `labelled`. */
export function button(name, drawing, onclick, { labelled = false, ...attributes } = {}) {
  const named = labelled ? {} : { "aria-label": name, title: name };
  return element("button", { type: "button", onclick, ...named, ...attributes }, icon(drawing), labelled && element("span", {}, name));
}

const widths = new ResizeObserver((changed) => {
  for (const { target } of changed) {
    const scrolls = target.scrollWidth > target.clientWidth;
    target.toggleAttribute("tabindex", scrolls);
    if (scrolls) target.tabIndex = 0;
  }
});

/** The element, which the keyboard reaches while there is something to scroll. */
export function scrollable(box) {
  widths.observe(box);
  return box;
}

/** The address if a browser may follow it, else null. */
export function followable(address) {
  try {
    const url = new URL(address, document.baseURI);
    return url.protocol === "https:" || url.protocol === "http:" ? url : null;
  } catch {
    return null;
  }
}

/** Copies text, also where the clipboard is closed to pages without HTTPS. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = element("textarea", { class: "unseen", readonly: true });
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
}

/** Told to those who listen to the page. */
export function announce(text) {
  document.getElementById("news").textContent = text;
}
