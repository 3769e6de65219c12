import type { AuthOptions, AuthResult } from "@jackfield/frontend";
import type { Api } from "@jackfield/frontend/api";
import type { FormField, FormValues } from "@jackfield/ui/form-fields.ts";
import { type FailureTexts, type Problem, toProblem } from "@jackfield/ui/problem.ts";
import { useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { applyTheme } from "./apply-theme.ts";
import { isBrowserMode, listFormFields } from "./list-form-fields.ts";
import { findHelp, loadPage, type PageData, toReturnAddress } from "./load-page.ts";
import type { Opener } from "./opener.ts";
import type { PageParameters } from "./page-parameters.ts";
import { fetchProvider, type Integration, type Provider } from "./platform.ts";
import { fetchScopes, type Scope } from "./scopes/scope.ts";
import { findStopReason, type StopReason, toAuthError } from "./stop-reason.ts";
import type { Texts } from "./texts/english.ts";
import { useFollowLanguage, useTexts } from "./texts/use-texts.tsx";
import { type Attempt, useConnecting } from "./use-connecting.ts";
import { Card } from "./views/card.tsx";
import { ChooseView } from "./views/choose-view.tsx";
import { LoadingView, StoppedView, SuccessView, WaitingView } from "./views/end-views.tsx";
import { FormView } from "./views/form-view.tsx";
import { enterPlace, readPlace, replacePlace } from "./visit.ts";

/** What a view is made of. */
interface Given {
  readonly api: Api;
  readonly data: PageData;
  readonly texts: Texts;
}

interface FormState {
  readonly kind: "form";
  readonly integration: Integration;
  readonly provider: Provider;
  readonly fields: readonly FormField[];
  readonly scopes: readonly Scope[];
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
}

type View =
  | { readonly kind: "loading" }
  | { readonly kind: "stopped"; readonly reason: StopReason }
  | { readonly kind: "choose"; readonly opening?: string }
  | FormState
  | {
      readonly kind: "waiting";
      readonly form: FormState;
      readonly isClosed: boolean;
      readonly options: AuthOptions;
    }
  | { readonly kind: "success"; readonly integration: Integration; readonly result: AuthResult };

interface Caller {
  readonly api: Api | undefined;
  /** Origin of the page that sent the token, where the session has yet to allow it. */
  readonly stranger?: string | undefined;
}

export interface ConnectPageProps {
  readonly host: string;
  readonly parameters: PageParameters;
  readonly opener: Opener;
}

/** The page as a whole: which view is shown, and what leads from one to the next. */
export function ConnectPage({ host, parameters, opener }: ConnectPageProps) {
  const texts = useTexts();
  const followLanguage = useFollowLanguage();
  const [caller, setCaller] = useState<Caller>({ api: toApi(host, parameters.sessionToken) });
  const { api } = caller;
  const [data, setData] = useState<PageData>();
  const [view, setView] = useState<View>({ kind: "loading" });
  const [values, setValues] = useState<FormValues>({});
  /** Counts what was asked for: what comes for an earlier choice is of no interest any more. */
  const turn = useRef(0);

  const stop = useCallback(
    (error: unknown): void => {
      const { type, message } = toAuthError(error);
      opener.tell({ type: "error", payload: { errorType: type, errorMessage: message } });
      const reason = findStopReason(toAuthError(error));
      setView({
        kind: "stopped",
        reason: reason ?? (type === "network_error" ? "offline" : "broken"),
      });
    },
    [opener],
  );

  const openForm = useCallback(
    async (given: Given, integration: Integration): Promise<boolean> => {
      turn.current += 1;
      const own = turn.current;
      const key = integration.unique_key;
      // The list stays until the form is there.
      setView(({ kind }) => (kind === "choose" ? { kind, opening: key } : { kind: "loading" }));
      try {
        const [provider, scopes] = await Promise.all([
          fetchProvider(given.api, integration.provider),
          fetchScopes(given.api, integration),
        ]);
        if (own !== turn.current) return false;
        const fields = listFormFields({
          session: given.data.session,
          integration,
          provider,
          labels: given.texts.labels,
          ownClientLabels: [given.texts.ownClientId, given.texts.ownClientSecret],
          helps: given.texts.helps.words,
        });
        setValues(Object.fromEntries(fields.map(({ id, initial }) => [id, initial])));
        const form = { integration, provider, fields, scopes, isBusy: false };
        setView({ kind: "form", ...form, problem: undefined });
        return true;
      } catch (error) {
        if (own === turn.current) stop(error);
        return false;
      }
    },
    [stop],
  );

  /** Shows the view of the history entry. */
  const showPlace = useCallback(
    async (given: Given): Promise<void> => {
      const { integrations } = given.data;
      const place = readPlace();
      const [first, second] = integrations;
      const at = integrations.find(({ unique_key: key }) => key === place.integration);
      if (first === undefined) setView({ kind: "stopped", reason: "empty" });
      else if (at !== undefined && place.result !== undefined) {
        setView({ kind: "success", integration: at, result: place.result });
      } else if (second === undefined || at !== undefined) await openForm(given, at ?? first);
      else setView({ kind: "choose" });
    },
    [openForm],
  );

  const load = useCallback(
    async (api: Api, stranger: string | undefined): Promise<void> => {
      setView({ kind: "loading" });
      try {
        const data = await loadPage(api);
        if (stranger !== undefined) {
          const isAllowed = data.session.allowed_origins?.includes(stranger) === true;
          if (!isAllowed) return setView({ kind: "stopped", reason: "missing" });
          opener.trust(stranger);
        }
        const texts = await followLanguage(data.session.language);
        applyTheme(data.session.connectUISettings, parameters);
        opener.tell({ type: "settings_changed", payload: data.session.connectUISettings ?? {} });
        setData(data);
        await showPlace({ api, data, texts });
      } catch (error) {
        stop(error);
      }
    },
    [followLanguage, opener, parameters, showPlace, stop],
  );

  useEffect(() => {
    opener.onSessionToken((token, stranger) => setCaller({ api: toApi(host, token), stranger }));
    opener.announce();
  }, [host, opener]);

  useEffect(() => {
    if (caller.api !== undefined) void load(caller.api, caller.stranger);
    else if (!opener.maySendToken) setView({ kind: "stopped", reason: "missing" });
  }, [caller, load, opener]);

  const connecting = useConnecting(parameters.detectClosedAuthWindow, {
    onSuccess({ integration }, result) {
      opener.tell({ type: "connect", payload: result });
      replacePlace({ integration: integration.unique_key, result });
      setView({ kind: "success", integration, result });
    },
    onFailure(attempt, error) {
      if (findStopReason(error) !== undefined) return stop(error);
      opener.tell({
        type: "error",
        payload: { errorType: error.type, errorMessage: error.message },
      });
      setView((before) => {
        const form = formOf(before);
        if (form === undefined || form.integration !== attempt.integration) return before;
        return {
          ...form,
          isBusy: false,
          problem: toProblem(error, form.fields, toFailureTexts(texts)),
        };
      });
    },
    onWindowClosed() {
      setView((before) => (before.kind === "waiting" ? { ...before, isClosed: true } : before));
    },
  });

  function submit(form: FormState, options: AuthOptions): void {
    if (api === undefined) return;
    const attempt: Attempt = { integration: form.integration, provider: form.provider, options };
    const goesToProvider = isBrowserMode(form.provider) && options.installation !== "outbound";
    const next: FormState = { ...form, isBusy: true, problem: undefined };
    connecting.start(api, attempt);
    setView(goesToProvider ? { kind: "waiting", form: next, isClosed: false, options } : next);
  }

  function close(): void {
    connecting.cancel();
    opener.tell({ type: "close" });
    if (!opener.isFrame) window.close();
  }

  const isSettled = view.kind !== "waiting" && !(view.kind === "form" && view.isBusy);
  const closeKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === "Escape" && opener.isFrame && isSettled) close();
  });
  const followHistory = useEffectEvent(() => {
    if (api === undefined || data === undefined || view.kind === "stopped") return;
    turn.current += 1;
    connecting.cancel();
    void showPlace({ api, data, texts });
  });
  useEffect(() => {
    const stopListening = new AbortController();
    window.addEventListener("keydown", closeKey, { signal: stopListening.signal });
    window.addEventListener("popstate", followHistory, { signal: stopListening.signal });
    return () => stopListening.abort();
  }, []);

  const app = data?.session.connectUISettings?.app;
  const isReconnecting = data?.session.isReconnecting === true;
  const hasChoice = (data?.integrations.length ?? 0) > 1;
  const goBack = hasChoice && view.kind === "form" && !view.isBusy ? backToList : undefined;

  /** The list is the entry before the form's. */
  function backToList(): void {
    window.history.back();
  }

  async function choose(integration: Integration): Promise<void> {
    if (api === undefined || data === undefined) return;
    const isThere = await openForm({ api, data, texts }, integration);
    if (isThere) enterPlace({ integration: integration.unique_key });
  }

  function connectAnother(): void {
    enterPlace({});
    setView({ kind: "choose" });
  }

  return (
    <Card
      app={app}
      watermark={data?.session.connectUISettings?.showWatermark === true}
      onBack={goBack}
      onClose={opener.canClose ? close : undefined}
    >
      {showView()}
    </Card>
  );

  function showView() {
    switch (view.kind) {
      case "loading":
        return <LoadingView />;
      case "stopped": {
        const isWorthRetrying = view.reason === "offline" || view.reason === "broken";
        const retry =
          api !== undefined && isWorthRetrying ? () => void load(api, caller.stranger) : undefined;
        return <StoppedView reason={view.reason} onRetry={retry} />;
      }
      case "choose":
        return (
          <ChooseView
            integrations={data?.integrations ?? []}
            opening={view.opening}
            onChoose={(integration) => void choose(integration)}
          />
        );
      case "form":
        return (
          <FormView
            {...view}
            values={values}
            app={app}
            isReconnecting={isReconnecting}
            help={data && findHelp(data, view.integration, view.provider)}
            onChange={setValues}
            onSubmit={(options) => submit(view, options)}
            onRedirect={
              opener.isFrame
                ? undefined
                : (options) => submit(view, { ...options, flow: "redirect" })
            }
          />
        );
      case "waiting":
        return (
          <WaitingView
            integration={view.form.integration}
            isClosed={view.isClosed}
            onAgain={() => submit(view.form, view.options)}
            onCancel={() => {
              connecting.cancel();
              setView({ ...view.form, isBusy: false });
            }}
          />
        );
      case "success":
        return (
          <SuccessView
            {...view}
            isReconnecting={isReconnecting}
            onDone={opener.canClose ? close : undefined}
            onAnother={hasChoice && !isReconnecting ? connectAnother : undefined}
            returnUrl={data && toReturnAddress(data, view.result)}
          />
        );
    }
  }
}

function formOf(view: View): FormState | undefined {
  if (view.kind === "form") return view;
  return view.kind === "waiting" ? view.form : undefined;
}

function toFailureTexts({ failedTitle, failures, failureTitles, refusals }: Texts): FailureTexts {
  return {
    failedTitle,
    failures: new Map(Object.entries(failures)),
    failureTitles: new Map(Object.entries(failureTitles)),
    refusals: new Map(Object.entries(refusals)),
  };
}

function toApi(host: string, sessionToken: string | undefined): Api | undefined {
  return sessionToken === undefined ? undefined : { host, sessionToken };
}
