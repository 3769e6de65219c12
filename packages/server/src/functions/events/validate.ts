import type { RunError } from "@jackfield/contract/runtime";
import type { ConnectionCreated } from "#connections";
import { AppError, type EnvironmentContext } from "#foundation";
import type { Integration } from "#integrations";
import { listOnEvents, runOnEvent } from "./run-on-event.ts";

/** The answer to the hook `connectionChecked`. */
export async function hasValidators(
  ctx: EnvironmentContext,
  { integration }: { integration: Pick<Integration, "id"> },
): Promise<boolean> {
  return (await listOnEvents(ctx, integration, "validate-connection")).length > 0;
}

/**
 * Runs the integration's checks in turn, for the hook `connectionValidating`; the first that fails refuses the
 * connection, in its own words where it gives some.
 */
export async function runValidators(
  ctx: EnvironmentContext,
  { integration, connection }: ConnectionCreated,
): Promise<void> {
  for (const fn of await listOnEvents(ctx, integration, "validate-connection")) {
    const error = await runOnEvent(ctx, fn, { integration, connection });
    if (error !== undefined) {
      throw new AppError("connection_validation_failed", toRefusal(error, fn.name));
    }
  }
}

const MAX_CHARACTERS = 1000;

function toRefusal({ type, payload }: RunError, name: string): string {
  const own = type === "action_script_runtime_error" ? findText(payload) : undefined;
  return own ?? `The check "${name}" refused the connection; the logs say more.`;
}

function findText(payload: unknown): string | undefined {
  const fields: { message?: unknown; error?: unknown } = Object(payload);
  const text = [fields.message, fields.error].find(
    (each) => typeof each === "string" && each.trim() !== "",
  );
  return typeof text === "string" ? text.slice(0, MAX_CHARACTERS) : undefined;
}
