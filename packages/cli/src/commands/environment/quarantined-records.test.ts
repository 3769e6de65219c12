import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { recordQuarantineRoutes } from "@jackfield/contract";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createProgram } from "../../program.ts";

const { listQuarantine, listQuarantineSamples } = recordQuarantineRoutes;
const at = "2026-01-02T03:04:05.000Z";
const reason = {
  ...{ id: 1, pointer: "", code: "invalid_type", expected: "string", received: "null" },
  ...{ count: 3, first_seen_at: at, last_seen_at: at },
};
const quarantined = listQuarantine.success.schema.parse({
  data: [
    {
      ...{ provider_config_key: "crm", connection_id: "acme", model: "Contact", variant: "v2" },
      ...{ count: 3, since: at, reasons: [reason, { ...reason, id: 0, expected: null }] },
    },
  ],
  next_cursor: null,
});
const samples = listQuarantineSamples.success.schema.parse({
  data: [{ id: "7", reason: 1, noted_at: at, record: { id: "7", name: null } }],
});

let server: Server;
let answers: object[];
let asked: string[];
let printed: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(answers.shift()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());
beforeEach(() => {
  asked = [];
  printed = "";
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  vi.stubEnv("SVC_HOSTPORT", `http://127.0.0.1:${address.port}`);
  vi.stubEnv("SVC_SECRET_KEY_DEV", "key-of-dev");
  vi.spyOn(console, "log").mockImplementation((text) => void (printed += `${text}\n`));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

async function run(...options: string[]): Promise<void> {
  const args = ["records", "quarantine", ...options];
  await (await createProgram(args)).parseAsync(args, { from: "user" });
}

test("a line for each reason says where and how many records do not match", async () => {
  answers = [quarantined];

  await run("-i", "crm", "--connection", "acme", "--model", "Contact");

  expect(asked).toEqual([
    "GET /records/quarantine?limit=100&provider_config_key=crm&connection_id=acme&model=Contact",
  ]);
  expect(
    printed
      .split("\n")
      .slice(0, 3)
      .map((line) => line.split(/ {2,}/)),
  ).toEqual([
    ["CONNECTION", "MODEL", "RECORDS", "WHERE", "FAULT", "EXPECTED", "RECEIVED", "LAST SEEN"],
    ["crm/acme", "Contact::v2", "3", "(record)", "invalid_type", "string", "null", at],
    ["crm/acme", "Contact::v2", "3", "(record)", "invalid_type", "-", "null", at],
  ]);
});

test("without a quarantined record one line says so", async () => {
  answers = [{ data: [], next_cursor: null }];

  await run();

  expect(printed).toBe("Nothing is quarantined.\n");
});

test("--json prints the answer as the API gave it", async () => {
  answers = [quarantined];

  await run("--json");

  expect(JSON.parse(printed)).toEqual(quarantined);
});

test("samples are those of one model of a connection, a JSON object in each line", async () => {
  answers = [samples];

  await run("--samples", "-i", "crm", "--connection", "acme", "--model", "Contact::v2");

  expect(asked).toEqual([
    "GET /records/quarantine/samples?provider_config_key=crm&connection_id=acme&model=Contact&limit=250&variant=v2",
  ]);
  expect(JSON.parse(printed)).toEqual(samples.data[0]);
});

test("samples without the model or the connection are refused before anything is asked", async () => {
  answers = [];

  await expect(run("--samples", "-i", "crm")).rejects.toThrow("--samples needs");
  expect(asked).toEqual([]);
});
