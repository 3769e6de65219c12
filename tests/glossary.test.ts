import { expect, test } from "vitest";
import { findRetiredWords } from "../scripts/checks/glossary.ts";

test.each([
  ["packages/server/src/tasks/lanes.ts", ""],
  ["packages/server/src/syncs/x.ts", "export const openLane = 1;"],
  ["packages/server/src/syncs/x.ts", "function f(told: string) { return told; }"],
  ["packages/server/src/syncs/x.ts", "const { latestNews } = input;"],
  ["packages/server/src/syncs/x.ts", "type X = InstallationContext;"],
  ["packages/server/src/syncs/x.ts", "const x = defineLookup();"],
  ["packages/server/src/proxy/limits/traffic.ts", ""],
  ["packages/server/src/proxy/call-places.ts", ""],
  ["packages/server/src/syncs/x.ts", "export const endTurn = 1;"],
  ["packages/server/src/syncs/x.ts", "// It goes the whole way."],
  ["packages/cli/src/x.ts", 'console.log("Encrypts everything anew.");'],
  ["docs/x.md", "The sync goes on."],
  ["docs/x.md", "The fast lane."],
  ["docs/x.md", "Two kinds can be told apart."],
  ["packages/server/src/syncs/x.ts", "// The request passes the way out."],
  ["packages/server/src/syncs/x.ts", "// There is no news yet."],
  ["docs/x.md", "The caller is told why."],
  ["docs/x.md", "It takes whatever comes."],
  ["docs/x.md", "Whoever calls needs a key."],
  ["packages/contract/src/x.ts", "// How the job stands."],
  ["packages/server/src/syncs/x.ts", "// The token stands in the body."],
  ["clients/python/src/x.py", "def open_lane(): ..."],
  ["examples/go/main.go", "func peekToken() {}"],
  ["deploy/proxies/Caddyfile", "# Whatever else comes is refused."],
  ["deploy/kubernetes/base/x.yaml", "# The probe goes on."],
  ["packages/dashboard/src/styles/x.css", "/* It stands before the row. */"],
])("a retired word is refused: %s %s", (path, text) => {
  expect(findRetiredWords(new Map([[path, text]]))).toHaveLength(1);
});

test("words that only contain a retired one, and released names, are fine", () => {
  const text = "const planes = newsletter + SVC_RUN_PLACES; // He told; tables lane_tasks.";

  expect(findRetiredWords(new Map([["packages/server/src/x.ts", text]]))).toEqual([]);
});
