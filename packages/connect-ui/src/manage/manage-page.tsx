import { Jackfield } from "@jackfield/frontend";
import type { Api } from "@jackfield/frontend/api";
import { Heading } from "@jackfield/ui/heading.tsx";
import { WarningIcon } from "@jackfield/ui/icons.tsx";
import { useCallback, useEffect, useState } from "react";
import { applyTheme } from "../apply-theme.ts";
import type { Opener } from "../opener.ts";
import type { PageParameters } from "../page-parameters.ts";
import {
  deleteOwnConnection,
  fetchOwnConnections,
  fetchSession,
  type Session,
  startReconnecting,
} from "../platform.ts";
import { explainScopes } from "../scopes/scope.ts";
import { findStopReason, type StopReason, toAuthError } from "../stop-reason.ts";
import { useFollowLanguage, useLanguage, useTexts } from "../texts/use-texts.tsx";
import { Card } from "../views/card.tsx";
import { LoadingView, StoppedView } from "../views/end-views.tsx";
import { ConfirmDisconnect } from "./confirm-disconnect.tsx";
import { ConnectionItem } from "./connection-item.tsx";
import type { ListedConnection } from "./listed-connection.ts";

type View =
  | { readonly kind: "loading" }
  | { readonly kind: "stopped"; readonly reason: StopReason }
  | { readonly kind: "list"; readonly connections: readonly ListedConnection[] };

interface Caller {
  readonly api: Api | undefined;
  /** Origin of the page that sent the token, where the session has yet to allow it. */
  readonly stranger?: string | undefined;
}

