import { expect, test } from "vitest";
import { searchCorpus } from "../testing/search-corpus.ts";
import { createToolSearch } from "./search-tools.ts";

const { tools, queries } = searchCorpus();
const search = await createToolSearch(tools);
const everything = { fits: () => true };

test("of 1,120 tools of 40 integrations, people's words find the one that they mean", () => {
  const places = queries.map(({ query, wanted }) =>
    search.find(query, { ...everything, limit: 5 }).indexOf(wanted),
  );
  const among = (most: number) => places.filter((place) => place >= 0 && place < most).length;

  expect(new Set(tools.map(({ name }) => name)).size).toBe(1120);
  expect(among(5) / queries.length).toBeGreaterThanOrEqual(0.95);
  expect(among(1) / queries.length).toBeGreaterThanOrEqual(0.75);
});

test("only tools that fit are found, and no query costs more than its first words", () => {
  const fits = (name: string) => name.startsWith("jira__");
  const found = search.find("create an issue in Linear", { limit: 20, fits });
  const long = search.find(`${"issue ".repeat(23)}jira zendesk macro`, { limit: 5, ...everything });

  expect(found).not.toHaveLength(0);
  expect(found.every(fits)).toBe(true);
  expect(long[0]).toMatch(/^jira__/);
  expect(search.find("?!", { limit: 5, ...everything })).toEqual([]);
});
