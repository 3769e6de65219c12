/** One thing wrong with an author's code; lines and columns count from 1. */
export interface Diagnostic {
  readonly message: string;
  /** Relative to the project. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** The author's code cannot be used as it is. */
export class CompileError extends Error {
  override name = "CompileError";
  readonly diagnostics: readonly Diagnostic[];

  constructor(diagnostics: readonly Diagnostic[]) {
    super(diagnostics.map(formatDiagnostic).join("\n"));
    this.diagnostics = diagnostics;
  }
}

/** `crm/syncs/contacts.ts:3:8: message`, as editors and terminals link it. */
export function formatDiagnostic(diagnostic: Diagnostic): string {
  const { file, line, column, message } = diagnostic;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  return place === "" ? message : `${place}: ${message}`;
}
