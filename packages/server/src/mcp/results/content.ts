import { type CallToolResult, type ContentBlock, isSpecType } from "@modelcontextprotocol/server";

/** Of one result; more is no answer for a model. */
const MOST_BLOCKS = 100;
/** Base64 of images, sounds and files that a result has in it; the rest is read by address. */
const BINARY_CHARACTERS = 1024 * 1024;

/** The blocks that an action gave as its output; undefined for an output that is none. */
export function toBlocks(value: unknown): ContentBlock[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MOST_BLOCKS) return undefined;
  const blocks: unknown[] = value;
  return blocks.every((block) => isSpecType.ContentBlock(block)) ? blocks : undefined;
}

/** What of the blocks a model reads as text. */
export function textOf(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource" && "text" in block.resource) return block.resource.text;
  return "";
}

/** The blocks that are no text, and the places of those that are too long to be in the result. */
export function splitBinaries(blocks: readonly ContentBlock[]) {
  let left = BINARY_CHARACTERS;
  return blocks.map((block, index) => {
    const data = dataOf(block);
    if (data === undefined) return { block, index, isLong: false };
    const isLong = data.length > left;
    if (!isLong) left -= data.length;
    return { block, index, isLong };
  });
}

/** Base64 of what is no text; undefined for text. */
export function dataOf(block: ContentBlock): string | undefined {
  if (block.type === "image" || block.type === "audio") return block.data;
  return block.type === "resource" && "blob" in block.resource ? block.resource.blob : undefined;
}

export function mimeTypeOf(block: ContentBlock): string | undefined {
  if (block.type === "image" || block.type === "audio") return block.mimeType;
  return block.type === "resource" ? block.resource.mimeType : undefined;
}

/** Where a stored block is read. */
export function addressOf(handle: string, index: number): string {
  return `${RESULTS}${handle}/${index}`;
}

const RESULTS = "jackfield://results/";

export function readAddress(uri: string): { handle: string; index: number } | undefined {
  const [, handle, index] =
    /^jackfield:\/\/results\/(res_[0-9a-f-]{36})\/(\d{1,3})$/.exec(uri) ?? [];
  return handle === undefined ? undefined : { handle, index: Number(index) };
}

export function linkTo(block: ContentBlock, uri: string): CallToolResult["content"][number] {
  const mimeType = mimeTypeOf(block);
  return {
    ...{ type: "resource_link", uri, name: `${block.type} of the result` },
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}
