// One button on somebody else's page. It opens the service's own page in a frame, which sees nothing of theirs.
//   <script src="https://SERVICE/widget.js" data-repository="OWNER/NAME" data-ref="VERSION" data-label="Ask" async></script>
{
  const script = document.currentScript;
  const { repository, ref, theme, position, label = "Ask" } = script.dataset;
  const address = new URL("embed", script.src);
  for (const [name, value] of Object.entries({ repository, ref, theme })) if (value) address.searchParams.set(name, value);

  const STYLE = `
    :host { all: initial; color-scheme: light dark; }
    :host([data-theme="light"]) { color-scheme: light; }
    :host([data-theme="dark"]) { color-scheme: dark; }
    * { box-sizing: border-box; font: 500 15px/1.4 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif; }
    button { cursor: pointer; border: 0; }
    :focus-visible { outline: 2px solid light-dark(#2b57c4, #93b1fa); outline-offset: 2px; }
    .open {
      position: fixed; inset: auto 20px 20px auto; z-index: 2147483000; max-width: calc(100vw - 40px);
      display: flex; align-items: center; gap: 8px; padding: 10px 16px; border-radius: 12px;
      background: light-dark(#2b57c4, #93b1fa); color: light-dark(#fff, #10131a); box-shadow: 0 2px 10px #0003;
    }
    .open:has(+ dialog[open]) { visibility: hidden; }
    :host([data-position="left"]) .open { inset: auto auto 20px 20px; }
    svg { width: 18px; height: 18px; flex: none; fill: none; stroke: currentColor; stroke-width: 1.7; stroke-linecap: round; stroke-linejoin: round; }
    dialog {
      position: fixed; inset: auto 20px 20px auto; flex-direction: column; width: 440px; height: min(720px, 100dvh - 40px);
      max-width: none; max-height: none; margin: 0; padding: 0; overflow: hidden; border: 1px solid light-dark(#e2e5ea, #2a2f38);
      border-radius: 16px; background: light-dark(#fff, #101216); color: light-dark(#1a1d23, #e6e8ec); box-shadow: 0 12px 40px #0004;
    }
    :host([data-position="left"]) dialog { inset: auto auto 20px 20px; }
    dialog[open] { display: flex; }
    dialog::backdrop { background: #0002; }
    header { display: flex; align-items: center; gap: 8px; padding: 8px 8px 8px 16px; border-bottom: 1px solid light-dark(#e2e5ea, #2a2f38); }
    h2 { flex: 1; margin: 0; font-weight: 600; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .close { display: grid; padding: 7px; border-radius: 8px; background: none; color: light-dark(#59616e, #a0a8b5); }
    .close:hover { background: light-dark(#f6f7f9, #171a20); }
    iframe { flex: 1; width: 100%; border: 0; }
    @media (max-width: 520px) { dialog { inset: 0 !important; width: 100%; height: 100dvh; border: 0; border-radius: 0; } }
    @media (forced-colors: active) { .open, dialog { border: 1px solid ButtonText; } }
    @media print { :host { display: none; } }
  `;

  const made = (tag, attributes = {}, ...children) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
  };
  const drawn = (path) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "0 0 20 20");
    svg.setAttribute("aria-hidden", "true");
    svg.append(document.createElementNS("http://www.w3.org/2000/svg", "path"));
    svg.firstChild.setAttribute("d", path);
    return svg;
  };

  const host = made("repopilot-widget");
  if (theme) host.dataset.theme = theme;
  if (position) host.dataset.position = position;
  const root = host.attachShadow({ mode: "open" });
  // A sheet that is made is no inline style, so that a policy against those does not matter.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  root.adoptedStyleSheets = [sheet];

  const open = made("button", { class: "open", type: "button", "aria-haspopup": "dialog" }, drawn("M7 4.5H4.5v11H7M13 4.5h2.5v11H13M10 6.5l2.3 6.8-2.3-1.4-2.3 1.4z"), label);
  const close = made("button", { class: "close", type: "button", "aria-label": "Close" }, drawn("M5 5l10 10M15 5L5 15"));
  const title = repository ? `Ask about ${repository}` : label;
  const panel = made("dialog", { "aria-labelledby": "title" }, made("header", {}, made("h2", { id: "title" }, title), close));
  let frame = null;

  const tell = () => frame.contentWindow.postMessage({ repopilot: "opened" }, address.origin);
  open.addEventListener("click", () => {
    panel.showModal();
    if (frame) return tell();
    frame = made("iframe", { src: address.href, title, allow: "clipboard-write", referrerpolicy: "no-referrer" });
    frame.addEventListener("load", tell);
    panel.append(frame);
  });
  close.addEventListener("click", () => panel.close());
  panel.addEventListener("click", ({ target }) => target === panel && panel.close());
  panel.addEventListener("close", () => open.focus());
  window.addEventListener("message", ({ source, origin, data }) => {
    if (frame && source === frame.contentWindow && origin === address.origin && data?.repopilot === "close") panel.close();
  });

  root.append(open, panel);
  const add = () => document.body.append(host);
  if (document.body) add();
  else document.addEventListener("DOMContentLoaded", add);
}
