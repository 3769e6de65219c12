import * as z from "zod";

export const declared = z.looseObject({
  name: z.string(),
  effect: z.string(),
  summary: z.string(),
  typescript: z.string(),
});
export type Declared = z.output<typeof declared>;

/** A module of types: one interface with a method for each tool, under the names that agents call them by. */
export function toDeclarations(toolset: string, tools: readonly Declared[]): string {
  return [
    `// Tools of the toolset ${toolset}: \`jackfield tools --form ts --toolset ${toolset}\`.`,
    "",
    "export interface Tools {",
    ...tools.flatMap(({ name, effect, summary, typescript }) => [
      `  /** ${toComment(`${effect}: ${summary}`)} */`,
      `  ${JSON.stringify(name)}${typescript};`,
    ]),
    "}",
  ].join("\n");
}

// A description may be a stranger's text: it does not leave its comment.
function toComment(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ").trim();
  return line.replaceAll("*/", "* /");
}
