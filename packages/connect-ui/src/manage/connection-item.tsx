import { ServiceLogo } from "@jackfield/ui/service-logo.tsx";
import { useId } from "react";
import { useLanguage, useTexts } from "../texts/use-texts.tsx";
import { ScopeList } from "../views/access.tsx";
import type { ListedConnection } from "./listed-connection.ts";

/** Colour and sign of a state; its word says the same. */
const looks = {
  ok: { look: "good", sign: "✓" },
  refreshing: { look: "good", sign: "✓" },
  backoff: { look: "warn", sign: "●" },
  needs_reauthorization: { look: "bad", sign: "✕" },
  pending: { look: "idle", sign: "–" },
} as const;

/** One connection, with what it may do and what was read from it. */
export function ConnectionItem({
  connection,
  isBusy,
  onReconnect,
  onDisconnect,
}: {
  connection: ListedConnection;
  isBusy: boolean;
  onReconnect: () => void;
  onDisconnect: () => void;
}) {
  const texts = useTexts();
  const language = useLanguage();
  const titleId = useId();
  const { display_name: name, account, models, scopes, state } = connection;
  const { look, sign } = looks[state];
  const day = (time: string) =>
    new Date(time).toLocaleDateString(language, { dateStyle: "medium" });
  return (
    <li className="connection" aria-labelledby={titleId} aria-busy={isBusy}>
      <div className="title">
        <ServiceLogo service={connection} size="small" />
        <div>
          <h2 id={titleId}>{name}</h2>
          <p className={`state ${look}`}>
            <span aria-hidden="true">{sign}</span> {texts.states[state]}
          </p>
        </div>
      </div>
      <dl>
        {account !== null && (
          <>
            <dt>{texts.account}</dt>
            <dd>{account}</dd>
          </>
        )}
        <dt>{texts.connectedOn}</dt>
        <dd>{day(connection.connected_at)}</dd>
        <dt>{texts.lastUsed}</dt>
        <dd>{connection.last_used_at === null ? texts.never : day(connection.last_used_at)}</dd>
        {scopes.length > 0 && (
          <>
            <dt>{texts.mayDo}</dt>
            <dd>
              <ScopeList scopes={scopes} />
            </dd>
          </>
        )}
        {models.length > 0 && (
          <>
            <dt>{texts.hasRead}</dt>
            <dd>
              <ul>
                {models.map((model) => (
                  <li key={model.name}>
                    {`${model.name} (${model.count.toLocaleString(language)})`}
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
      <div className="buttons">
        <button
          type="button"
          className={state === "needs_reauthorization" ? "primary" : "secondary"}
          aria-label={texts.reconnectNamed(name)}
          aria-disabled={isBusy}
          onClick={onReconnect}
        >
          {isBusy && <span className="spinner" aria-hidden="true" />}
          {texts.reconnect}
        </button>
        <button
          type="button"
          className="quiet"
          aria-label={texts.disconnectNamed(name)}
          aria-disabled={isBusy}
          onClick={onDisconnect}
        >
          {texts.disconnect}
        </button>
      </div>
    </li>
  );
}
