let isPrinted = false;

/** Another command line begins in this process. */
export function beginJson(): void {
  isPrinted = false;
}

/** The answer of a command called with `--json`: one value on standard output, and nothing else there. */
export function printJson(value: unknown): void {
  isPrinted = true;
  console.log(JSON.stringify(value, undefined, 2));
}

/** The answer of a command that failed before it had one. */
export function printJsonFailure(error: { message: string; exit_code: number }): void {
  if (!isPrinted) printJson({ error });
}
