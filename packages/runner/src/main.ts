/**
 * Entry of a function child: takes messages of the host on fd 3, loads one bundle and runs it.
 * Bundled into one file, which runs under Node's permission model with an empty environment.
 */
import { closeProcess } from "./close-process.ts";
import { createConsole } from "./console-log.ts";
import { Runner } from "./runner.ts";

// Enough for frames of the bundle below those of svc.
Error.stackTraceLimit = 30;

const onFailure = { uncaught: (_error: unknown) => {} };
process.on("uncaughtException", (error) => onFailure.uncaught(error));
process.on("unhandledRejection", (reason) => onFailure.uncaught(reason));

const sink = { write: (_level: "debug" | "info" | "warn" | "error", _message: string) => {} };
const access = closeProcess(createConsole((level, message) => sink.write(level, message)));
const runner = new Runner(access);
sink.write = (level, message) => runner.logConsole(level, message);
onFailure.uncaught = (error) => runner.failAll(error);
runner.start();
