import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "@jackfield/functions/openapi";
import { writeMethods } from "./go-methods.ts";
import { GoTypes } from "./go-types.ts";

const template = fileURLToPath(new URL("../../go-template/client.go", import.meta.url));
const declared = /^(?:type|func) ([A-Z]\w*)/gm;

export interface GoClient {
  readonly text: string;
  readonly methods: number;
  readonly types: number;
}

/** A client of the API that a document describes, as one file of Go that needs the standard library only. */
export async function writeGoClient(document: JsonObject, packageName: string): Promise<GoClient> {
  const base = (await readFile(template, "utf8")).replaceAll("PACKAGE", packageName);
  const reserved = [...base.matchAll(declared)].map(([, name = ""]) => name);
  const types = new GoTypes(document, reserved);
  const methods = writeMethods(document, types);
  return {
    text: [base, ...methods, ...types.texts].join("\n"),
    methods: methods.length,
    types: types.texts.length,
  };
}
