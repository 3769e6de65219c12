import { useEffect, useRef } from "react";
import type { AnswerOf } from "../../../data/api.ts";
import type { Connection } from "../../../data/connections.ts";
import { queryClient } from "../../../data/query-client.ts";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { apiAddress } from "../../../start/base-path.ts";
import { useTexts } from "../../../texts/use-texts.ts";

/** The real connect page of a session, from this page's own origin; says which connection it makes. */
export function ConnectFrame({
  session: { token },
  onConnected,
}: {
  session: AnswerOf<"createConnectSession">["data"];
  onConnected: (connection: Pick<Connection, "connection_id" | "provider_config_key">) => void;
}) {
  const { connections: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const frame = useRef<HTMLIFrameElement>(null);
  useEffect(() => {
    const onMessage = (event: MessageEvent<unknown>) => {
      if (event.source !== frame.current?.contentWindow) return;
      if (event.origin !== window.location.origin) return;
      const { type, payload } = Object(event.data);
      if (type !== "connect") return;
      const { connectionId, providerConfigKey } = Object(payload);
      void queryClient.invalidateQueries({ queryKey: ["connections", environment] });
      onConnected({
        connection_id: String(connectionId),
        provider_config_key: String(providerConfigKey),
      });
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, [environment, onConnected]);
  return (
    <iframe ref={frame} className="connect-frame" title={texts.frame} src={addressOf(token)} />
  );
}

/** The token is in the fragment, which browsers send to no server. */
function addressOf(token: string): string {
  const query = new URLSearchParams({
    opener_origin: window.location.origin,
    theme: document.documentElement.dataset["theme"] === "dark" ? "dark" : "light",
  });
  const fragment = new URLSearchParams({ session_token: token });
  return `${apiAddress}/connect/?${query}#${fragment}`;
}
