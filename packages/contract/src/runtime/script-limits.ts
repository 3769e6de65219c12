/**
 * Limits of one script of an agent. Apart from the schemas: processes of functions and scripts know them, and have no
 * library of schemas in them.
 */
export const scriptLimits = {
  codeBytes: 64 * 1024,
  /** Of the JSON text of `input`, and of the arguments of one call. */
  inputBytes: 1024 * 1024,
  calls: 50,
  callsAtOnce: 8,
  logCharacters: 7200,
  seconds: 60,
  heapMb: 128,
} as const;
