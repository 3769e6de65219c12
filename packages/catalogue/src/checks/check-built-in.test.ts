import { expect, test } from "vitest";
import { readProvider } from "../reading/read-provider.ts";
import { checkBuiltIn } from "./check-built-in.ts";

const sound = {
  id: "sample",
  display_name: "Sample",
  categories: ["other"],
  docs: "https://docs.example.com",
  sources: ["https://docs.example.com/auth"],
  checked_at: "2026-01-02",
  auth_mode: "API_KEY",
  base_url: "https://api.example.com",
  api_key: { placement: "header", name: "x-key", value: "{{credentials.apiKey}}" },
  credentials: { apiKey: { title: "API key", description: "Under Settings.", secret: true } },
};

function faultsOf(entries: readonly object[], publishedIds: readonly string[] = []): string[] {
  const providers = entries.map((entry) => {
    const { provider, faults } = readProvider(entry);
    if (provider === undefined) throw new Error(faults.join("\n"));
    return provider;
  });
  return checkBuiltIn(providers, { publishedIds, hasIcon: (name) => name === "known" });
}

test("refuses a login without help", () => {
  const { api_key: _key, credentials: _credentials, ...facts } = sound;
  const login = { ...facts, auth_mode: "BILL", token_url: "https://api.example.com/login" };

  expect(faultsOf([login], ["sample"])).toContain(
    "sample: credentials.organization_id is asked for without help: declare it",
  );
});

test("takes an entry that says all it has to", () => {
  expect(faultsOf([sound], ["sample"])).toEqual([]);
});

test.each([
  ["no page of the vendor", { docs: undefined }, "has no docs"],
  ["no date", { checked_at: undefined }, "has no checked_at"],
  ["no source", { sources: [] }, "names no source"],
  ["one source for what is asked for most", { needs_second_source: true }, "needs a second source"],
  ["a key without help", { credentials: {} }, "credentials.apiKey is asked for without help"],
  [
    "a field without help",
    {
      base_url: "https://{{config.sub}}.example.com",
      connection_config: { sub: { title: "Subdomain" } },
    },
    "connection_config.sub has no description",
  ],
  ["a help page with a user", { docs_connect: "https://ada@example.com" }, "without user, port"],
  ["a help page with a port", { docs_connect: "https://example.com:444" }, "without user, port"],
  ["a help page with a query", { docs_connect: "https://example.com/?a=1" }, "without user, port"],
  [
    "a help page with a placeholder",
    { docs_connect: "https://example.com/{{config.sub}}/keys" },
    "placeholders",
  ],
  ["the documentation as help page", { docs_connect: "https://docs.example.com" }, "drop it"],
  ["an icon and a colour", { icon: "known", colour: "#123456" }, "drop colour"],
  ["an icon that is not there", { icon: "unknown" }, "simple-icons has no icon unknown"],
  ["a twin that is not there", { same_as: "other" }, "names other, which does not exist"],
  [
    "a successor that is not there",
    { deprecated: { reason: "Closed.", replaced_by: "other" } },
    "names other, which does not exist",
  ],
])("refuses %s", (_, change, fault) => {
  expect(faultsOf([{ ...sound, ...change }]).join("\n")).toContain(fault);
});

test.each([
  ["a second source in other projects", { popular: true, evidence: { base_url: ["sdk"] } }],
  ["the admission that nobody has compared it", { popular: true, unverified: true }],
  ["an icon that exists", { icon: "known" }],
  ["a help page", { docs_connect: "https://app.example.com/settings/keys#new" }],
])("takes %s", (_, change) => {
  expect(faultsOf([{ ...sound, ...change }])).toEqual([]);
});

test("refuses more than forty popular providers", () => {
  const many = Array.from({ length: 41 }, (_, index) => ({
    ...sound,
    ...{ id: `p${index}`, display_name: `P ${index}`, popular: true },
    ...{ base_url: `https://${index}.example.com`, evidence: { base_url: ["sdk"] } },
  }));

  expect(faultsOf(many)).toEqual([expect.stringContaining("41 providers are popular")]);
  expect(faultsOf(many.slice(1))).toEqual([]);
});

test("refuses two entries with the same addresses unless one says so", () => {
  const twin = { ...sound, id: "twin", display_name: "Twin" };

  expect(faultsOf([sound, twin])).toEqual([
    "twin: has the addresses of sample; drop one or set same_as",
  ]);
  expect(faultsOf([sound, { ...twin, same_as: "sample" }])).toEqual([]);
  expect(faultsOf([sound, { ...twin, base_url: "https://other.example.com" }])).toEqual([]);
});

test("refuses two entries of one name", () => {
  const other = { ...sound, id: "other", base_url: "https://other.example.com" };

  expect(faultsOf([sound, { ...other, display_name: "SAMPLE" }])).toEqual([
    "other: is called SAMPLE, as sample is",
  ]);
});

test("refuses to drop an id that was published", () => {
  expect(faultsOf([sound], ["gone", "sample"])).toEqual([
    "gone: was published; keep it, and mark it deprecated",
  ]);
});
