import type {
  BlobResourceContents,
  ReadResourceResult,
  TextResourceContents,
} from "@modelcontextprotocol/server";
import type { ShownTool } from "#functions";
import { dataOf, mimeTypeOf, readAddress, textOf, toBlocks } from "../results/content.ts";

/** An action that is a resource, too. */
export interface ResourceAction {
  readonly name: string;
  readonly tool: ShownTool;
}

const VARIABLE = /\{(\w{1,100})\}/g;
const LONGEST_VALUE = 1000;

export function isResource({ hints }: ShownTool): boolean {
  return hints.resource !== undefined && hints.effect === "read";
}

/** As resources/list shows those of a fixed address. */
export function describeResources(actions: readonly ResourceAction[]) {
  return actions.flatMap(({ name, tool }) => {
    const uri = addressOf(tool);
    return uri === undefined || uri.includes("{") ? [] : [{ uri, ...describe(name, tool) }];
  });
}

/** As resources/templates/list shows those whose address has variables. */
export function describeTemplates(actions: readonly ResourceAction[]) {
  return actions.flatMap(({ name, tool }) => {
    const uriTemplate = addressOf(tool);
    return uriTemplate?.includes("{") === true ? [{ uriTemplate, ...describe(name, tool) }] : [];
  });
}

function addressOf({ hints }: ShownTool): string | undefined {
  return hints.resource?.uri;
}

function describe(name: string, { hints, description }: ShownTool) {
  const mimeType = hints.resource?.mimeType;
  return {
    name,
    ...(hints.title === undefined ? {} : { title: hints.title }),
    ...(description === "" ? {} : { description }),
    ...(mimeType === undefined ? {} : { mimeType }),
  };
}

/** The action that answers for an address, with the arguments that are in it; one of a fixed address comes first. */
export function findResource<Action extends ResourceAction>(
  actions: readonly Action[],
  uri: string,
): { readonly action: Action; readonly args: Readonly<Record<string, unknown>> } | undefined {
  const ranked = actions.toSorted((a, b) => variablesOf(a) - variablesOf(b));
  for (const action of ranked) {
    const args = readArguments(action, uri);
    if (args !== undefined) return { action, args };
  }
  return undefined;
}

function variablesOf({ tool }: ResourceAction): number {
  return [...(addressOf(tool) ?? "").matchAll(VARIABLE)].length;
}

function readArguments({ tool }: ResourceAction, uri: string) {
  const template = addressOf(tool);
  if (template === undefined) return undefined;
  const texts = readTexts(template, uri);
  if (texts === undefined) return undefined;
  const names = [...template.matchAll(VARIABLE)].map(([, name = ""]) => name);
  const values = names.map((name, index) => readValue(tool, name, texts[index] ?? ""));
  if (values.some((value) => value === undefined)) return undefined;
  return Object.fromEntries(names.map((name, index) => [name, values[index]]));
}

/** What is in the place of each variable, still encoded; undefined for an address of another form. */
function readTexts(template: string, uri: string): string[] | undefined {
  const [first = "", ...literals] = template.split(/\{\w{1,100}\}/);
  if (literals.length === 0) return uri === template ? [] : undefined;
  if (!uri.startsWith(first)) return undefined;
  const texts: string[] = [];
  let at = first.length;
  for (const [index, literal] of literals.entries()) {
    const isLast = index === literals.length - 1;
    const end = isLast ? uri.length - literal.length : uri.indexOf(literal, at);
    if (end <= at || !uri.startsWith(literal, end)) return undefined;
    const text = uri.slice(at, end);
    if (/[/?#]/.test(text)) return undefined;
    texts.push(text);
    at = end + literal.length;
  }
  return texts;
}

/** A number where the action's input has one; undefined for what cannot be one, and for what is not encoded right. */
function readValue({ inputSchema }: ShownTool, name: string, text: string): unknown {
  if (text.length > LONGEST_VALUE) return undefined;
  let value: string;
  try {
    value = decodeURIComponent(text);
  } catch {
    return undefined;
  }
  const type = Object(Object(inputSchema["properties"])[name]).type;
  if (type !== "number" && type !== "integer") return value;
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : undefined;
}

/** The output of the action as the contents of its resource. */
export function toContents(
  { tool }: ResourceAction,
  uri: string,
  output: unknown,
): ReadResourceResult {
  const { resource, output: form } = tool.hints;
  const mimeType = resource?.mimeType;
  const blocks = form === "content" ? toBlocks(output) : undefined;
  if (blocks !== undefined) {
    return {
      contents: blocks.map((block) => toPart(uri, mimeTypeOf(block) ?? mimeType, block)),
    };
  }
  const isText = typeof output === "string";
  const text = isText ? output : JSON.stringify(output);
  const usual = isText ? "text/plain" : "application/json";
  return { contents: [{ uri, mimeType: mimeType ?? usual, text }] };
}

function toPart(
  uri: string,
  mimeType: string | undefined,
  block: NonNullable<ReturnType<typeof toBlocks>>[number],
): TextResourceContents | BlobResourceContents {
  const blob = dataOf(block);
  if (blob !== undefined) return { uri, ...(mimeType && { mimeType }), blob };
  return { uri, mimeType: mimeType ?? "text/plain", text: textOf(block) };
}

/** A block of a stored result, at the address that its tool's answer has given. */
export async function readStoredBlock(
  uri: string,
  find: (handle: string) => Promise<unknown>,
): Promise<ReadResourceResult | undefined> {
  const address = readAddress(uri);
  const stored = address && toBlocks(await find(address.handle));
  const block = address && stored?.[address.index];
  return block && { contents: [toPart(uri, mimeTypeOf(block), block)] };
}
