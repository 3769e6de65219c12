import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { createAction, createSync } from "../index.ts";
import {
  type Forward,
  formatRecording,
  type HostCall,
  HostFailure,
  LocalHost,
  localFacts,
  type RecordedCase,
  recordCalls,
  replay,
  runInProcess,
  toRunResult,
} from "./index.ts";

const contact = z.object({ id: z.string(), name: z.string() });

/** A list of three pages, and then a call that is made three times with another answer each. */
const contacts = (limit = 2, polls = 3) =>
  createSync({
    description: "Contacts",
    frequency: "every hour",
    models: { Contact: contact },
    checkpoint: z.object({ state: z.string() }),
    exec: async (svc) => {
      const pages = svc.paginate<{ id: string; name: string }>({
        endpoint: "/contacts",
        paginate: {
          type: "offset",
          offset_name_in_request: "skip",
          limit,
          limit_name_in_request: "limit",
          response_path: "items",
        },
      });
      for await (const page of pages) await svc.batchSave(page, "Contact");
      for (let poll = 0; poll < polls; poll += 1) {
        const { data } = await svc.get<{ state: string }>({ endpoint: "/export" });
        await svc.saveCheckpoint({ state: data.state });
      }
    },
  });

const people = ["Ada", "Grace", "Katherine", "Mary", "Radia"].map((name, index) => ({
  id: String(index + 1),
  name,
}));

/** A provider that counts: each poll of the export has another state. */
function createProvider(): Forward {
  let polls = 0;
  return async ({ method, params }: HostCall) => {
    const { endpoint, query = [] } = z
      .looseObject({ endpoint: z.string(), query: z.array(z.tuple([z.string(), z.string()])) })
      .parse(params);
    expect(method).toBe("proxy");
    const asked = new Map(query);
    const skip = Number(asked.get("skip") ?? 0);
    polls += endpoint === "/export" ? 1 : 0;
    const body =
      endpoint === "/export"
        ? { state: ["queued", "running", "done"][polls - 1] }
        : { items: people.slice(skip, skip + Number(asked.get("limit"))) };
    return {
      value: { status: 200, statusText: "OK", headers: { "content-type": "application/json" } },
      body: new TextEncoder().encode(JSON.stringify(body)),
    };
  };
}

let folder: string;
let file: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "recording-"));
  file = await record("contacts", await runAndRecord(contacts(), createProvider()));
});
afterAll(async () => await rm(folder, { recursive: true }));

async function runAndRecord(
  definition: ReturnType<typeof contacts>,
  forward: Forward,
): Promise<RecordedCase> {
  const facts = localFacts({ kind: "sync", functionName: "contacts", providerConfigKey: "crm" });
  const recorder = recordCalls(facts, forward);
  const host = new LocalHost({ facts, forward: recorder.forward });
  const end = await runInProcess(definition, { facts, host });
  const result = toRunResult(host, end, recorder.secrets());
  const connection = { id: facts.connectionId, provider: facts.provider };
  return { name: "sync", kind: "sync", connection, calls: recorder.take(), result };
}

async function record(name: string, recorded: RecordedCase): Promise<string> {
  const path = join(folder, `${name}.test.json`);
  const recording = {
    format: 1 as const,
    integration: "crm",
    function: "contacts",
    cases: [recorded],
  };
  await writeFile(path, formatRecording(recording));
  return path;
}

test("replays several pages and repeated calls, each with its own answer", async () => {
  expect(await replay(contacts(), file)).toEqual([]);
});

test("a call with other parameters is named with what differs", async () => {
  const [first, ...others] = await replay(contacts(3), file);

  expect(first).toBe(
    'sync: nothing is recorded for GET /contacts?limit=3&skip=0; it differs from the recorded one: query.limit: recorded "2", now "3"',
  );
  expect(others.filter((line) => line.includes("recorded and not asked for"))).toHaveLength(6);
});

test("one call more, and one less, are differences", async () => {
  const more = await replay(contacts(2, 4), file);
  const fewer = await replay(contacts(2, 2), file);

  expect(more[0]).toContain("GET /export: it was recorded 3 times, and is asked for once more");
  expect(fewer).toEqual([
    "sync: recorded and not asked for: GET /export",
    'sync: the result differs: checkpoint.state: recorded "done", now "running"',
  ]);
});

