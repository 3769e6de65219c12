import { compileFunction } from "node:vm";
import { ActionError, createAction, createOnEvent, createSync } from "@jackfield/functions";

export interface HostZod {
  /** CommonJS text of zod without its languages, which it asks for with `require`. */
  readonly code: string;
  /** CommonJS text of the languages. */
  readonly locales: string;
  readonly localeNames: readonly string[];
}

type Evaluate = ReturnType<typeof compileFunction>;

/** Put in place when the runner is bundled. */
declare const HOST_ZOD: HostZod;

const ZOD_NAMES = /^zod(?:\/v4)?$/;
const AUTHORING_NAMES = /^(?:jackfield|@jackfield\/functions)$/;
const REQUIRES_ZOD = /\brequire\(["']zod(?:\/v4)?["']\)/;
/** All that zod's functions can be asked for by others is theirs alone, since their code is strict. */
const STRICT = '"use strict";';

const authoring = { ActionError, createAction, createOnEvent, createSync };

const compiled: { zod?: Evaluate; locales?: Evaluate } = {};

/** Whether a bundle gets zod from here. */
export function requiresZod(code: string): boolean {
  return REQUIRES_ZOD.test(code);
}

/** Does ahead, while nobody waits, what every process needs for its first bundle. */
export function prepareHostModules(): void {
  compileZod();
}

/** Text of zod, and the function of which each call makes new instances of its modules. */
export function compileZod(): { code: string; evaluate: Evaluate } {
  compiled.zod ??= compileModule(HOST_ZOD.code, "zod.js");
  return { code: HOST_ZOD.code, evaluate: compiled.zod };
}

/**
 * The packages that bundles leave to the runner. Each call of the outer function starts with no instance: what the
 * code of one connection changes in zod's objects ends with its modules, as it does for code that was bundled.
 */
export function createHostModules(): (name: string) => unknown {
  let zod: unknown;
  return (name) => {
    if (AUTHORING_NAMES.test(name)) return authoring;
    if (!ZOD_NAMES.test(name)) return undefined;
    zod ??= evaluate(compileZod().evaluate, readLocales);
    return zod;
  };
}

/** An object of the languages by name; their text is compiled when the first is asked for. */
function readLocales(): object {
  let all: object | undefined;
  const found = {};
  for (const name of HOST_ZOD.localeNames) {
    Object.defineProperty(found, name, {
      enumerable: true,
      configurable: true,
      get: (): unknown => {
        compiled.locales ??= compileModule(HOST_ZOD.locales, "zod-locales.js");
        all ??= evaluate(compiled.locales, refuse);
        return Reflect.get(all, name);
      },
    });
  }
  return found;
}

function compileModule(code: string, filename: string): Evaluate {
  return compileFunction(STRICT + code, ["module", "exports", "require"], { filename });
}

function evaluate(run: Evaluate, require: (name: string) => unknown): object {
  const module = { exports: {} };
  Reflect.apply(run, module.exports, [module, module.exports, require]);
  return module.exports;
}

function refuse(name: string): never {
  throw new Error(`Module "${name}" is not part of zod.`);
}
