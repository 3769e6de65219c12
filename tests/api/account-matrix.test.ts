import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { apiOf } from "../journeys/api.ts";
import { type Browser, type PeopleUnderTest, startPeople } from "../people/people-under-test.ts";
import { fingerprint } from "./fingerprint.ts";
import { type Ids, operations, type SampleRequest, sampleRequest } from "./sample-request.ts";

// Promise A2 over two accounts: nothing of one account is read, written, listed, counted or announced in the other.

const CANARY = "canary-of-acme";

let people: PeopleUnderTest;
let theirs: Ids = {};
let first: { readonly id: string; readonly key: string };
const strangers = new Map<string, (method: string, path: string, sent: Sent) => Promise<Answer>>();
let second: { readonly id: string; readonly key: string; readonly dev: string; owner: Browser };

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}
interface Answer {
  readonly status: number;
  readonly text: string;
}

beforeAll(async () => {
  people = await startPeople({ SVC_ACCOUNTS: "many", SVC_RATE_LIMIT_PER_MIN: "100000" });
  const owner = await people.owner();
  const { rows } = await people.database.pool.query("select id from accounts");
  first = { id: rows[0].id, key: people.keys.account };
  second = await addAccount(owner);
  theirs = await seed(owner);
  strangers.set("a key of an environment", async (...call) => await byKey(second.dev, ...call));
  strangers.set("a key of the account", async (...call) => await byKey(second.key, ...call));
  strangers.set("an owner in an environment", async (method, path, { headers, ...sent }) => {
    return await second.owner.call(method, path, {
      ...sent,
      headers: headers ?? {},
      environment: "dev",
    });
  });
  strangers.set("an owner of the account", async (method, path, sent) => {
    return await second.owner.call(method, path, sent);
  });
});
afterAll(async () => await people[Symbol.asyncDispose]());

async function addAccount(installer: Browser) {
  const owner = { email: "grace@beta.example", name: "Grace" };
  const made = await installer.call("POST", "/accounts", { body: { name: "Beta", owner } });
  if (made.status !== 200) throw new Error(made.text);
  const { account, api_key: key, link } = made.body.data;
  const browser = people.browser();
  const token = String(link.url).split("#")[1];
  await browser.call("POST", "/auth/links/redeem", { body: { token } });
  const api = apiOf(people.url, key);
  const environments = (await api("GET", "/environments")).body.data;
  const dev = environments.find(({ name }: { name: string }) => name === "dev");
  const created = await api("POST", "/environment/api-keys", {
    body: { display_name: "dev", environment_id: dev.id, scopes: ["environment:*"] },
  });
  return { id: account.id, key, dev: String(created.body.data.secret), owner: browser };
}

/** One of each thing that has a name, in the first account. */
async function seed(owner: Browser): Promise<Ids> {
  const account = apiOf(people.url, people.keys.account);
  const dev = apiOf(people.url, people.keys.dev);
  const body = { email: `${CANARY}@acme.example`, name: CANARY };
  const grants = [{ role: "support", environments: "all" }];
  const user = await account("POST", "/users", { body: { ...body, grants } });
  const environment = await account("POST", "/environments", { body: { name: CANARY } });
  const scopes = ["account:users:list"];
  const key = await account("POST", "/account/api-keys", {
    body: { display_name: CANARY, scopes },
  });
  await dev("PUT", `/environment-variables/CANARY`, { body: { value: CANARY } });
  await dev("POST", "/integrations", {
    body: { provider: "private-api-bearer", unique_key: CANARY },
  });
  const made = await dev("POST", "/connections", {
    body: {
      provider_config_key: CANARY,
      connection_id: CANARY,
      credentials: { type: "API_KEY", apiKey: CANARY },
      tags: { end_user_id: CANARY },
    },
  });
  expect(made.status).toBeLessThan(300);
  await owner.call("PATCH", `/accounts/${first.id}`, { body: { name: CANARY } });
  const listed = await dev("GET", "/logs/operations");
  return {
    ...namesOf(CANARY),
    accountId: first.id,
    environment_id: environment.body.data.id,
    environmentId: environment.body.data.id,
    environmentUuid: environment.body.data.id,
    userId: user.body.data.user.id,
    keyId: key.body.data.id,
    key_id: key.body.data.id,
    operationId: listed.body.data[0]?.id,
    sessionId: (await owner.call("GET", "/me")).body.data.session.id,
    name: "CANARY",
  };
}

function namesOf(name: string): Ids {
  return {
    uniqueKey: name,
    providerConfigKey: name,
    provider_config_key: name,
    "provider-config-key": name,
    integration_id: name,
    integrationId: name,
    connectionId: name,
    connection_id: name,
    "connection-id": name,
    slug: name,
  };
}

