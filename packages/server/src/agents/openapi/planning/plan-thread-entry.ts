// A thread that makes tools of OpenAPI documents: no database and no network.
import { parentPort } from "node:worker_threads";
import { DocumentError } from "@jackfield/functions/openapi";
import { type DocumentOptions, type PlannedDocument, planDocument } from "./plan-document.ts";

export interface PlanJob {
  readonly text: string;
  readonly options: DocumentOptions;
}

/** What the thread says of a job. */
export type PlanAnswer =
  | { readonly kind: "planned"; readonly planned: PlannedDocument }
  | { readonly kind: "unreadable"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string };

parentPort?.on("message", (job: PlanJob) => {
  void plan(job).then((answer) => parentPort?.postMessage(answer));
});

async function plan({ text, options }: PlanJob): Promise<PlanAnswer> {
  try {
    return { kind: "planned", planned: await planDocument(text, options) };
  } catch (error) {
    if (error instanceof DocumentError) return { kind: "unreadable", reason: error.message };
    return { kind: "broken", reason: error instanceof Error ? error.message : String(error) };
  }
}
