/** The answer of a command called with `--json`: one value on standard output, and nothing else there. */
export function printJson(value: unknown): void {
  console.log(JSON.stringify(value, undefined, 2));
}
