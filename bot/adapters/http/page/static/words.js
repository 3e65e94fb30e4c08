// How things are said: ages, places, problems, and an answer as Markdown.

import { followable } from "./elements.js";

const UNITS = [["year", 31_536_000], ["month", 2_592_000], ["week", 604_800], ["day", 86_400], ["hour", 3_600], ["minute", 60]];

/** “6 hours ago”. */
export function ago(moment) {
  const seconds = (new Date(moment) - Date.now()) / 1000;
  const [unit, length] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ["minute", 60];
  const said = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  return Number.isNaN(seconds) ? "at an unknown time" : Math.abs(seconds) < 60 ? "just now" : said.format(Math.round(seconds / length), unit);
}

/** A version as people call it; of a commit, its beginning. */
export function named(ref) {
  return /^[0-9a-f]{40,64}$/.test(ref) ? ref.slice(0, 7) : ref;
}

export function extent({ start_line: start, end_line: end }) {
  return end > start ? `lines ${start}–${end}` : `line ${start}`;
}

/** The folder with its slash, and the name. */
export function split(path) {
  const at = path.lastIndexOf("/") + 1;
  return [path.slice(0, at), path.slice(at)];
}

const PROBLEMS = {
  unreachable: () => [
    navigator.onLine ? "The service cannot be reached" : "You are offline",
    navigator.onLine ? "It may be restarting. Your question is kept." : "Your question is kept until you are back.",
  ],
  rate_limited: () => ["That was a lot of questions", "This service answers a number of them a minute."],
  busy: ({ message }) => ["The model is busy", message],
  index_missing: () => ["Nothing is indexed yet", "Whoever runs this service has to tell it what to read first:", "repopilot index SOURCE"],
  unknown_version: ({ message }) => ["That version is not indexed", message],
  broken_off: ({ message }) => ["The answer broke off", message],
  stopped: () => ["Stopped", "What had been said until then is above."],
  unanswered: () => ["Not answered", "The page was left before there was an answer."],
};

/** [title, explanation, command] of what went wrong. */
export function explained(problem) {
  return PROBLEMS[problem.code]?.(problem) ?? ["That did not work", problem.message];
}

/** An answer to paste elsewhere: its Markdown, with its sources. */
export function markdown({ answer, citations, index }) {
  const sources = citations.map(
    (citation) => `[${citation.number}] ${linked(`${citation.path.replace(/[`\n]/g, " ")}`, extent(citation), followable(citation.url))}`,
  );
  return [answer, ...(sources.length ? [sources.join("  \n")] : []), `Read from ${index.repository} at ${named(index.ref)}.`].join("\n\n");
}

function linked(path, where, url) {
  return url ? `[\`${path}\` ${where}](<${url.href.replace(/[<>]/g, encodeURIComponent)}>)` : `\`${path}\` ${where}`;
}
