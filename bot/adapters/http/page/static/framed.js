// In the widget's frame: who may frame the page is told by the service, and nobody else is listened to or told anything.

const ALLOWED = document.querySelector("meta[name=repopilot-origins]").content.split(" ").filter(Boolean);
export const isFramed = document.documentElement.dataset.mode === "frame" && window.parent !== window;
let site = null;

/** Calls `opened` whenever the widget is. */
export function listen(opened) {
  window.addEventListener("message", ({ source, origin, data }) => {
    if (source !== window.parent || !ALLOWED.includes(origin) || data?.repopilot !== "opened") return;
    site = origin;
    opened();
  });
}

export function close() {
  if (site) window.parent.postMessage({ repopilot: "close" }, site);
}
