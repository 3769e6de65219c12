import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { makeDataFolder } from "../launcher/data-folder.ts";
import { spawnPlatform } from "../launcher/platform-process.ts";

const cli = fileURLToPath(new URL("../bin/jackfield.js", import.meta.resolve("jackfield")));

// What a library may do at any time, done when the test asks for it.
const prints = `process.on("SIGUSR2", () => {
  console.trace(new Error("a worker ended"));
  console.error("%s", "plain words");
  process.emitWarning("an old call");
});`;

test("every line that a server logs is one JSON object without doubled names", async () => {
  await using folder = await makeDataFolder();
  const preload = `data:text/javascript,${encodeURIComponent(prints)}`;
  const server = await spawnPlatform(
    ["--conditions=jackfield-source", "--import", preload, cli, "start"],
    {
      dataDir: folder.path,
      env: { SVC_LOG_LEVEL: "debug" },
    },
  );

  process.kill(server.processId, "SIGUSR2");
  await expect.poll(() => server.output).toContain("an old call");
  await server.stop();

  // Between the two stands what the operator reads of a first start, on standard output.
  const logged = server.output.replace(/Jackfield is ready.*docs\/quick-start[^\n]*\n/s, "");
  const lines = logged.split("\n").filter((line) => line !== "");
  expect(logged).toContain('"sandbox.isolation"');
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) expect(JSON.stringify(JSON.parse(line))).toBe(line);
  expect(lines.filter((line) => line.includes('"console.printed"'))).toHaveLength(2);
});