test("a changed result is a difference, although all calls are the same", async () => {
  const { exec, ...rest } = contacts();
  const renamed = createSync({
    ...rest,
    exec: async (svc) =>
      await exec({
        ...svc,
        batchSave: async (records: readonly z.input<typeof contact>[] | null | undefined) =>
          await svc.batchSave(
            records?.map((one) => ({ ...one, name: one.name.toUpperCase() })),
            "Contact",
          ),
      }),
  });

  const problems = await replay(renamed, file);

  expect(problems[0]).toBe(
    'sync: the result differs: records.Contact.saved.0.name: recorded "Ada", now "ADA"',
  );
});

test("a function that swallows the failure of an unknown call fails all the same", async () => {
  const careless = createSync({
    ...contacts(),
    exec: async (svc) => {
      await svc.get({ endpoint: "/other" }).catch(() => {});
    },
  });

  const [first] = await replay(careless, file);

  expect(first).toContain(
    "nothing is recorded for GET /other; recorded are: GET /contacts, GET /export",
  );
});

test("credentials are in no recording, wherever they came from", async () => {
  const token = "tok-5e2f91c0ffee";
  const action = createAction({
    description: "Signs by hand",
    input: z.void(),
    output: z.object({ echoed: z.string(), password: z.string() }),
    exec: async (svc) => {
      const given = await svc.getToken();
      const { data } = await svc.post<{ echoed: string; password: string }>({
        endpoint: `/login?api_key=other-secret&t=${given}`,
        headers: { "x-signature": "sig-secret", "x-plain": `a ${given} b` },
        data: { token: given, deep: [{ client_secret: "third-secret" }] },
      });
      return data;
    },
  });
  const facts = localFacts({ kind: "action", functionName: "sign", providerConfigKey: "crm" });
  const recorder = recordCalls(facts, async ({ method }) =>
    method === "getConnection"
      ? {
          value: { id: 1, credentials: { type: "OAUTH2", access_token: token, raw: { x: token } } },
        }
      : {
          value: {
            status: 200,
            statusText: "OK",
            headers: { "set-cookie": "sid=cookie-secret", link: `<https://x/?token=${token}>` },
          },
          body: new TextEncoder().encode(
            JSON.stringify({ echoed: `hi ${token}`, password: "pw-secret" }),
          ),
        },
  );
  const host = new LocalHost({ facts, forward: recorder.forward });

  const end = await runInProcess(action, { facts, host });

  const calls = recorder.take();
  const result = toRunResult(host, end, recorder.secrets());
  expect(JSON.stringify({ calls, result })).not.toMatch(/tok-5e2f91c0ffee|-secret/);
  const connection = { id: "local", provider: "crm" };
  const path = await record("sign", { name: "action", kind: "action", connection, calls, result });
  expect(await replay(action, path)).toEqual([]);
});

test("known credentials are in no recording, nor is a failure's or a camel-case one", async () => {
  const action = createAction({
    description: "Never reads its credentials",
    input: z.void(),
    output: z.object({ echoed: z.string(), botToken: z.string(), nextPageToken: z.string() }),
    exec: async (svc) => {
      const { data } = await svc.get<{ echoed: string; botToken: string; nextPageToken: string }>({
        endpoint: "/me",
        headers: { "x-api-key": "header-secret" },
      });
      await svc.getEnvironmentVariables().catch(() => {});
      return data;
    },
  });
  const facts = localFacts({ kind: "action", functionName: "me", providerConfigKey: "crm" });
  const body = { echoed: "key known-9d1c", botToken: "bot-secret", nextPageToken: "page-2" };
  const recorder = recordCalls(
    facts,
    async ({ method }) => {
      if (method === "proxy") {
        return {
          value: { status: 200, statusText: "OK", headers: {} },
          body: new TextEncoder().encode(JSON.stringify(body)),
        };
      }
      throw new HostFailure({
        type: "forbidden",
        message: "known-9d1c may not",
        payload: { password: "failure-secret" },
      });
    },
    { type: "API_KEY", apiKey: "known-9d1c" },
  );
  const host = new LocalHost({ facts, forward: recorder.forward });

  const end = await runInProcess(action, { facts, host });

  const kept = JSON.stringify([recorder.take(), toRunResult(host, end, recorder.secrets())]);
  expect(kept).not.toMatch(/known-9d1c|-secret/);
  expect(kept).toContain("page-2");
});

test("a file that is no recording says so", async () => {
  const path = join(folder, "broken.test.json");
  await writeFile(path, '{"format":2}');

  await expect(replay(contacts(), path)).rejects.toThrow(
    /broken\.test\.json cannot be replayed: it is no recording/,
  );
});
