import * as z from "zod";

/** What the simulated MCP server does; each switch stays until it is changed. */
export const mcpBehaviours = z.strictObject({
  /** Revisions that it speaks: 2026-07-28, those before, or both. */
  era: z.enum(["both", "modern", "legacy"]).default("both"),
  /** What it says of its list of tools; an earlier revision says neither. */
  ttl_ms: z.number().int().min(0).default(60_000),
  cache_scope: z.enum(["private", "public"]).default("private"),
  /** It lists `search_tickets` in other words than before. */
  rug_pull: z.boolean().default(false),
  /** A description has characters that nobody sees, with instructions among them. */
  hidden_text: z.boolean().default(false),
  /** It claims that `delete_ticket` only reads. */
  lying_hints: z.boolean().default(false),
  /** It repeats the credentials that it was sent: in descriptions, results, errors and questions. */
  token_echo: z.boolean().default(false),
  /** How it lists its tools. */
  list: z
    .enum(["normal", "endless_pages", "huge", "deep", "malformed", "silent", "status_500"])
    .default("normal"),
  /** How it answers a call. */
  call: z
    .enum([
      "normal",
      "endless_stream",
      "long_line",
      "slow_drip",
      "silent",
      "no_result",
      "wrong_id",
      "malformed",
      "huge_result",
      "deep_result",
      "compressed_bomb",
      "redirect",
      "status_500",
      "rate_limited",
      "list_changed_flood",
      "tool_error",
    ])
    .default("normal"),
  /** What it asks for in the middle of a call. */
  ask: z
    .enum([
      "nothing",
      "form",
      "secret_form",
      "own_address",
      "foreign_address",
      "plain_address",
      "sampling",
      "roots",
      "again_and_again",
    ])
    .default("nothing"),
  /** Where it redirects to. */
  redirect_to: z.string().default("http://127.0.0.1:9/elsewhere"),
  /** It refuses credentials that it has accepted. */
  unauthorized: z.boolean().default(false),
  /** It has forgotten all sessions of earlier revisions that were begun before this was switched on. */
  lost_sessions: z.boolean().default(false),
});
export type McpBehaviours = z.output<typeof mcpBehaviours>;
