import { dirname } from "node:path";
import { API, DiagnosticCategory, type Diagnostic as Finding } from "typescript/unstable/async";
import { findMistakes } from "../checks/check-authoring.ts";
import { bindFilesOf, openProject } from "../checks/program.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { findTypeChecker } from "./find-type-checker.ts";
import { createSentProject, SENT_CONFIG, SENT_FILE } from "./sent-project.ts";

const MAX_FOUND = 100;

/**
 * Errors of types in a text without a project, and the mistakes that `checkAuthoring` finds. `launcher` starts
 * TypeScript's program; when it ends before it has answered, this never settles.
 */
export async function checkSentSource(text: string, launcher?: string): Promise<Diagnostic[]> {
  const program = findTypeChecker();
  if (program === undefined) throw new Error("TypeScript is not installed for this machine");
  const fs = createSentProject(text, dirname(program));
  const api = new API({ cwd: "/", tsserverPath: launcher ?? program, fs });
  try {
    const project = await openProject(api, SENT_CONFIG);
    if (project === undefined) throw new Error("TypeScript opened no project");
    const found = [
      ...(await project.program.getProgramDiagnostics()),
      ...(await project.program.getSyntacticDiagnostics(SENT_FILE)),
      ...(await project.program.getSemanticDiagnostics(SENT_FILE)),
    ].filter(({ category }) => category === DiagnosticCategory.Error);
    const bound = await bindFilesOf(project, "", [SENT_FILE.slice(1)]);
    const mistakes = findMistakes(bound).errors.map(({ file: _, ...mistake }) => mistake);
    return [...found.map((finding) => toDiagnostic(finding, text)), ...mistakes].slice(
      0,
      MAX_FOUND,
    );
  } finally {
    await api.close();
  }
}

/** Worded as the compiler prints it, and as `checkTypes` reads it. */
function toDiagnostic(finding: Finding, text: string): Diagnostic {
  const message = `TS${finding.code}: ${[finding.text, ...explain(finding, "  ")].join("\n")}`;
  if (finding.fileName !== SENT_FILE) return { message };
  const before = text.slice(0, finding.pos).split(/\r\n|\n|\r/);
  return { message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

function explain({ messageChain = [] }: Finding, indent: string): string[] {
  return messageChain.flatMap((link) => [indent + link.text, ...explain(link, `${indent}  `)]);
}
