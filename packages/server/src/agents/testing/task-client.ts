import type { Answer } from "./careful-app.ts";

const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** A client of revision 2026-07-28 that follows calls as tasks; `declared` takes the place of its capabilities. */
export interface TaskClient {
  readonly sessionId: string;
  readonly token: string;
  call(tool: string, args: object, declared?: object, more?: object): Promise<Answer>;
  get(taskId: string, declared?: object): Promise<Answer>;
  update(taskId: string, inputResponses: object): Promise<Answer>;
  cancel(taskId: string): Promise<Answer>;
  send(method: string, params: object, declared?: object): Promise<Answer>;
}

/** Speaks for the session at `/mcp/helper` and its tools of the integration `crm`. */
export function followTasks(
  url: string | (() => string),
  { id, token }: { readonly id: string; readonly token: string },
  capabilities: object = {},
): TaskClient {
  const send: TaskClient["send"] = async (
    method,
    params,
    declared = { ...TASKS, ...capabilities },
  ) => {
    const { name, taskId, uri } = Object(params);
    const named = name ?? taskId ?? uri;
    const response = await fetch(new URL("/mcp/helper", typeof url === "string" ? url : url()), {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...{ accept: "application/json, text/event-stream", "mcp-method": method },
        ...{ "mcp-protocol-version": "2026-07-28", ...(named ? { "mcp-name": named } : {}) },
      },
      body: JSON.stringify({
        ...{ jsonrpc: "2.0", id: 1, method },
        params: {
          ...params,
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "tasks", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": declared,
          },
        },
      }),
    });
    const text = await response.text();
    return JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? text);
  };
  return {
    ...{ sessionId: id, token, send },
    call: async (tool, args, declared, more = {}) =>
      await send("tools/call", { name: `crm__${tool}`, arguments: args, ...more }, declared),
    get: async (taskId, declared) => await send("tasks/get", { taskId }, declared),
    update: async (taskId, inputResponses) =>
      await send("tasks/update", { taskId, inputResponses }),
    cancel: async (taskId) => await send("tasks/cancel", { taskId }),
  };
}
