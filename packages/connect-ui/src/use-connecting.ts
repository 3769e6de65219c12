import { type AuthError, type AuthOptions, type AuthResult, Jackfield } from "@jackfield/frontend";
import type { Api } from "@jackfield/frontend/api";
import { useRef } from "react";
import type { Integration, Provider } from "./platform.ts";
import { toAuthError } from "./stop-reason.ts";

export interface Attempt {
  readonly integration: Integration;
  readonly provider: Provider;
  readonly options: AuthOptions;
}

export interface ConnectingListener {
  readonly onSuccess: (attempt: Attempt, result: AuthResult) => void;
  readonly onFailure: (attempt: Attempt, error: AuthError) => void;
  readonly onWindowClosed: () => void;
}

/** Runs one attempt at a time; a new one and `cancel` silence the one before. */
export function useConnecting(detectClosedAuthWindow: boolean, listener: ConnectingListener) {
  const running = useRef<AbortController>(undefined);

  async function run(jackfield: Jackfield, attempt: Attempt, stop: AbortController): Promise<void> {
    const { integration, options } = attempt;
    const given: AuthOptions = {
      ...options,
      detectClosedAuthWindow,
      signal: stop.signal,
      onWindowClosed: () => {
        if (!stop.signal.aborted) listener.onWindowClosed();
      },
    };
    try {
      const result = await jackfield.auth(integration.unique_key, given);
      if (!stop.signal.aborted) listener.onSuccess(attempt, result);
    } catch (error) {
      if (!stop.signal.aborted) listener.onFailure(attempt, toAuthError(error));
    }
  }

  return {
    /** Opens the provider's window at once, within the click that called this. */
    start(api: Api, attempt: Attempt): void {
      running.current?.abort();
      const stop = new AbortController();
      running.current = stop;
      const jackfield = new Jackfield({ host: api.host, connectSessionToken: api.sessionToken });
      void run(jackfield, attempt, stop);
    },
    cancel(): void {
      running.current?.abort();
    },
  };
}
