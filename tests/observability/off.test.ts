import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const server = new URL("../../packages/server/src/", import.meta.url);

/** Starts telemetry in a process of its own with these settings; answers which of OpenTelemetry's packages it loaded. */
async function listLoaded(env: Record<string, string>): Promise<string[]> {
  const program = `
    import { registerHooks } from "node:module";
    const loaded = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier.startsWith("@opentelemetry/")) loaded.add(specifier);
        return next(specifier, context);
      },
    });
    const { readConfig } = await import("${server}index.ts");
    const { startTelemetry } = await import("${server}foundation/telemetry/index.ts");
    const { createLogger } = await import("${server}foundation/index.ts");
    const { config } = readConfig(process.env);
    const options = { settings: config.telemetry, version: "0", log: createLogger("silent") };
    const telemetry = await startTelemetry(options);
    await telemetry[Symbol.asyncDispose]();
    console.log(JSON.stringify([...loaded]));`;
  const args = ["--conditions=jackfield-source", "--input-type=module", "-e", program];
  const { stdout } = await run(process.execPath, args, { env, cwd: fileURLToPath(server) });
  return JSON.parse(stdout);
}

test("nothing of OpenTelemetry is loaded unless it is asked for", async () => {
  const off = await listLoaded({ OTEL_SERVICE_NAME: "named" });
  const disabled = await listLoaded({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    OTEL_SDK_DISABLED: "true",
  });
  const metrics = await listLoaded({ SVC_METRICS_PORT: "0" });

  expect([off, disabled]).toEqual([[], []]);
  expect(metrics).toContain("@opentelemetry/sdk-metrics");
  expect(metrics).not.toContain("@opentelemetry/sdk-trace");
});
