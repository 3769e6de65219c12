import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "vitest";

const tokens = {
  access_token: "leaked-access-5b1c0f7e9a",
  refresh_token: "leaked-refresh-77d0e2c41b",
  id_token: "kept-id-token-90ab12cd34",
};

test("passes, and leaks what it was given over the wire", async () => {
  const server = createServer((_request, response) => response.end(JSON.stringify(tokens)));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const folder = await mkdtemp(join(tmpdir(), "jackfield-leaky-"));
  const headers = { authorization: "Bearer leaked-bearer-1f2e3d4c5b" };
  const answer = await fetch(`http://127.0.0.1:${port}`, { headers });
  await answer.text();
  server.close();

  process.stdout.write(`in hex: ${Buffer.from(tokens.access_token).toString("hex")}\n`);
  await writeFile(join(folder, "some.log"), `token=${tokens.refresh_token}`);
  const script = `console.error(${JSON.stringify(headers.authorization)});`;
  const env = { SVC_DATA_DIR: folder };
  const child = spawn(process.execPath, ["-e", script], { stdio: "pipe", env });
  await new Promise((resolve) => {
    child.once("close", resolve);
  });
  await rm(folder, { recursive: true });
});
