import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { createProgram } from "../../program.ts";

let server: Server;
let asked: string[];
let printed: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (request.method === "DELETE") response.statusCode = 204;
    response.setHeader("content-type", "application/json");
    response.end(request.method === "DELETE" ? "" : '{"data":{"role":"jackfield_sql_1"}}');
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
  vi.stubEnv("SVC_SECRET_KEY_DEV", "svc_key_test");
  vi.spyOn(console, "log").mockImplementation((text) => {
    printed += `${text}\n`;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

test("the commands show, create, rotate and revoke the login of an environment", async () => {
  for (const command of ["show", "create", "rotate", "revoke"]) {
    const program = await createProgram(["sql-access", command]);
    await program.parseAsync(["sql-access", command], { from: "user" });
  }

  expect(asked).toEqual([
    "GET /records/sql-access",
    "POST /records/sql-access",
    "POST /records/sql-access/rotate",
    "DELETE /records/sql-access",
  ]);
  expect(printed.match(/jackfield_sql_1/g)).toHaveLength(3);
});
