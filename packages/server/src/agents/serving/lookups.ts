import type { CallToolResult } from "@modelcontextprotocol/server";
import type * as z from "zod";
import type { EnvironmentContext } from "#foundation";
import type { JsonSchema, ShownTool } from "#functions";
import { PIECE_BYTES, takeFitting } from "#mcp";
import type { CatalogueTool } from "../catalogue/catalogue-tool.ts";
import { callSignatureOf, typescriptOf } from "../catalogue/signature.ts";
import { findSessionTool, mayCall, type ToolCatalogue } from "../catalogue/tool-catalogue.ts";
import { expressionOf } from "../code/tool-members.ts";
import type { Account } from "../sessions/accounts.ts";
import { type ServedSession, withinReach } from "../sessions/session.ts";
import { readTool } from "../sources/read-tool.ts";
import type { describeInput, findInput } from "./built-in-tools.ts";
import { runsCode } from "./mode.ts";

interface At {
  readonly session: ServedSession;
  readonly catalogue: ToolCatalogue;
  readonly listTools: () => readonly CatalogueTool[];
}

const SENTENCE = 120;
/** The rest is for the tool that lists accounts. */
const SHOWN_ACCOUNTS = 10;
const SHOWN_MISSING = 20;

/** The tools that fit a query best, in a few words each. */
export function answerFound(
  { session, catalogue, listTools }: At,
  accounts: readonly Account[],
  { query, integration, limit }: z.output<typeof findInput>,
): CallToolResult {
  const fits = (name: string) => {
    const tool = catalogue.tools.get(name);
    if (tool === undefined || !mayCall(withinReach(session), tool)) return false;
    return integration === undefined || tool.integration === integration;
  };
  const found = catalogue.search
    .find(query, { limit, fits })
    .flatMap((name) => catalogue.tools.get(name) ?? [])
    .map((tool) => ({
      ...{ name: tool.name, signature: tool.signature },
      ...(runsCode(session) ? { code: expressionOf(catalogue, tool) } : {}),
      ...(tool.summary === "" ? {} : { does: firstSentence(tool.summary) }),
      ...{ effect: tool.effect, ...presentAccounts(accounts, tool.integration) },
    }));
  if (found.length > 0) return toText({ tools: takeFitting(found, PIECE_BYTES) });
  const integrations = [...new Set(listTools().map((tool) => tool.integration))].slice(0, 50);
  return toText({
    tools: [],
    integrations,
    next: "Try other words, or one of these integrations.",
  });
}

/** The agent chooses only among several accounts. */
function presentAccounts(accounts: readonly Account[], integration: string) {
  const own = accounts.filter((each) => each.integration === integration);
  if (own.length === 0) return { connected: false };
  if (own.length === 1) return {};
  const more = own.length > SHOWN_ACCOUNTS ? { more_accounts: own.length - SHOWN_ACCOUNTS } : {};
  return { accounts: own.slice(0, SHOWN_ACCOUNTS).map(({ alias }) => alias), ...more };
}

function firstSentence(text: string): string {
  const [line = ""] = text.split("\n");
  const end = line.search(/\.(\s|$)/);
  const sentence = end === -1 ? line : line.slice(0, end);
  return sentence.length > SENTENCE ? `${sentence.slice(0, SENTENCE - 1)}…` : sentence;
}

/** Texts and schemas of tools, in full as far as they fit into one answer. */
export async function answerDescriptions(
  ctx: EnvironmentContext,
  { session, catalogue }: At,
  accounts: readonly Account[],
  { names, form }: z.output<typeof describeInput>,
): Promise<CallToolResult> {
  const described = await Promise.all(
    names.map(async (name) => {
      const tool = findSessionTool(catalogue, withinReach(session), name);
      const action = tool && (await readTool(ctx, tool));
      if (tool === undefined || action === undefined) return { name, error: "unknown_tool" };
      const of = { name, effect: tool.effect, ...presentAccounts(accounts, tool.integration) };
      const code = runsCode(session) ? expressionOf(catalogue, tool) : undefined;
      const present = (form: Form) => ({ ...presentSchemas(action, form, code) });
      const full = { ...of, description: action.description, ...present(form) };
      if (fitsOne(full)) return full;
      const typed = { ...of, description: tool.summary, ...present("typescript") };
      if (fitsOne(typed)) return typed;
      return { ...of, description: tool.summary, signature: tool.signature, cut: true };
    }),
  );
  const tools = takeFitting(described, PIECE_BYTES);
  const left = names.slice(tools.length);
  return toText({ tools, ...(left.length === 0 ? {} : { ask_again_for: left }) });
}

type Form = z.output<typeof describeInput>["form"];

/** `code` is how a script writes the tool, where the session runs some. */
function presentSchemas(
  { inputSchema, outputSchema }: Pick<ShownTool, "inputSchema" | "outputSchema">,
  form: Form,
  code: string | undefined,
) {
  if (form === "typescript" && code !== undefined) {
    return { typescript: code + callSignatureOf(inputSchema, outputSchema) };
  }
  const present = (schema: JsonSchema) => (form === "schema" ? schema : typescriptOf(schema));
  return {
    input: present(inputSchema),
    ...(outputSchema === undefined ? {} : { output: present(outputSchema) }),
  };
}

/** Whether it fits into an answer by itself. */
function fitsOne(value: unknown): boolean {
  return takeFitting([value], PIECE_BYTES).length === 1;
}

/** Which accounts there are, and which integrations have none. */
export function answerAccounts(
  tools: readonly CatalogueTool[],
  accounts: readonly Account[],
): CallToolResult {
  const connected = new Set(accounts.map(({ integration }) => integration));
  const wanted = new Set(tools.map(({ integration }) => integration));
  const missing = [...wanted].filter((key) => !connected.has(key)).slice(0, SHOWN_MISSING);
  const shown = accounts.map(({ integration, alias, identity, state, connection }) => ({
    ...{ integration, account: alias, state },
    ...(identity === undefined || identity === alias ? {} : { identity }),
    ...(connection.account === undefined ? {} : { at_provider: connection.account }),
  }));
  const room = PIECE_BYTES - Buffer.byteLength(JSON.stringify(missing));
  const fitting = takeFitting(shown, room);
  const more = fitting.length < shown.length ? { more: shown.length - fitting.length } : {};
  return toText({ accounts: fitting, missing, ...more });
}

function toText(value: unknown): CallToolResult {
  return { content: [{ type: "text", text: JSON.stringify(value) }] };
}
