import type { ConnectStage } from "@jackfield/contract";
import { aroundCalls, type ModeCall } from "./around-calls.ts";
import type { AuthMode, AuthTools } from "./auth-mode.ts";
import { inStage, stageFactsOf } from "./in-stage.ts";

const stages: Readonly<Record<ModeCall["name"], ConnectStage>> = {
  accept: "token",
  startAuthorization: "authorization",
  finishAuthorization: "token",
  completeInstallation: "token",
  refresh: "refresh",
  revoke: "revocation",
};

/** The mode, whose failures name their stage; the stages within (`inStage`) go before. */
export function withStages(mode: AuthMode): AuthMode {
  return aroundCalls(mode, async ({ name, tools }, run) => {
    const running = inStage(stages[name], tools, run);
    return await (name === "finishAuthorization" ? countCallback(running, tools) : running);
  });
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
