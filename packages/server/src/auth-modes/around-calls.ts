import type { AuthMode, AuthSubject, AuthTools } from "./auth-mode.ts";

/** One call of a mode, any of those that may ask the provider. */
export interface ModeCall {
  readonly name:
    | "accept"
    | "startAuthorization"
    | "finishAuthorization"
    | "completeInstallation"
    | "refresh"
    | "revoke";
  readonly subject: AuthSubject;
  /** What the call works with: credentials, or what an authorization brought. */
  readonly given: object;
  readonly tools: AuthTools;
}

type Around = <Result>(
  call: ModeCall,
  run: (tools: AuthTools) => Promise<Result>,
) => Promise<Result>;

/** The mode, each of whose calls is made by `around`. */
export function aroundCalls(mode: AuthMode, around: Around): AuthMode {
  const { startAuthorization, finishAuthorization, completeInstallation, refresh, revoke } = mode;
  return {
    ...mode,
    accept: async (subject, given, tools) =>
      await around(
        { name: "accept", subject, given, tools },
        async (tools) => await mode.accept(subject, given, tools),
      ),
    ...(startAuthorization && {
      startAuthorization: async (subject, given, tools) =>
        await around(
          { name: "startAuthorization", subject, given, tools },
          async (tools) => await startAuthorization(subject, given, tools),
        ),
    }),
    ...(finishAuthorization && {
      finishAuthorization: async (subject, given, tools) =>
        await around(
          { name: "finishAuthorization", subject, given, tools },
          async (tools) => await finishAuthorization(subject, given, tools),
        ),
    }),
    ...(completeInstallation && {
      completeInstallation: async (subject, given, told, tools) =>
        await around(
          { name: "completeInstallation", subject, given, tools },
          async (tools) => await completeInstallation(subject, given, told, tools),
        ),
    }),
    ...(refresh && {
      refresh: async (subject, given, tools) =>
        await around(
          { name: "refresh", subject, given, tools },
          async (tools) => await refresh(subject, given, tools),
        ),
    }),
    ...(revoke && {
      revoke: async (subject, given, tools) =>
        await around(
          { name: "revoke", subject, given, tools },
          async (tools) => await revoke(subject, given, tools),
        ),
    }),
  };
}
