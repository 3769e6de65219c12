/** Where each client looks in a project: what `jackfield mcp add` writes. */
export const clientFiles = {
  "claude-code": { path: ".mcp.json", key: "mcpServers", type: { type: "http" } },
  cursor: { path: ".cursor/mcp.json", key: "mcpServers", type: {} },
  vscode: { path: ".vscode/mcp.json", key: "servers", type: { type: "http" } },
} as const;

export type ClientName = keyof typeof clientFiles;

export const clientNames = ["claude-code", "cursor", "vscode"] as const satisfies ClientName[];

/** The client's file with one server. */
export function fileOf(
  client: ClientName,
  { name, url, token }: { readonly name: string; readonly url: string; readonly token: string },
): string {
  const { key, type } = clientFiles[client];
  const server = { ...type, url, headers: { Authorization: `Bearer ${token}` } };
  return JSON.stringify({ [key]: { [name]: server } }, undefined, 2);
}
