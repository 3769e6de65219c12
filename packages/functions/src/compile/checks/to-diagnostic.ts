import type { Diagnostic as Finding } from "typescript/unstable/async";
import type { Diagnostic } from "../diagnostic.ts";

/** Worded as the compiler prints it: `TS2322: …`, with the reasons in lines below. */
export function wordFinding(finding: Finding): string {
  return `TS${finding.code}: ${[finding.text, ...explain(finding, "  ")].join("\n")}`;
}

/** Where in its file's text a finding begins. */
export function placeOf(finding: Finding, text: string): Pick<Diagnostic, "line" | "column"> {
  const before = text.slice(0, finding.pos).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function explain({ messageChain = [] }: Finding, indent: string): string[] {
  return messageChain.flatMap((link) => [indent + link.text, ...explain(link, `${indent}  `)]);
}
