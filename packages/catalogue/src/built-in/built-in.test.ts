import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { getProvider, listProviderIds, listProviders } from "./built-in.ts";
import { compileCatalogue, openCompiledCatalogue } from "./compiled-catalogue.ts";
import { readFolder } from "./load-catalogue.ts";

const files = new URL("../../providers/", import.meta.url);
const { providers, entries, faults } = readFolder(files);

test("every file of the catalogue is without a fault", () => {
  expect(faults).toEqual([]);
  expect(providers.length).toBeGreaterThanOrEqual(450);
});

test("what the server reads is made of the files", () => {
  const compiled = readFileSync(
    new URL("../../generated/catalogue.jsonl", import.meta.url),
    "utf8",
  );

  expect(compiled).toBe(compileCatalogue(entries, providers));
});

test("an entry read at start is the one of its file, but for how its facts are known", () => {
  const { sources: _sources, evidence: _evidence, ...wanted } = requireFile("slack");
  const { sources, evidence, ...read } = getProvider("slack") ?? {};

  expect(read).toEqual(wanted);
  expect([sources, evidence]).toEqual([[], {}]);
  expect(_sources.length).toBeGreaterThan(0);
});

function requireFile(id: string) {
  const found = providers.find((provider) => provider.id === id);
  if (found === undefined) throw new Error(`no file has ${id}`);
  return found;
}

test("entries are found by id, the same one each time, and listed in order", () => {
  const ids = providers.map(({ id }) => id);

  expect(listProviderIds()).toEqual(ids);
  expect(listProviders().map(({ id }) => id)).toEqual(ids);
  expect(getProvider("github")?.display_name).toBe("GitHub");
  expect(getProvider("github")).toBe(getProvider("github"));
  expect(getProvider("constructor")).toBeUndefined();
});

test("the hash changes with an entry", () => {
  const [first = {}, ...others] = entries;
  const changed = compileCatalogue([{ ...first, display_name: "Other" }, ...others], providers);

  const hash = openCompiledCatalogue(compileCatalogue(entries, providers)).hash;

  expect(openCompiledCatalogue(changed).hash).not.toBe(hash);
});

test("names under which a state comes back are known without a look at the entries", () => {
  const [slack] = providers.filter(({ id }) => id === "slack");
  if (slack?.auth_mode !== "OAUTH2") throw new Error("slack uses OAuth 2");
  const odd = { ...slack, callback: { ...slack.callback, state: "payload" } };

  const { stateNames } = openCompiledCatalogue(compileCatalogue([], [slack, odd]));

  expect(stateNames).toEqual(["state", "payload"]);
});
