import type { AuthMode } from "./auth-mode.ts";
import { inStage, stageFactsOf } from "./in-stage.ts";

/** The mode, whose failures name their stage; the stages within (`inStage`) go before. */
export function withStages(mode: AuthMode): AuthMode {
  const { startAuthorization, finishAuthorization, completeInstallation, refresh, revoke } = mode;
  return {
    ...mode,
    accept: async (subject, given, tools) =>
      await inStage("token", tools, async (tools) => await mode.accept(subject, given, tools)),
    ...(startAuthorization && {
      startAuthorization: async (subject, start, tools) =>
        await inStage(
          "authorization",
          tools,
          async (tools) => await startAuthorization(subject, start, tools),
        ),
    }),
    ...(finishAuthorization && {
      finishAuthorization: async (subject, finish, tools) => {
        const minting = inStage(
          "token",
          tools,
          async (tools) => await finishAuthorization(subject, finish, tools),
        );
        const passed = await minting.then(
          () => true,
          (error: unknown) => stageFactsOf(error)?.stage !== "callback",
        );
        if (passed) tools.count?.("callback", "succeeded");
        return await minting;
      },
    }),
    ...(completeInstallation && {
      completeInstallation: async (subject, credentials, told, tools) =>
        await inStage(
          "token",
          tools,
          async (tools) => await completeInstallation(subject, credentials, told, tools),
        ),
    }),
    ...(refresh && {
      refresh: async (subject, credentials, tools) =>
        await inStage(
          "refresh",
          tools,
          async (tools) => await refresh(subject, credentials, tools),
        ),
    }),
    ...(revoke && {
      revoke: async (subject, credentials, tools) =>
        await inStage(
          "revocation",
          tools,
          async (tools) => await revoke(subject, credentials, tools),
        ),
    }),
  };
}
