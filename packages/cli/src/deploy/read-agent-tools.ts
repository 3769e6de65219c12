import { agentRoutes } from "@jackfield/contract";
import * as z from "zod";
import { callPlatform, type Platform } from "./call-platform.ts";

const tool = z.looseObject({
  ...{ name: z.string(), integration: z.string(), action: z.string() },
  // Servers of releases before this one list actions alone.
  source: z.string().default("action"),
  effect: z.string().optional(),
  tokens: z.number(),
  warnings: z.array(z.string()),
});

const page = z.looseObject({
  data: z.array(tool),
  left_out: z.array(
    z.looseObject({ integration: z.string(), action: z.string(), reason: z.string() }),
  ),
  tokens: z.number(),
  total: z.number().optional(),
  next_cursor: z.string().nullable().default(null),
});

export type AgentTool = z.output<typeof tool>;

/** Pages of `GET /agent/tools` in one. */
export interface AgentTools {
  data: AgentTool[];
  left_out: z.output<typeof page>["left_out"];
  /** Of all tools, also of those that were not read. */
  tokens: number;
  total: number;
}

/** The tools of the environment, page after page up to the first for which `until` holds; throws UserError. */
export async function readAgentTools(
  platform: Platform,
  { until = () => false }: { until?: (tool: AgentTool) => boolean } = {},
): Promise<AgentTools> {
  const { path } = agentRoutes.listAgentTools;
  const call = { method: "GET", path, answer: page } as const;
  const {
    data,
    left_out,
    tokens,
    total = data.length,
    next_cursor,
  } = await callPlatform(platform, call);
  let cursor = next_cursor;
  while (cursor !== null && !data.some(until)) {
    const next: z.output<typeof page> = await callPlatform(platform, {
      ...call,
      query: { cursor },
    });
    data.push(...next.data);
    cursor = next.next_cursor;
  }
  return { data, left_out, tokens, total };
}
