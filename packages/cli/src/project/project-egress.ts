import { readFileSync } from "node:fs";
import { join } from "node:path";
import { egressHosts, normalizeEgress } from "@jackfield/contract";
import type { FunctionDescription } from "@jackfield/functions/compile";
import * as z from "zod";
import { exitCodes, UserError } from "../user-error.ts";

const manifest = z.looseObject({
  jackfield: z.looseObject({ egress: egressHosts.optional() }).optional(),
});

/** Where functions of the project may send to that say nothing of it: `jackfield.egress` of its package.json. */
export function readProjectEgress(projectDir: string): string[] | undefined {
  const read = manifest.safeParse(readManifest(projectDir));
  if (read.success) {
    const egress = read.data.jackfield?.egress;
    return egress && normalizeEgress(egress);
  }
  const [issue] = read.error.issues;
  const message = `package.json: ${issue?.path.join(".")} ${issue?.message}`;
  throw new UserError(message, { exitCode: exitCodes.compile });
}

function readManifest(projectDir: string): unknown {
  try {
    return JSON.parse(readFileSync(join(projectDir, "package.json"), "utf8"));
  } catch {
    // A folder without one, or with a broken one, has no settings.
    return {};
  }
}

const NAMED = 3;

interface Named {
  readonly integrationId: string;
  readonly functionName: string;
  readonly file: string;
  readonly description: Pick<FunctionDescription, "egress">;
}

/** A warning where functions may send anywhere and nobody has said that they should. */
export function warnOfOpenEgress(functions: readonly Named[]): string[] {
  const open = functions.filter(({ description }) => description.egress === undefined);
  if (open.length === 0) return [];
  const named = open
    .slice(0, NAMED)
    .map(({ file }) => file.replace(/\.ts$/, ""))
    .join(", ");
  const others = open.length > NAMED ? ` and ${open.length - NAMED} more` : "";
  return [
    `${named}${others} may send data to any host: write "jackfield": { "egress": ["{integration}"] } into package.json, and further hosts into the egress of functions that need them ("*" for any)`,
  ];
}