/** What an end user has connected, and the ways to renew or end each. */
export function ManagePage({
  host,
  parameters,
  opener,
}: {
  host: string;
  parameters: PageParameters;
  opener: Opener;
}) {
  const texts = useTexts();
  const language = useLanguage();
  const followLanguage = useFollowLanguage();
  const [caller, setCaller] = useState<Caller>({ api: toApi(host, parameters.sessionToken) });
  const { api } = caller;
  const [session, setSession] = useState<Session>();
  const [view, setView] = useState<View>({ kind: "loading" });
  const [leaving, setLeaving] = useState<ListedConnection>();
  const [busyId, setBusyId] = useState<string>();
  const [said, setSaid] = useState("");
  const [problem, setProblem] = useState<string>();

  const stop = useCallback(
    (error: unknown): void => {
      const known = toAuthError(error);
      opener.tell({
        type: "error",
        payload: { errorType: known.type, errorMessage: known.message },
      });
      setView({ kind: "stopped", reason: reasonOf(known) });
    },
    [opener],
  );

  const load = useCallback(
    async (given: Api, stranger: string | undefined): Promise<void> => {
      try {
        const [own, connections] = await Promise.all([fetchSession(given), listAll(given)]);
        if (stranger !== undefined) {
          const isAllowed = own.allowed_origins?.includes(stranger) === true;
          if (!isAllowed) return setView({ kind: "stopped", reason: "missing" });
          opener.trust(stranger);
        }
        await followLanguage(own.language);
        applyTheme(own.connectUISettings, parameters);
        setSession(own);
        setView({ kind: "list", connections });
      } catch (error) {
        stop(error);
      }
    },
    [followLanguage, opener, parameters, stop],
  );

  useEffect(() => {
    opener.onSessionToken((token, stranger) => setCaller({ api: toApi(host, token), stranger }));
    opener.announce();
  }, [host, opener]);

  useEffect(() => {
    if (caller.api !== undefined) void load(caller.api, caller.stranger);
    else if (!opener.maySendToken) setView({ kind: "stopped", reason: "missing" });
  }, [caller, load, opener]);

  /** Does one thing to a connection; what fails is said, and the list stays. */
  async function act(id: string, work: (api: Api) => Promise<void>): Promise<void> {
    if (api === undefined || busyId !== undefined) return;
    setBusyId(id);
    setProblem(undefined);
    setSaid("");
    try {
      await work(api);
    } catch (error) {
      const known = toAuthError(error);
      if (findStopReason(known) !== undefined) stop(error);
      else setProblem(textOf(known));
    } finally {
      setBusyId(undefined);
    }
  }

  function textOf({ type, message }: { type: string; message: string }): string {
    if (type === "network_error") return texts.failures.network_error.text;
    return message;
  }

  async function reconnect({ id }: ListedConnection): Promise<void> {
    await act(id, async (own) => {
      const { token } = await startReconnecting(own, id);
      // The connect page is a neighbour of this one, wherever both are served.
      const baseURL = new URL("..", window.location.href).href;
      const overlay = new Jackfield({ host }).openConnectUI({
        baseURL,
        sessionToken: token,
        lang: language,
        ...(parameters.theme === undefined ? {} : { themeOverride: parameters.theme }),
        onEvent: ({ type }) => {
          if (type === "connect") overlay.close();
          if (type === "connect" || type === "close") void load(own, undefined);
        },
      });
    });
  }

  async function disconnect({ id, display_name: name }: ListedConnection): Promise<void> {
    setLeaving(undefined);
    await act(id, async (own) => {
      await deleteOwnConnection(own, id).catch((error: unknown) => {
        // Somebody else was faster.
        if (toAuthError(error).type !== "not_found") throw error;
      });
      await load(own, undefined);
      setSaid(texts.disconnected(name));
    });
  }

  function close(): void {
    opener.tell({ type: "close" });
    if (!opener.isFrame) window.close();
  }

  const settings = session?.connectUISettings;
  return (
    <Card
      app={settings?.app}
      watermark={settings?.showWatermark === true}
      onClose={opener.canClose ? close : undefined}
      isWide
    >
      {view.kind === "loading" && <LoadingView />}
      {view.kind === "stopped" && (
        <StoppedView
          reason={view.reason}
          onRetry={
            api !== undefined && (view.reason === "offline" || view.reason === "broken")
              ? () => void load(api, caller.stranger)
              : undefined
          }
        />
      )}
      {view.kind === "list" && (
        <>
          <div className="head">
            <Heading>
              {view.connections.length === 0 ? texts.manageEmptyTitle : texts.manageTitle}
            </Heading>
            <p className="lead">
              {view.connections.length === 0
                ? texts.manageEmptyText
                : texts.manageText(settings?.app?.name ?? null)}
            </p>
          </div>
          {problem !== undefined && (
            <div className="problem" role="alert">
              <WarningIcon />
              <div>
                <strong>{texts.failedTitle}</strong>
                <p>{problem}</p>
              </div>
            </div>
          )}
          <p className={said === "" ? "hidden" : "said"} role="status">
            {said}
          </p>
          <ul className="connections">
            {view.connections.map((connection) => (
              <ConnectionItem
                key={connection.id}
                connection={connection}
                isBusy={busyId === connection.id}
                onReconnect={() => void reconnect(connection)}
                onDisconnect={() => setLeaving(connection)}
              />
            ))}
          </ul>
        </>
      )}
      {leaving !== undefined && (
        <ConfirmDisconnect
          connection={leaving}
          onCancel={() => setLeaving(undefined)}
          onConfirm={() => void disconnect(leaving)}
        />
      )}
    </Card>
  );
}

async function listAll(api: Api): Promise<readonly ListedConnection[]> {
  const connections = await fetchOwnConnections(api);
  return await Promise.all(
    connections.map(async (connection) => ({
      ...connection,
      logo: `${api.host}/images/template-logos/${encodeURIComponent(connection.provider)}.svg`,
      scopes: await explainScopes(connection.provider, connection.scopes_granted ?? []),
    })),
  );
}

function reasonOf(error: Parameters<typeof findStopReason>[0]): StopReason {
  const reason = findStopReason(error);
  if (reason !== undefined) return reason;
  // A session that makes connections shows none.
  if (error.type === "forbidden") return "missing";
  return error.type === "network_error" ? "offline" : "broken";
}

function toApi(host: string, sessionToken: string | undefined): Api | undefined {
  return sessionToken === undefined ? undefined : { host, sessionToken };
}
