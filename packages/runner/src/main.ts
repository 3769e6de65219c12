/**
 * Entry of a function child: takes messages of the host on fd 3, loads one bundle and runs it.
 * Bundled into one file, which runs under Node's permission model with an empty environment.
 */
import type { FetchInput } from "@jackfield/functions/runtime";
import { closeProcess } from "./close-process.ts";
import { createConsole } from "./console-log.ts";
import { Runner } from "./runner.ts";

// Enough for frames of the bundle below those of svc.
Error.stackTraceLimit = 30;

const onFailure = { uncaught: (_error: unknown) => {} };
process.on("uncaughtException", (error) => onFailure.uncaught(error));
process.on("unhandledRejection", (reason) => onFailure.uncaught(reason));

async function refuseFetch(_input: FetchInput, _init?: RequestInit): Promise<Response> {
  throw new TypeError("fetch failed: no function runs yet.");
}

const sink = { write: (_level: "debug" | "info" | "warn" | "error", _message: string) => {} };
const fetcher = { fetch: refuseFetch };
const access = closeProcess({
  console: createConsole((level, message) => sink.write(level, message)),
  fetch: (input: FetchInput, init?: RequestInit) => fetcher.fetch(input, init),
});
const runner = new Runner(access);
sink.write = (level, message) => runner.logConsole(level, message);
fetcher.fetch = async (input, init) => await runner.fetch(input, init);
onFailure.uncaught = (error) => runner.failAll(error);
runner.start();
