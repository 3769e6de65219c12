import { getProvider } from "@jackfield/catalogue";
import { expect, test } from "vitest";
import { cpuMsOf, createTestContext } from "#foundation/testing";
import { createCustomProvider } from "./change-custom-providers.ts";
import { readCustomEntry } from "./custom-provider.ts";
import { providerHandlers } from "./routes.ts";

const nothing = { params: undefined, query: undefined, headers: undefined, body: undefined };
const base = {
  id: "acme",
  display_name: "Acme",
  categories: ["other"],
  auth_mode: "API_KEY",
  base_url: "https://api.acme.example",
  api_key: { placement: "header", name: "x-key", value: "{{credentials.apiKey}}" },
};

function withPatterns(count: number, patternOf: (index: number) => string): object {
  const fields = Array.from({ length: count }, (_, index) => [
    `f${index}`,
    { title: "F", pattern: patternOf(index), example: "a".repeat(500), default: "b".repeat(500) },
  ]);
  return { connection_config: Object.fromEntries(fields) };
}

const hostile: readonly (readonly [string, object])[] = [
  ["repeats in repeats", withPatterns(90, (n) => `^((a{10}){10}){9}${n}$`)],
  ["wide repeats", withPatterns(90, (n) => `^${"\\p{L}{1000}".repeat(15)}${n}$`)],
  ["patterns at the limit", withPatterns(90, (n) => `^(a?){35}${n}$`)],
  ["patterns that remember", withPatterns(90, (n) => `^([ab]*a[ab]{90})${n}$`)],
  ["more fields than may be", withPatterns(3000, (n) => `^a${n}$`)],
  [
    "placeholders",
    { headers: Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`x-${n}`, long()])) },
  ],
  ["open placeholders", { headers: { "x-a": "{{".repeat(4000), "x-b": '{{"'.repeat(2700) } }],
  ["nested calls", { headers: { "x-a": `{{${"lower(".repeat(1300)}` } }],
  [
    "nested parameters",
    { after_connect: [{ request: { path: "/", body: nest(4000) }, save: {} }] },
  ],
  ["unknown keys", Object.fromEntries(Array.from({ length: 3900 }, (_, n) => [`unknown_${n}`, 1]))],
  ["wrong values", { categories: Array.from({ length: 3900 }, () => "NO") }],
  ["an address of question marks", { base_url: `https://a/${"?".repeat(8000)}` }],
  ["an address of slashes", { base_url: `https://a${"//".repeat(4000)}` }],
  ["signed parts", { webhooks: { hmac: { header: "x", signed: "{body}".repeat(1000) } } }],
];

function long(): string {
  return "{{config.a ?? config.b}}".repeat(40);
}

function nest(depth: number): object {
  let value: object = {};
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

test.each(hostile)("%s are refused at a bounded cost and in few words", async (_what, change) => {
  // Templates and schema are compiled at their first use.
  readCustomEntry(base);
  getProvider("github");
  let read: ReturnType<typeof readCustomEntry> | undefined;

  const cpuMs = await cpuMsOf(() => {
    read = readCustomEntry({ ...base, ...change });
  });

  const { provider, faults = [] } = read ?? {};
  expect(provider).toBeUndefined();
  expect(faults.length).toBeGreaterThan(0);
  expect(faults.length).toBeLessThanOrEqual(21);
  expect(JSON.stringify(faults).length).toBeLessThan(16_384);
  expect(cpuMs).toBeLessThan(600);
});

test("an environment has so many providers of its own and no more, also when they are added at once", async () => {
  await using installation = await createTestContext();
  const { ctx } = installation;
  const create = async (index: number) =>
    await createCustomProvider(ctx, {
      entry: { ...base, id: `p${index}` },
      replacesBuiltIn: false,
    });

  for (let index = 0; index < 195; index += 1) await create(index);
  const atOnce = await Promise.allSettled(
    Array.from({ length: 9 }, async (_, n) => await create(195 + n)),
  );
  const refused = atOnce.filter(({ status }) => status === "rejected");

  expect(refused).toHaveLength(4);
  for (const each of refused) {
    expect(each).toMatchObject({ reason: { code: "resource_capped" } });
  }
});

test("the connect page is given no pattern of the environment's own providers", async () => {
  await using installation = await createTestContext();
  const { ctx } = installation;
  const entry = {
    ...base,
    base_url: "https://{{config.f0}}.acme.example",
    connection_config: { f0: { title: "F", pattern: "^(a|a)*$", example: "aaa" } },
  };
  await createCustomProvider(ctx, { entry, replacesBuiltIn: false });
  const page = { ...ctx, actor: { kind: "session", sessionId: "1" } } as const;
  const get = async (as: typeof ctx | typeof page, provider: string) =>
    (await providerHandlers.getProvider(as, { ...nothing, params: { provider } })).data;

  const shown = await get(page, "acme");
  const listed = await providerHandlers.listProviders(page, { ...nothing, query: {} });

  expect(shown.connection_config["f0"]).toMatchObject({ title: "F" });
  expect(JSON.stringify([shown, listed.data.find(({ name }) => name === "acme")])).not.toContain(
    "pattern",
  );
  expect((await get(ctx, "acme")).connection_config["f0"]?.pattern).toBe("^(a|a)*$");
  expect(JSON.stringify(await get(page, "shopify"))).toContain("pattern");
});
