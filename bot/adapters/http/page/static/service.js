// What the page asks the service, and what can go wrong.

import { forLong, forNow } from "./storage.js";

/** A request that was not answered. `wait` are seconds after which it may be tried again. */
export class Problem extends Error {
  constructor(code, message, wait = 0) {
    super(message);
    this.code = code;
    this.wait = wait;
  }
}

export const key = {
  get: () => forNow.get("key") ?? forLong.get("key"),
  set(value, remembered) {
    key.forget();
    (remembered ? forLong : forNow).set("key", value);
  },
  forget() {
    forNow.remove("key");
    forLong.remove("key");
  },
};

/** What can be asked about: {default, indexes}. */
export const indexed = async () => (await get("page/indexed")).json();

/** Lines of a file, coloured: {start, end, total, url, lines}. */
export const lines = async (where, signal) => (await get(`page/lines?${new URLSearchParams(where)}`, { signal })).json();

export const vote = (vote) => post("feedback", vote);

/** Hands each event to the listener of its name, up to the last. Raises Problem, or AbortError when it is stopped. */
export async function ask(question, signal, listeners) {
  const response = await post("page/ask", question, signal);
  let last = null;
  for await (const { name, data } of events(response.body, signal)) {
    if (name === "error") throw new Problem(data.error.code, data.error.message);
    listeners[name]?.(data);
    last = name;
  }
  if (last !== "answer") throw new Problem("broken_off", "The connection ended before the answer was whole.");
}

function post(path, body, signal) {
  return get(path, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "Content-Type": "application/json" },
    signal,
  });
}

async function get(path, { headers = {}, ...options } = {}) {
  const shown = key.get();
  const authorization = shown ? { Authorization: `Bearer ${shown}` } : {};
  let response;
  try {
    response = await fetch(new URL(path, document.baseURI), { ...options, cache: "no-store", headers: { ...headers, ...authorization } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem("unreachable", "The service does not answer.");
  }
  if (response.ok) return response;
  throw await told(response);
}

/** The problem that a response tells of; proxies answer in other words than the service. */
async function told(response) {
  const wait = Math.min(3600, Number(response.headers.get("Retry-After")) || 0);
  try {
    const { error } = await response.json();
    return new Problem(String(error.code), String(error.message), wait);
  } catch {
    return new Problem(`http_${response.status}`, `The service answered with an error (${response.status}).`, wait);
  }
}

/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html (EventSource cannot POST). */
async function* events(body, signal) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (;;) {
    let read;
    try {
      read = await reader.read();
    } catch (error) {
      signal.throwIfAborted();
      throw new Problem("broken_off", "The connection was lost before the answer was whole.");
    }
    if (read.done) return;
    held += read.value;
    const whole = held.split("\n\n");
    held = whole.pop();
    yield* whole.map(parsed).filter(Boolean);
  }
}

function parsed(text) {
  const fields = text.split("\n").map((line) => line.split(/: ?(.*)/s));
  const of = (name) => fields.filter(([field]) => field === name).map(([, value]) => value).join("\n");
  return of("data") ? { name: of("event"), data: JSON.parse(of("data")) } : null;
}
