// Set-up of every test file (promise A4): what its processes print and leave, and the secrets that travel
// through it, are kept for `search-run.ts`, which searches everything at the end of the run.
import { basename } from "node:path";
import { expect, inject } from "vitest";
import { watchProcess } from "./watch-process.ts";

watchProcess({
  folder: inject("testRun").folder,
  file: basename(expect.getState().testPath ?? "unknown"),
});
