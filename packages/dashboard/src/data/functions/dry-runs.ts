import { type AnswerOf, callApi } from "../api.ts";
import { referenceOf } from "../syncs.ts";

export type DryRun = AnswerOf<"getDryRun">;

/** What is run, and for whom. */
export interface RunWish {
  readonly integration: string;
  readonly connection: string;
  readonly type: string;
  readonly name: string;
  /** Of a sync; undefined for the sync itself. */
  readonly variant: string | undefined;
  readonly input: unknown;
}

const SECOND = 1000;
const LOOKED_EVERY_MS = SECOND / 2;
/** A dry run may take five minutes, and waits in a queue before that. */
const PATIENCE_MS = 10 * 60 * SECOND;

/** Runs the source of a function without a trace; resolves when it has ended, well or badly. */
export async function dryRun(
  environment: string,
  { code, wish }: { readonly code: string; readonly wish: RunWish },
  /** Hears what it has printed so far. */
  onOutput: (output: string) => void,
): Promise<DryRun> {
  const body = {
    integration_id: wish.integration,
    connection_id: wish.connection,
    code,
    function_type: wish.type,
    ...(wish.type === "action" ? { input: wish.input } : { variant: wish.variant }),
  };
  const { id } = await callApi("createDryRun", { environment, body: Object(body) });
  const endsAt = Date.now() + PATIENCE_MS;
  while (Date.now() < endsAt) {
    const run = await callApi("getDryRun", { environment, params: { id } });
    if (run.status === "success" || run.status === "failed") return run;
    if (run.output !== undefined) onOutput(run.output);
    await new Promise((resolve) => setTimeout(resolve, LOOKED_EVERY_MS));
  }
  throw new Error(`The dry run ${id} has not ended within ten minutes.`);
}

/** Runs an action as an app would, or has a sync run now. */
export async function realRun(environment: string, wish: RunWish): Promise<unknown> {
  const place = { provider_config_key: wish.integration, connection_id: wish.connection };
  if (wish.type === "sync") {
    return await callApi("triggerSyncs", {
      environment,
      body: Object({
        ...place,
        syncs: [referenceOf({ name: wish.name, variant: wish.variant ?? "base" })],
      }),
    });
  }
  const body = { ...place, action_name: wish.name, input: wish.input };
  return await callApi("triggerAction", { environment, body });
}