/** What `id` means depends on where it stands. */
function idsFor(path: string, ids: Ids): Ids {
  const kind = [
    ["/users/", ids["userId"]],
    ["/me/sessions/", ids["sessionId"]],
    ["/logs/operations/", ids["operationId"]],
    ["api-keys", ids["keyId"]],
  ].find(([part]) => path.includes(String(part)));
  return { ...ids, id: kind?.[1] ?? randomUUID() };
}

async function byKey(key: string, method: string, path: string, sent: Sent): Promise<Answer> {
  const response = await fetch(`${people.url}${path}`, {
    method,
    redirect: "manual",
    headers: {
      authorization: `Bearer ${key}`,
      ...sent.headers,
      ...(sent.body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(sent.body === undefined ? {} : { body: JSON.stringify(sent.body) }),
  });
  return { status: response.status, text: await response.text() };
}

const guarded = operations.filter(
  ({ path }) =>
    !/^\/(oauth|auth|connect|webhook|images|docs|dashboard)\b/.test(path) && path !== "/events",
);

test.each(
  guarded.map((described) => [`${described.method} ${described.path}`, described] as const),
)("%s: what another account has is as what nobody has", async (name, described) => {
  const { method, path } = described;
  const before = method === "GET" ? "" : await fingerprint(people.database.pool, first.id);
  const mine = idsFor(path, theirs);
  const others = new Map(Object.values(mine).map((id) => [id, newNameLike(id)]));
  const none = Object.fromEntries(Object.entries(mine).map(([key, id]) => [key, others.get(id)]));
  for (const [who, send] of strangers) {
    // Else the stranger's own sign-in, or environment, would be gone for the next.
    if (/sign-out|DELETE \/me|PUT \/me\/password/.test(name)) continue;
    const listed = sampleRequest(described, {});
    const toTheirs = sampleRequest(described, mine);
    const toNothing = sampleRequest(described, none);

    // What names nothing is the same request three times: it is sent once.
    const sent = new Map<string, Promise<Answer>>();
    const sendOnce = async (request: SampleRequest): Promise<Answer> => {
      const text = JSON.stringify(request);
      const answer = sent.get(text) ?? send(request.method, request.path, request);
      sent.set(text, answer);
      return await answer;
    };
    const answers = {
      listed: await sendOnce(listed),
      nothing: await sendOnce(toNothing),
      theirs: await sendOnce(toTheirs),
    };

    expect(answers.theirs.status, who).not.toBe(500);
    // The log of the second account holds what it has sent itself: of it another test.
    if (!path.startsWith("/audit")) {
      for (const theirOwn of [CANARY, first.id, String(theirs["userId"])]) {
        expect(answers.listed.text, who).not.toContain(theirOwn);
      }
    }
    const isMade = answers.theirs.status < 300 && method !== "GET";
    if (isMade) continue;
    expect(answers.theirs.status, who).toBe(answers.nothing.status);
  }
  if (method !== "GET") expect(await fingerprint(people.database.pool, first.id)).toBe(before);
});

function newNameLike(id: unknown): unknown {
  if (id === "CANARY") return "OTHER";
  return String(id).length === 36 ? randomUUID() : `none-${randomUUID()}`;
}

test("the matrix has nearly every route", () => {
  expect(guarded.length).toBeGreaterThan(100);
});

test("counts, metrics, operations and audit rows are those of one account", async () => {
  const mine = apiOf(people.url, people.keys.dev);
  const other = apiOf(people.url, second.dev);
  const total = async (api: typeof mine, path: string) =>
    JSON.stringify((await api("GET", path)).body.data);

  expect(await total(mine, "/connections/count")).toMatch(/[1-9]/);
  expect(await total(other, "/connections/count")).not.toMatch(/:[1-9]/);
  expect(await total(mine, "/logs/operations")).toContain(CANARY);
  const since = new Date(Date.now() - 3_600_000).toISOString();
  expect(await total(other, `/metrics/totals?from=${since}`)).not.toContain(CANARY);
  const audit = apiOf(people.url, second.key);
  const { rows } = await people.database.pool.query(
    "select count(*)::int as n from audit_events where account_id = $1",
    [second.id],
  );
  const listed = (await audit("GET", "/audit?limit=500")).body.data;
  const exported = await byKey(second.key, "GET", "/audit/export", {});
  expect(listed).toHaveLength(Math.min(500, rows[0].n));
  expect(exported.text.trim().split("\n")).toHaveLength(rows[0].n);
  // Refusals name what the second account had asked for.
  const done = (await byKey(second.key, "GET", "/audit/export?outcome=done", {})).text;
  expect(done).toContain('"outcome":"done"');
  for (const theirOwn of ["userId", "keyId", "environmentId", "accountId"]) {
    expect(done).not.toContain(theirs[theirOwn]);
  }
  expect((await audit("GET", "/audit/head")).status).toBe(403);
  expect((await audit("GET", "/installation")).status).toBe(403);
});

test("a failed sign-in is a row of the account whose user it names, and of no other", async () => {
  const body = { email: "grace@beta.example", password: "another one entirely" };
  await people.browser().call("POST", "/auth/password", { body });
  const refused = async (key: string) =>
    (await apiOf(people.url, key)("GET", "/audit?action=signIn.password&outcome=refused")).body
      .data;

  expect(await refused(second.key)).toHaveLength(1);
  expect(await refused(first.key)).toHaveLength(0);
});

test("an event of one account is heard by nobody of the other", async () => {
  const stop = new AbortController();
  const hear = async (key: string, heard: string[]) => {
    const response = await fetch(`${people.url}/events?topics=connections,operations`, {
      headers: { authorization: `Bearer ${key}` },
      signal: stop.signal,
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) heard.push(decoder.decode(chunk));
  };
  const own: string[] = [];
  const others: string[] = [];
  const ends = [hear(people.keys.dev, own), hear(second.dev, others)].map(
    async (end) => await end.catch(() => undefined),
  );
  await expect.poll(() => own.length > 0 && others.length > 0).toBe(true);
  // What either has done before is announced within a second.
  await sleep(2500);
  const [heardByOwn, heardByOthers] = [own.length, others.length];

  await apiOf(people.url, people.keys.dev)(
    "DELETE",
    `/connections/${CANARY}?provider_config_key=${CANARY}`,
  );
  await expect
    .poll(() => own.slice(heardByOwn).join(""), { timeout: 10_000 })
    .toContain("event: operations");

  stop.abort();
  await Promise.all(ends);
  expect(others.slice(heardByOthers).join("")).not.toContain("event: operations");
});

test("accounts are made, renamed and listed by the first one alone", async () => {
  const owner = await people.owner();
  const body = { name: "Gamma" };

  const made = await apiOf(people.url, first.key)("POST", "/accounts", { body });
  const { id } = made.body.data.account;
  const renamed = await owner.call("PATCH", `/accounts/${id}`, { body: { name: "Delta" } });
  const pages = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = (await owner.call("GET", `/accounts?limit=1${query}`)).body;
    pages.push(page.data[0]);
    cursor = page.next_cursor;
  }
  const refused = [
    await byKey(second.key, "GET", "/accounts", {}),
    await second.owner.call("POST", "/accounts", { body }),
    await second.owner.call("PATCH", `/accounts/${second.id}`, { body }),
  ];

  expect(renamed.body.data).toMatchObject({ id, name: "Delta", is_first: false });
  expect(pages.map(({ is_first }) => is_first)).toEqual([true, ...pages.slice(1).map(() => false)]);
  expect(pages.map((each) => each.name)).toEqual([
    CANARY,
    "Beta",
    ...pages.slice(2, -1).map((each) => each.name),
    "Delta",
  ]);
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403]);
  const taken = { name: "Eve", owner: { email: "GRACE@beta.example", name: "Eve" } };
  expect((await owner.call("POST", "/accounts", { body: taken })).status).toBe(409);
});

test("an installation with one account hides the rest", async () => {
  await using single = await startPeople();
  const owner = await single.owner();

  const answers = [
    await owner.call("GET", "/accounts"),
    await owner.call("POST", "/accounts", { body: { name: "Beta" } }),
  ];

  expect(answers.map(({ status, body }) => `${status} ${body.error.code}`)).toEqual([
    "404 feature_disabled",
    "404 feature_disabled",
  ]);
});

test("who calls too often is refused in one account alone, at a limit of its own", async () => {
  const owner = await people.owner();
  const change = async (limit: number | null) =>
    await owner.call("PATCH", `/accounts/${second.id}`, { body: { rate_limit_per_minute: limit } });
  await change(5);
  const call = async (key: string) => (await byKey(key, "GET", "/environment", {})).status;

  await expect
    .poll(
      async () => await Promise.all(Array.from({ length: 12 }, async () => await call(second.dev))),
    )
    .toContain(429);
  const mine = await Promise.all(
    Array.from({ length: 12 }, async () => await call(people.keys.dev)),
  );

  expect(new Set(mine)).toEqual(new Set([200]));
  expect((await change(null)).body.data).toMatchObject({ rate_limit_per_minute: null });
});
