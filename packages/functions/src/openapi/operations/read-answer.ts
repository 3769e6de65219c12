import type { OpenApiDocument } from "../document/openapi-document.ts";
import { follow } from "../document/references.ts";
import { type JsonObject, objectField } from "../json.ts";
import type { Operation } from "./operation.ts";
import { isMediaType, kindOf } from "./read-body.ts";

export interface Answer {
  readonly kind: "json" | "text" | "bytes" | "headers" | "nothing" | "unknown";
  readonly schema: JsonObject;
  /** What `accept` asks for, where it is not `application/json`. */
  readonly accept: string | undefined;
  /** Some calls succeed without an answer. */
  readonly mayBeEmpty: boolean;
}

/** What a call that succeeds is answered with: the first answer of JSON, else the first of anything. */
export function readAnswer(document: OpenApiDocument, { method, definition }: Operation): Answer {
  const none = { schema: {}, accept: undefined, mayBeEmpty: false };
  if (method === "head") return { ...none, kind: "headers" };
  const responses = objectField(definition, "responses") ?? {};
  const statuses = Object.keys(responses).filter((status) => /^2(\d\d|XX)$/i.test(status));
  const answers = statuses.toSorted().map((status) => {
    const content = objectField(follow(document, responses[status]), "content") ?? {};
    return Object.entries(content)
      .filter(([type]) => isMediaType(type))
      .map(([type, media]) => ({ type, media: follow(document, media) }));
  });
  const all = answers.flat();
  const best = all.find(({ type }) => kindOf(type) === "json") ?? all[0];
  if (best === undefined) {
    const isEmpty = statuses.length > 0 && statuses.every((status) => /^20[45]$/.test(status));
    return { ...none, kind: isEmpty ? "nothing" : "unknown" };
  }
  const kind = kindOf(best.type);
  return {
    kind: kind === "json" || kind === "text" ? kind : "bytes",
    schema: objectField(best.media, "schema") ?? {},
    accept: isPlainJson(best.type) || best.type.includes("*") ? undefined : best.type,
    mayBeEmpty: answers.some((content) => content.length === 0),
  };
}

function isPlainJson(type: string): boolean {
  return /^application\/json\b/i.test(type);
}
