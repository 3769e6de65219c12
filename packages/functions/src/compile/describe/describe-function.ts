import { compileFunction } from "node:vm";
import * as zod from "zod";
import * as authoring from "../../index.ts";
import { isAllowedBuiltIn, toBuiltIn } from "../built-ins.ts";
import {
  type DescribeSubject,
  describeDefinition,
  type FunctionDescription,
  toCompileError,
} from "./describe-definition.ts";

export type {
  ActionDescription,
  FunctionDescription,
  OnEventDescription,
  SyncDescription,
} from "./describe-definition.ts";

/** `code` is evaluated in this process, so it must be the author's own. */
export type DescribeOptions = DescribeSubject;

/** What a bundle defines, as plain data; throws a CompileError that says what is wrong with it. */
export function describeFunction(options: DescribeOptions): FunctionDescription {
  return describeDefinition(evaluate(options), options);
}

function evaluate(options: DescribeOptions): unknown {
  const { code, integrationId, functionName } = options;
  const module: { exports: unknown } = { exports: {} };
  try {
    const filename = `${integrationId}/${functionName}.js`;
    const run = compileFunction(code, ["exports", "require", "module"], { filename });
    Reflect.apply(run, module.exports, [module.exports, requireFromHost, module]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw toCompileError(options, [`the file throws when it is loaded: ${reason}`]);
  }
  const exported = module.exports;
  const isObject = typeof exported === "object" && exported !== null && "default" in exported;
  const value = isObject ? exported.default : undefined;
  if (typeof value === "object" && value !== null && "type" in value) return value;
  throw toCompileError(options, [
    "the default export must be the result of createSync, createAction or createOnEvent",
  ]);
}

/** What the process of a function has for bundles. */
function requireFromHost(name: string): unknown {
  if (name === "zod") return zod;
  if (name === "jackfield") return authoring;
  const builtIn = toBuiltIn(name);
  if (builtIn === undefined || !isAllowedBuiltIn(builtIn)) {
    throw new Error(`"${name}" is not available to functions`);
  }
  return process.getBuiltinModule(builtIn);
}
