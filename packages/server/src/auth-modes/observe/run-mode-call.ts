import type { ConnectStage } from "@jackfield/contract";
import type { AuthMode, AuthSubject, AuthTools } from "../auth-mode.ts";
import { hideSecretsIn } from "./hide-secrets.ts";
import { inStage } from "./in-stage.ts";
import { stageFactsOf } from "./provider-failure.ts";

/** The calls of a mode that may ask the provider, and the stage in which they fail unless one within them does. */
const stages = {
  accept: "token",
  startAuthorization: "authorization",
  finishAuthorization: "token",
  completeInstallation: "token",
  refresh: "refresh",
  revoke: "revocation",
} as const satisfies Readonly<Record<string, ConnectStage>>;

export type ModeStep = keyof typeof stages;

export interface ModeCall<Result> {
  readonly mode: AuthMode;
  readonly subject: AuthSubject;
  /** What the call works with: credentials, or what an authorization brought. */
  readonly given: object;
  readonly tools: AuthTools;
  readonly run: (tools: AuthTools) => Promise<Result>;
  /** What follows in stages of its own. */
  readonly complete?: ((result: Result) => Promise<Result>) | undefined;
}

/** Makes one call of a mode: its failure names the stage, is counted, and repeats no secret. */
export async function runModeCall<Result>(
  step: ModeStep,
  { mode, subject, given, tools, run, complete }: ModeCall<Result>,
): Promise<Result> {
  try {
    const running = inStage(stages[step], tools, run);
    const result = await (step === "finishAuthorization" ? countCallback(running, tools) : running);
    return complete === undefined ? result : await complete(result);
  } catch (error) {
    // Providers echo what they were sent.
    throw hideSecretsIn(error, { mode, subject, given });
  }
}

/** A callback that led to a request for the token was a good one. */
async function countCallback<Result>(minting: Promise<Result>, tools: AuthTools): Promise<Result> {
  const passed = await minting.then(
    () => true,
    (error: unknown) => stageFactsOf(error)?.stage !== "callback",
  );
  if (passed) tools.count?.("callback", "succeeded");
  return await minting;
}
