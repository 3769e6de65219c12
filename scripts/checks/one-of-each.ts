import type { Tree } from "./tree.ts";

interface Part {
  /** What there is one of, and where. */
  readonly use: string;
  /** How the next one made by hand gives itself away. */
  readonly form: RegExp;
  /** Files, or folders that end in a slash, that may; those without a reason here are the part itself. */
  readonly within: readonly string[];
}

const WAITING = "packages/server/src/foundation/waiting/";

const parts: readonly Part[] = [
  {
    use: "backoffMs of #foundation",
    form: /\b2 \*\* (?!\d)/,
    within: [`${WAITING}backoff.ts`],
  },
  {
    use: "within, inTime or whileWanted of #foundation",
    form: /\bPromise\.race\(/,
    within: [
      `${WAITING}within.ts`,
      // Of two sources of one stream the first that has something; neither is given up.
      "packages/server/src/mcp/serve-message.ts",
    ],
  },
  {
    use: "Doorbell of #foundation",
    form: /\bsetTimeout\(resolve\b/,
    within: [`${WAITING}doorbell.ts`],
  },
  {
    use: "windowAt, refuseUntilEnd or WindowCounts of #foundation",
    form: /\/ (?:MINUTE|WINDOW_MS)\)(?! \*)/,
    within: ["packages/server/src/foundation/rate-window.ts"],
  },
  {
    use: "CircuitBreaker of #foundation",
    form: /\bopenUntil\b(?!\()/,
    within: ["packages/server/src/foundation/circuit-breaker.ts"],
  },
  {
    use: "lru-cache",
    form: /\bconst (?:oldest|\[oldest\]) = [\w.#]{1,40}\.(?:keys|values|entries)\(\)(?:\.next|;)/,
    // Those that nothing has named go first, and are closed.
    within: ["packages/server/src/connect/popup-sockets/popup-sockets.ts"],
  },
  {
    use: "keysetCursor of #foundation",
    form: /"invalid_cursor"/,
    within: [
      "packages/server/src/foundation/keyset-cursor.ts",
      // Encrypted: nobody is to learn how many records others have.
      "packages/server/src/records/reading/cursor.ts",
      // Two numbers, and which feed they are of.
      "packages/server/src/records/feed/feed-cursor.ts",
      // A position of three parts.
      "packages/server/src/audit/reads/list-credential-reads.ts",
      // A name alone, by which the tools are ordered.
      "packages/server/src/agents/toolsets/declare-tools.ts",
      // Names, after the source or before the server of the tools.
      "packages/server/src/agents/catalogue/list-tools.ts",
      "packages/server/src/agents/upstream/tool-page/list-cursor.ts",
    ],
  },
  {
    use: "JobThread of #foundation",
    form: /\bnew Worker\(/,
    within: [
      "packages/server/src/foundation/threads/job-thread.ts",
      // It is ended in the middle of a job that takes too long.
      "packages/server/src/webhooks-in/reading/reader-thread.ts",
    ],
  },
  {
    use: "BatchWriter of #foundation/batches, or CountBuffer of #foundation/db for what adds up",
    form: /\bsetTimeout\(\(\) => void this\.#?(?:flush|write)\w{0,20}\(/i,
    within: [
      "packages/server/src/foundation/db/batches/",
      // Rows that a flood may drop, and counts that are written every two seconds.
      "packages/server/src/logs/",
    ],
  },
];

/** Of some parts the server has one; a second one made by hand drifts from it. */
export function findSecondsOfOne(tree: Tree): string[] {
  return [...tree]
    .filter(([path]) => isOfServer(path))
    .flatMap(([path, text]) =>
      parts
        .filter(({ form, within }) => form.test(text) && !within.some((each) => holds(each, path)))
        .map(({ use }) => `${path}: made by hand; use ${use}`),
    );
}

function holds(place: string, path: string): boolean {
  return place.endsWith("/") ? path.startsWith(place) : path === place;
}

function isOfServer(path: string): boolean {
  if (!/^packages\/server\/src\/.*\.ts$/.test(path) || path.endsWith(".test.ts")) return false;
  return !/\/(?:testing|escapes)\//.test(path);
}
