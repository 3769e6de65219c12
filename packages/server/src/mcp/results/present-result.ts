import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";
import { type EnvironmentContext, messageOf } from "#foundation";
import { bytesOfTokens, estimateTextTokens } from "#functions";
import { addressOf, linkTo, splitBinaries, textOf, toBlocks } from "./content.ts";
import { findMainList, takeFitting } from "./cut-result.ts";
import { describeShape } from "./describe-shape.ts";
import { type ResultOwner, storeResult } from "./tool-results.ts";

/** Tokens of a result that are handed over at once; more is stored and read piece by piece. */
const RESULT_TOKENS = 4000;
const FIRST_TOKENS = 1500;
const TEXT_START = 2000;

interface Wanted {
  readonly owner: ResultOwner;
  /** Whether the result also goes out as a value, for tools that say what they answer. */
  readonly isStructured: boolean;
  readonly readerName: string;
  /** Whether the author says that the output is a list of content blocks. */
  readonly isContent?: boolean;
}

/**
 * The output of an action for a model: compact, and above the limit its start with a handle for the rest. It never
 * fails for its size, since what the action did is done.
 */
export async function presentResult(
  ctx: EnvironmentContext,
  output: Uint8Array,
  wanted: Wanted,
): Promise<CallToolResult> {
  const value: unknown = JSON.parse(Buffer.from(output).toString());
  const blocks = wanted.isContent === true ? toBlocks(value) : undefined;
  if (blocks !== undefined) return await presentBlocks(ctx, blocks, wanted);
  const text = JSON.stringify(value);
  if (fitsResult(text)) return toResult(value, wanted);
  const handle = await store(ctx, wanted.owner, text);
  return toResult(shortenResult(value, moreOf(handle, wanted)), wanted);
}

/** Blocks as the author gave them; of long texts the start, and of long binaries the address. */
async function presentBlocks(
  ctx: EnvironmentContext,
  blocks: readonly ContentBlock[],
  wanted: Wanted,
): Promise<CallToolResult> {
  const split = splitBinaries(blocks);
  const texts = blocks.map(textOf);
  const isLong = !fitsResult(texts.join(""));
  if (!isLong && split.every((each) => !each.isLong)) return { content: [...blocks] };
  const handle = await store(ctx, wanted.owner, JSON.stringify(blocks));
  const kept = split.flatMap(({ block, index, isLong: isLongBinary }) => {
    if (isLongBinary) {
      const uri = handle === undefined ? undefined : addressOf(handle, index);
      return uri === undefined ? [] : [linkTo(block, uri)];
    }
    return isLong && textOf(block) !== "" ? [] : [block];
  });
  if (!isLong) return { content: kept.length > 0 ? kept : [{ type: "text", text: LEFT_OUT }] };
  const start = shortenResult(
    blocks.map((block) => ({ type: block.type, text: textOf(block) })),
    moreOf(handle, wanted),
  );
  return { content: [{ type: "text", text: JSON.stringify(start) }, ...kept] };
}

const LEFT_OUT = "The result is too long to be shown, and could not be stored.";

function toResult(value: unknown, { isStructured }: Pick<Wanted, "isStructured">): CallToolResult {
  const content = [{ type: "text" as const, text: JSON.stringify(value) }];
  return isStructured && isObject(value) ? { content, structuredContent: value } : { content };
}

interface More {
  /** Left out where the rest cannot be read by one. */
  readonly handle?: string | undefined;
  /** How to get at the rest, in words. */
  readonly more: string;
}

function moreOf(handle: string | undefined, { readerName }: Pick<Wanted, "readerName">): More {
  const more =
    handle === undefined
      ? "The rest could not be stored. Do not call again if the call changed something; ask for less otherwise."
      : `The whole result is stored for an hour: call ${readerName} with this handle.`;
  return { handle, more };
}

/** The start of a long result and how to read the rest, within the limit for any value. */
export function shortenResult(value: unknown, { handle, more }: More) {
  const text = JSON.stringify(value);
  const list = findMainList(value);
  const items = list === undefined ? {} : { items: list.items.length };
  const first =
    list === undefined
      ? { start: text.slice(0, TEXT_START) }
      : { path: list.path, first: takeFitting(list.items, bytesOfTokens(FIRST_TOKENS)) };
  return {
    ...(handle === undefined ? {} : { handle }),
    total: { ...items, tokens: estimateTextTokens(text) },
    type: describeShape(value),
    ...first,
    more,
  };
}

/** Undefined where it could not be stored: the call has happened, and its answer may not fail for that. */
async function store(
  ctx: EnvironmentContext,
  owner: ResultOwner,
  text: string,
): Promise<string | undefined> {
  try {
    return await storeResult(ctx, owner, Buffer.from(text));
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    ctx.log.warn("mcp.result_not_stored", { reason: messageOf(error) });
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a tool answers in place of an output above the limit. */
export const handleSchema = {
  type: "object",
  properties: {
    handle: { type: "string" },
    total: { type: "object" },
    type: { type: "string" },
    more: { type: "string" },
  },
  required: ["total", "type", "more"],
} as const;

/** A piece that a model asked for, within the limit. */
export function fitsResult(text: string): boolean {
  return Buffer.byteLength(text) <= bytesOfTokens(RESULT_TOKENS);
}

export const PIECE_BYTES = bytesOfTokens(RESULT_TOKENS - 200);
