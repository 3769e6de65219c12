import { isSpecType } from "@modelcontextprotocol/client";
import { RefusedCall } from "../../sources/refused-call.ts";
import { isDeeper } from "../definitions/clean-definition.ts";

const DEEPEST = 100;
const LONGEST_MESSAGE = 800;

/**
 * The result of another server as the output of a tool: JSON that it wrote as text as a value, so that a long one can be
 * read in pieces, else its content blocks. Throws a RefusedCall where the tool says that it failed.
 */
export function toOutput(result: unknown): Uint8Array {
  if (isDeeper(result, DEEPEST)) throw notOfProtocol();
  if (isSpecType.ReadResourceResult(result)) {
    return toBytes(result.contents.map((resource) => ({ type: "resource", resource })));
  }
  if (!isSpecType.CallToolResult(result)) throw notOfProtocol();
  const { content = [], structuredContent, isError } = result;
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (isError === true) {
    throw new RefusedCall({
      ...{
        code: "action_error",
        message: texts.join("\n").slice(0, LONGEST_MESSAGE) || "It failed.",
      },
      next: "Change the input if the message says how; otherwise report it to the user.",
    });
  }
  const [text] = texts;
  const value = content.length === 1 && text !== undefined ? readJson(text) : undefined;
  if (value !== undefined) return toBytes(value);
  if (content.length === 0 && structuredContent !== undefined) return toBytes(structuredContent);
  return toBytes(content);
}

/** Undefined for a text that is none, and for JSON that is no object or list. */
function readJson(text: string): unknown {
  const first = text.trimStart()[0];
  if (first !== "{" && first !== "[") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, DEEPEST) ? undefined : value;
  } catch {
    return undefined;
  }
}

function toBytes(value: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(value));
}

function notOfProtocol(): RefusedCall {
  return new RefusedCall({
    ...{ code: "provider_error", message: "The server's answer is not one of the protocol." },
    next: "It may have taken effect: look before you call again.",
  });
}
