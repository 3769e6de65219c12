import { counted } from "../counted.ts";

/** More about webhooks: how fast endpoints answer, signed headers, bodies that are revealed. */
const english = {
  fastest: (span: string) => `95% answered within ${span}`,
  lastAnswer: "Last answer",
  statuses: { "2xx": "2xx", "3xx": "3xx", "4xx": "4xx", "5xx": "5xx", none: "no answer" },
  sentHeaders: (nth: string) => `Headers of attempt ${nth}`,
  noHeaders: "No headers were noted for this attempt.",
  chooseAttempt: "Attempt",
  connections: "Passed on for",
  reveal: "Show the body",
  revealText:
    "The body may hold data of end users: each time it is shown is in the audit log. It is shown as text or bytes, and nothing in it runs.",
  hide: "Hide",
  asText: "Text",
  asHex: "Hex",
  noText: "These bytes are not text in UTF-8.",
  firstBytes: (shown: string, size: string) =>
    `The first ${shown} of ${counted(size, "byte")}. An API key reads all of them.`,
  emptyBody: "The body is empty.",
  withKey: "With an API key, the body comes as the bytes that the provider signed:",
};

/** Loaded with the screens that show them. */
export const webhookTexts = { english };
