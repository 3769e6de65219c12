import { dirname } from "node:path";
import { API, DiagnosticCategory, type Diagnostic as Finding } from "typescript/unstable/async";
import { findMistakes } from "../checks/check-authoring.ts";
import { bindFilesOf, openProject } from "../checks/program.ts";
import { placeOf, wordFinding } from "../checks/to-diagnostic.ts";
import type { Diagnostic } from "../diagnostic.ts";
import { findTypeChecker } from "./find-type-checker.ts";
import { createSentProject, SENT_CONFIG, SENT_FILE } from "./sent-project.ts";

const MAX_FOUND = 100;

/**
 * Errors of types in a text without a project, and the mistakes that `findMistakes` finds. `launcher` starts
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

function toDiagnostic(finding: Finding, text: string): Diagnostic {
  const message = wordFinding(finding);
  return finding.fileName === SENT_FILE ? { message, ...placeOf(finding, text) } : { message };
}
