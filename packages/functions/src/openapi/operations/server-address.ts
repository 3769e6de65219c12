import { cleanText } from "../clean-text.ts";
import type { OpenApiDocument } from "../document/openapi-document.ts";
import { Unsupported } from "../document/references.ts";
import { isJsonObject, listField, objectField, textField } from "../json.ts";
import type { Operation } from "./operation.ts";

/** A path that paths begin with, given in place of the document's own. */
export type BaseAddress = string | undefined;

/**
 * The path of the server's address, without a slash at its end. The host is the integration's to say: a document must
 * not lead a call with its credentials to another one.
 */
export function basePathOf(
  { root }: OpenApiDocument,
  { definition, pathItem }: Operation,
  base: BaseAddress,
): string {
  const main = listField(root, "servers").map(toAddress);
  const own = [definition, pathItem].map((from) => listField(from, "servers")).find(isGiven);
  const servers = own?.map(toAddress) ?? main;
  const known = new Set(main.map(({ origin }) => origin));
  const server = servers.find(({ origin }) => own === undefined || known.has(origin));
  if (server === undefined && own !== undefined) {
    const { origin } = servers[0] ?? { origin: "" };
    throw new Unsupported(`is at ${cleanText(origin, 100)}, not where the other operations are`);
  }
  return base ?? server?.path ?? "";
}

function isGiven(servers: readonly unknown[]): boolean {
  return servers.length > 0;
}

function toAddress(server: unknown): { origin: string; path: string } {
  const template = textField(server, "url") ?? "/";
  const variables = objectField(server, "variables");
  const url = template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = Object.hasOwn(variables ?? {}, name) ? variables?.[name] : undefined;
    return isJsonObject(variable) ? (textField(variable, "default") ?? "x") : "x";
  });
  const parsed = URL.parse(url, "http://relative.invalid");
  if (parsed === null) return { origin: "", path: "" };
  return { origin: parsed.origin, path: parsed.pathname.replace(/(?<!\/)\/+$/, "") };
}
