import type { DevChoice, DevFunction } from "@jackfield/contract";
import type { CompiledFunction, ProjectFile } from "@jackfield/functions/compile";
import type { DryRunRequest } from "../dryrun/dry-run.ts";
import { UserError } from "../user-error.ts";

/** A function as the page offers it. */
export function presentFunction(
  file: ProjectFile,
  compiled: CompiledFunction | undefined,
): DevFunction {
  const { integrationId: integration, functionName: name } = file;
  const named = { file: file.file, integration, name };
  if (compiled === undefined) return named;
  const { description } = compiled;
  const { type, definitions } = description;
  const input = description.type === "action" ? description.input : undefined;
  return {
    ...{ ...named, type, definitions },
    description: description.description,
    ...(input !== undefined && { input }),
    ...(description.type === "sync" && { takesWebhooks: description.hasWebhookHandler }),
  };
}

/** What a choice of the page runs; throws if its function does not take webhooks, or no longer does. */
export function toDryRunRequest(
  description: CompiledFunction["description"],
  { connection, kind, input }: DevChoice,
  environment: string,
): DryRunRequest {
  const isWebhook = kind === "webhook";
  if (isWebhook && !(description.type === "sync" && description.hasWebhookHandler)) {
    throw new UserError("The function has no onWebhook: run it without a webhook.");
  }
  return {
    ...{ environment, connectionId: connection, isWebhook },
    input: isWebhook || description.type === "action" ? input : undefined,
    ...{ metadata: undefined, checkpoint: undefined, lastSyncDate: undefined },
    ...{ variant: undefined, validation: "input" as const },
  };
}
