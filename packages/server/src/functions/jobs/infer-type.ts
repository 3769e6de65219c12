import { AppError } from "#platform";
import type { FunctionType } from "../deployed-function.ts";

const creators = { createSync: "sync", createAction: "action", createOnEvent: "on-event" } as const;

/** The kind of function that a text creates, by its calls; throws invalid_body when `wanted` is another one. */
export function inferType(code: string, wanted: FunctionType | undefined): FunctionType {
  // A comment without an end takes the rest, or each of many would be looked for to the end of the text.
  const text = code.replace(/\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))|^[ \t]*\/\/.*$/gm, "");
  const called = Object.entries(creators)
    .filter(([name]) => new RegExp(`\\b${name}\\s*[(<]`).test(text))
    .map(([, type]) => type);
  const types = [...new Set(called)];
  const [found = wanted] = types;
  if (found === undefined) {
    throw new AppError(
      "invalid_body",
      "code: calls none of createSync, createAction and createOnEvent; say `function_type` if it does so under another name.",
    );
  }
  if (wanted === undefined || types.length === 0 || types.includes(wanted)) return wanted ?? found;
  throw new AppError(
    "invalid_body",
    `function_type: is ${wanted}, but the code creates a function of type ${types.join(" and ")}.`,
  );
}
