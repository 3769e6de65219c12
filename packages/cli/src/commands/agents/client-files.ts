import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { messageOf, UserError } from "../../user-error.ts";

export interface McpServer {
  readonly client: ClientName;
  readonly name: string;
  readonly url: string;
  readonly token: string;
}

/** Where each client looks in a project, and under which key its servers stand. */
const files = {
  "claude-code": { path: ".mcp.json", key: "mcpServers", type: { type: "http" } },
  cursor: { path: ".cursor/mcp.json", key: "mcpServers", type: {} },
  vscode: { path: ".vscode/mcp.json", key: "servers", type: { type: "http" } },
} as const;

export type ClientName = keyof typeof files;

export const clientNames = Object.keys(files);

/** Writes the server into the client's file in the folder, next to what is there; resolves to the file's path. */
export async function addServer(
  folder: string,
  { client, name, url, token }: McpServer,
): Promise<string> {
  const { path, key, type } = files[client];
  const file = join(folder, path);
  const known = await read(file);
  const servers = { ...Object(known[key]) };
  servers[name] = { ...type, url, headers: { Authorization: `Bearer ${token}` } };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify({ ...known, [key]: servers }, null, 2)}\n`, {
    mode: 0o600,
  });
  // The mode above is that of a new file only.
  await chmod(file, 0o600);
  return path;
}

async function read(file: string): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if (Object(error).code === "ENOENT") return {};
    throw new UserError(`${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // The error below says so.
  }
  throw new UserError(`${file} is no JSON object, so it stays as it is; add the server by hand.`);
}
