// What was asked and answered in this browser: kept, restored, and sent along with what follows up on it.

import { forLong } from "./storage.js";

const NAME = "conversation";
const MOST_TURNS = 40;
// The service takes bodies of 64 KiB, and in them the question needs room too.
const MOST_SENT_BYTES = 24_000;
const MOST_SENT_TURNS = 8;
const LONGEST_SENT = 6_000;

/** A turn is {question, repository, ref, at, answer, nodes, warnings, vote}; `answer` null: it was not answered. */
export class Conversation {
  turns = restored();

  begin(question, repository, ref) {
    const turn = { question, repository, ref, at: new Date().toISOString(), answer: null, nodes: [], warnings: [], vote: null };
    this.turns.push(turn);
    this.save();
    return turn;
  }

  /** Keeps it; of what does not fit, the latest turns. */
  save() {
    for (let kept = this.turns.slice(-MOST_TURNS); kept.length; kept = kept.slice(Math.ceil(kept.length / 4))) {
      if (forLong.set(NAME, JSON.stringify(kept))) return;
    }
  }

  clear() {
    this.turns = [];
    forLong.remove(NAME);
  }

  /** The messages before a turn, oldest first, as far as there is room for them. */
  before(turn) {
    const messages = [];
    let room = MOST_SENT_BYTES;
    const answered = this.turns.slice(0, this.turns.indexOf(turn)).filter(({ answer }) => answer);
    for (const { question, answer } of answered.slice(-MOST_SENT_TURNS).reverse()) {
      const pair = [
        { role: "user", content: question.slice(0, LONGEST_SENT) },
        { role: "assistant", content: answer.answer.slice(0, LONGEST_SENT) },
      ];
      room -= new TextEncoder().encode(JSON.stringify(pair)).length;
      if (room < 0) break;
      messages.unshift(...pair);
    }
    return messages;
  }
}

function restored() {
  try {
    return JSON.parse(forLong.get(NAME) ?? "[]").filter(sound);
  } catch {
    return [];
  }
}

/** Whether what was kept is a turn: other versions of this page wrote it, or other hands. */
function sound(turn) {
  const { question, answer, nodes, warnings } = turn ?? {};
  const whole = answer && typeof answer.answer === "string" && Array.isArray(answer.citations) && answer.index;
  return typeof question === "string" && Array.isArray(nodes) && Array.isArray(warnings) && (answer === null || Boolean(whole));
}

/** An id of this browser, so that a second vote replaces the first. */
export function voter() {
  let id = forLong.get("voter");
  if (!id) {
    id = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
    forLong.set("voter", id);
  }
  return id;
}
