import { DocumentError, messageOf } from "./document-error.ts";

/** JSON, or YAML 1.2; `name` is what errors call it. */
export async function parseText(text: string, name: string): Promise<unknown> {
  const content = text.replace(/^\uFEFF/, "");
  try {
    if (/^\s*[{[]/.test(content)) return JSON.parse(content);
  } catch {
    // A flow mapping of YAML begins like JSON.
  }
  const { load } = await import("js-yaml");
  try {
    return load(content);
  } catch (error) {
    throw new DocumentError(`${name} is neither JSON nor YAML: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
