import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import * as z from "zod";
import { createAction, createSync } from "../index.ts";
import { replay } from "./replay-recording.ts";

/** A file as the compatible platform's command line writes it. */
async function writeRecording(name: string, content: unknown): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "recording-"));
  onTestFinished(async () => await rm(root, { recursive: true }));
  const folder = join(root, "crm", "tests");
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${name}.test.json`);
  await writeFile(file, JSON.stringify(content));
  return file;
}

const Contact = z.object({ id: z.string(), name: z.string() });
const contacts = createSync({
  description: "Contacts",
  frequency: "every hour",
  models: { Contact },
  exec: async (svc) => {
    const metadata = await svc.getMetadata<{ team: string } | null>();
    const connection = await svc.getConnection();
    for (const page of [1, 2]) {
      const { data, headers } = await svc.get<{ id: number; name: string }[]>({
        endpoint: "/v1/contacts",
        params: { page, team: metadata?.team },
        headers: { accept: "application/json" },
      });
      if (headers["x-left"] === undefined) throw new Error("no header");
      const named = data.map(({ id, name }) => ({ id: `${connection.provider}-${id}`, name }));
      await svc.batchSave(named, "Contact");
    }
    // Asked for twice, recorded once.
    await svc.get({ endpoint: "/v1/contacts", params: { page: 1, team: metadata?.team } });
    await svc.batchDelete([{ id: "gone" }], "Contact");
  },
});

const page = (number: string, response: unknown) => ({
  response,
  status: 200,
  headers: { "content-type": "application/json", "x-left": "9", "content-length": "999" },
  hash: "0".repeat(40),
  request: { params: { page: number, team: "red" } },
});
const recorded = {
  nango: {
    getConnection: { connectionId: "c9", provider: "crm-pro" },
    getMetadata: { team: "red" },
    batchSave: { Contact: [1, 2].map((id) => ({ id: `crm-pro-${id}`, name: `N${id}` })) },
    batchDelete: { Contact: [{ id: "gone" }] },
  },
  api: {
    get: {
      "/v1/contacts": [page("1", [{ id: 1, name: "N1" }]), page("2", [{ id: 2, name: "N2" }])],
      "/v1/never-asked": { response: {}, status: 200, headers: {}, hash: "" },
    },
  },
};

test("a recording of the compatible platform's command line is replayed", async () => {
  const file = await writeRecording("contacts", recorded);

  expect(await replay(contacts, file)).toEqual([]);
});

test("differences from such a recording are reported", async () => {
  const [first, second] = recorded.nango.batchSave.Contact;
  const other = {
    ...recorded,
    nango: {
      ...recorded.nango,
      batchSave: { Contact: [first, { ...second, name: "Other" }] },
      batchDelete: { Contact: [] },
    },
  };
  const without = {
    ...recorded,
    api: { get: { "/v1/contacts": recorded.api.get["/v1/contacts"][0] } },
  };

  const differences = await replay(contacts, await writeRecording("contacts", other));
  const missing = await replay(contacts, await writeRecording("contacts", without));

  expect(differences.join("\n")).toMatch(/Contact\.saved.*Other/);
  expect(differences.join("\n")).toMatch(/Contact\.deleted/);
  expect(missing.join("\n")).toMatch(
    /nothing is recorded for GET \/v1\/contacts with .*"page":"2"/,
  );
});

test("an action's input, data and output are those of the recording, and so is a failed answer", async () => {
  const create = createAction({
    description: "Creates",
    input: z.object({ name: z.string() }),
    output: z.object({ id: z.string(), text: z.string() }),
    exec: async (svc, input) => {
      const { data } = await svc.post({ endpoint: "v1/contacts", data: { name: input.name } });
      const failed = await svc
        .get({ endpoint: "https://api.crm.test/v1/missing" })
        .catch((error: { response: { status: number; data: string } }) => error.response);
      return { id: data.id, text: `${failed.status} ${failed.data}` };
    },
  });
  const request = (name: string) => ({ data: { name } });
  const api = {
    post: {
      "/v1/contacts": [
        { response: { id: "0" }, status: 201, headers: {}, hash: "", request: request("Bob") },
        { response: { id: "7" }, status: 201, headers: {}, hash: "", request: request("Ada") },
      ],
    },
    get: { "/v1/missing": { response: "gone", status: 404, headers: {}, hash: "", request: {} } },
  };
  const content = { input: { name: "Ada" }, output: { id: "7", text: "404 gone" }, nango: {}, api };

  const same = await replay(create, await writeRecording("create", content));
  const changed = { ...content, output: { ...content.output, id: "8" } };
  const differences = await replay(create, await writeRecording("create", changed));

  expect(same).toEqual([]);
  expect(differences).toEqual([expect.stringMatching(/output\.id.*8.*7/)]);
});
