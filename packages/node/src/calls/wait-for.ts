import { JackfieldError } from "../jackfield-error.ts";
import type { WaitOptions } from "../requests.ts";
import type { ConnectResult } from "../resources.ts";
import { type HttpClient, wait } from "./http.ts";

const DEFAULT_TIMEOUT_MS = 10 * 60_000;
const LONGEST_PAUSE_MS = 3000;

/** Asks, more and more slowly, until there is an answer; throws `timeout` when there is none in time. */
export async function waitFor<Answer>(
  ask: () => Promise<Answer | undefined>,
  { timeout = DEFAULT_TIMEOUT_MS, signal }: WaitOptions,
): Promise<Answer> {
  const end = Date.now() + timeout;
  for (let pause = 250; ; pause = Math.min(pause * 1.5, LONGEST_PAUSE_MS)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() + pause > end) {
      throw new JackfieldError({
        code: "timeout",
        message: `There was no result within ${timeout} ms.`,
      });
    }
    await wait(pause, signal);
  }
}

interface Completion {
  readonly data: {
    readonly state: "waiting" | "success" | "error";
    readonly connection_id?: string;
    readonly provider_config_key?: string;
    readonly is_pending?: boolean;
    readonly error?: { readonly type: string; readonly message: string };
  };
}

/** The connection that a connect session makes; throws `connect_failed` or the error's type. */
export async function waitForConnection(
  http: HttpClient,
  sessionToken: string,
  options: WaitOptions,
): Promise<ConnectResult> {
  const { signal } = options;
  return await waitFor(async () => {
    const { data } = await http.json<Completion>({
      method: "GET",
      path: "/connect/session/result",
      token: sessionToken,
      signal,
    });
    if (data.state === "error") {
      const { type = "connect_failed", message = "The connection was not made." } =
        data.error ?? {};
      throw new JackfieldError({ code: type, message });
    }
    if (data.state !== "success") return undefined;
    return {
      connectionId: data.connection_id ?? "",
      providerConfigKey: data.provider_config_key ?? "",
      isPending: data.is_pending ?? false,
    };
  }, options);
}
