import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const project = fileURLToPath(new URL("functions/", import.meta.url));
const cli = fileURLToPath(new URL("../../packages/cli/bin/jackfield.js", import.meta.url));

export type Call = (
  method: string,
  path: string,
  body?: object,
  headers?: Record<string, string>,
) => Promise<unknown>;

/** Calls that throw for every status but 2xx. */
export function callerOf(url: string, key: string): Call {
  return async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    const text = await response.text();
    return text === "" ? undefined : JSON.parse(text);
  };
}

/** Integration and connection `bench`, and the functions of the folder `functions`. */
export async function deployBenchProject(url: string, key: string): Promise<Call> {
  const call = callerOf(url, key);
  await call("POST", "/integrations", { provider: "unauthenticated", unique_key: "bench" });
  await promisify(execFile)(process.execPath, [cli, "deploy", "dev", "--auto-confirm"], {
    cwd: project,
    env: { SVC_HOSTPORT: url, SVC_SECRET_KEY_DEV: key },
  });
  await call("POST", "/connections", {
    provider_config_key: "bench",
    connection_id: "bench",
    credentials: { type: "NONE" },
  });
  return call;
}
