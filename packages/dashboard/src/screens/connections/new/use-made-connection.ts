import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { type AnswerOf, callApi } from "../../../data/api.ts";
import type { Connection } from "../../../data/connections.ts";
import { isLive } from "../../../data/live/live.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";

/** How often is looked while changes are not heard of. */
const WATCH_MS = 3000;

/**
 * Says which connection a session makes, wherever its link is opened: each change of the environment's connections that
 * the event stream reports has the session asked how far it is.
 */
export function useMadeConnection(
  { token, expires_at: expiresAt }: AnswerOf<"createConnectSession">["data"],
  onMade: (connection: Pick<Connection, "connection_id" | "provider_config_key">) => void,
): { readonly failure: string | undefined } {
  const { name: environment } = useEnvironment();
  const { data } = useQuery({
    // Among what is read again when connections change.
    queryKey: ["connections", environment, "made", expiresAt],
    queryFn: async ({ signal }) => {
      // The session's own token comes before the user's cookie.
      const headers = { authorization: `Bearer ${token}` };
      return (await callApi("getConnectSessionResult", { headers, signal })).data;
    },
    refetchInterval: () => !isLive() && WATCH_MS,
    staleTime: 0,
    gcTime: 0,
  });
  const latest = useRef(onMade);
  latest.current = onMade;
  const { connection_id: id, provider_config_key: integration } = data ?? {};
  useEffect(() => {
    if (id === undefined || integration === undefined) return;
    latest.current({ connection_id: id, provider_config_key: integration });
  }, [id, integration]);
  return { failure: data?.error?.message };
}
