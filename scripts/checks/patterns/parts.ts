interface Part {
  readonly path: string;
  /** The expression as it is written in the file. */
  readonly written: string;
  /** A pattern as slow as the slowest that it can be. */
  readonly standsFor: string;
  readonly reason: string;
}

/** Parts of regular expressions that only a running program knows. */
const parts: readonly Part[] = [
  {
    path: "packages/server/src/agents/openapi/planning/input-schema.ts",
    written: "pattern",
    standsFor: "x",
    reason:
      "patterns of documents are only compiled there; a thread that can be ended matches them",
  },
  {
    path: "scripts/checks/patterns/read-patterns.ts",
    written: "source",
    standsFor: "x",
    reason: "patterns that are found and never run",
  },
  {
    path: "scripts/checks/patterns/slow-patterns.ts",
    written: "pattern",
    standsFor: "x",
    reason: "patterns of entries that are found and never run",
  },
  {
    path: "packages/ui/src/validate-field.ts",
    written: "pattern",
    standsFor: "[a-z]+",
    reason: "patterns of provider entries are checked one by one; the server matches them with RE2",
  },
  {
    path: "packages/server/src/functions/jobs/create-job.ts",
    written: "name",
    standsFor: "createSync",
    reason: "one of three names",
  },
  {
    path: "packages/server/src/foundation/http/routes/unknown-route.ts",
    written: 'segments.join("/")',
    standsFor: "integrations/[^/]+/functions/[^/]+/.*",
    reason: "made of the contract's own paths",
  },
  {
    path: "packages/server/src/proxy/limits/read-quota.ts",
    written: "short",
    standsFor: "r",
    reason: "one of a few names",
  },
  {
    path: "packages/server/src/proxy/limits/read-quota.ts",
    written: "long",
    standsFor: "remaining",
    reason: "one of a few names",
  },
  {
    path: "packages/simulator/src/vendor/samples/next-page.ts",
    written: "rel",
    standsFor: "next",
    reason: "a link relation of an entry",
  },
  {
    path: "packages/simulator/src/vendor/calls/signatures.ts",
    written: "name",
    standsFor: "nonce",
    reason: "the name of a field of a signature",
  },
  {
    path: "scripts/bench/meters/read-memory.ts",
    written: "name",
    standsFor: "VmRSS",
    reason: "the name of a line of /proc",
  },
  {
    path: "scripts/checks/mode-names.ts",
    written: "any",
    standsFor: "OAUTH2|API_KEY",
    reason: "the names of the auth modes",
  },
];

/** What the parts of a file's patterns stand for, by how they are written. */
export function partsOf(path: string): ReadonlyMap<string, string> {
  return new Map(
    parts
      .filter((part) => part.path === path)
      .map(({ written, standsFor }) => [written, standsFor]),
  );
}

/** Descriptions of files that are gone. */
export function findStaleParts(paths: ReadonlySet<string>): string[] {
  return parts
    .filter(({ path }) => !paths.has(path))
    .map(({ path }) => `scripts/checks/patterns/parts.ts: ${path} does not exist`);
}
