import type { FunctionName, ListedFunction } from "../../data/functions/functions.ts";
import type { Target } from "../../parts/go.tsx";
import { homeOf } from "../../start/environment-address.ts";

export function pageOf(environment: string, name: FunctionName, tab = "overview"): Target {
  const parts = [environment, "functions", name.integration, name.type, name.name, tab];
  return { to: `/${parts.map(encodeURIComponent).join("/")}` };
}

export function nameOf({ provider_config_key: integration, type, name }: ListedFunction) {
  return { integration, type, name };
}

/** A line of its source. */
export function lineOf(environment: string, name: FunctionName, line: number): Target {
  return { ...pageOf(environment, name, "code"), search: { line: String(line) } };
}

/** The list of what it did. */
export function runsOf(environment: string, { integration, name }: FunctionName): Target {
  const search = { integrations: integration, functions: name, range: "7d" };
  return { to: `${homeOf(environment)}/operations`, search };
}

/** Where it is tried. */
export function playgroundOf(
  environment: string,
  { integration, type, name }: FunctionName,
): Target {
  const search = { integration, type, function: name };
  return { to: `${homeOf(environment)}/playground`, search };
}
