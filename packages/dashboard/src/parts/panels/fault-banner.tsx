import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from "react";
import { Button } from "react-aria-components/Button";
import { ApiError } from "../../data/api.ts";
import { useShownFault } from "../../data/live/unread-parts.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { CopyButton } from "../copy-button.tsx";
import { plainText } from "../formats.ts";
import { wordFaults } from "../forms/place-faults.ts";

const SECOND = 1000;

const WhoGrants = lazy(async () => ({ default: (await import("./who-grants.tsx")).WhoGrants }));

/** What could not be done, why, and what helps. Data that was loaded before stays on the page. */
export function FaultBanner({
  error,
  onRetry,
  children,
}: {
  error: unknown;
  onRetry?: () => void;
  /** What else helps. */
  children?: ReactNode;
}) {
  const { tables } = useTexts();
  useShownFault(error);
  const left = useCountdown(error, onRetry);
  const { title, text } = describeFault(error, tables);
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  const code = error instanceof ApiError ? error.code : "page_error";
  // What a role may not do is no failure, and nothing to report.
  const isForbidden = error instanceof ApiError && error.status === 403;
  return (
    <div className={isForbidden ? "banner warn" : "banner bad"} role="alert">
      <div>
        <strong>{title}</strong>
        <p>{withCode(plainText(text, 600))}</p>
        {error instanceof ApiError && error.code === "forbidden" && (
          <p>
            <Suspense fallback={tables.forbiddenAsk}>
              <WhoGrants />
            </Suspense>
          </p>
        )}
        {left !== undefined && (
          <p>{onRetry === undefined ? tables.retryIn(left) : tables.retriesIn(left)}</p>
        )}
        <p className="soft">
          <code>{code}</code>
          {requestId !== undefined && (
            <>
              {` · ${tables.requestId} `}
              <code>{plainText(requestId, 60)}</code>
            </>
          )}
        </p>
      </div>
      <div className="row">
        {onRetry !== undefined && (
          <Button className="button" onPress={onRetry}>
            {tables.retry}
          </Button>
        )}
        {children}
        {requestId !== undefined && (
          <CopyButton label={tables.copyRequestId} text={() => requestId} />
        )}
        {isOurs(error) && (
          <CopyButton
            label={tables.copyForIssue}
            text={() =>
              [`${code}: ${text}`, window.location.pathname, requestId].filter(Boolean).join("\n")
            }
          />
        )}
      </div>
    </div>
  );
}

/** Seconds until the server wants to be asked again; then it is. Undefined where it has named no time. */
function useCountdown(error: unknown, onRetry: (() => void) | undefined): number | undefined {
  const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  const isCounted = seconds !== undefined && error instanceof ApiError && error.status === 503;
  const [left, setLeft] = useState(seconds ?? 0);
  const retry = useRef(onRetry);
  useEffect(() => {
    retry.current = onRetry;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another error with the same time counts again
  useEffect(() => {
    if (!isCounted) return;
    const endsAt = Date.now() + seconds * SECOND;
    setLeft(seconds);
    const timer = setInterval(() => {
      const rest = Math.max(0, Math.ceil((endsAt - Date.now()) / SECOND));
      setLeft(rest);
      if (rest > 0) return;
      clearInterval(timer);
      retry.current?.();
    }, SECOND / 4);
    return () => clearInterval(timer);
  }, [error, isCounted, seconds]);
  return isCounted ? left : undefined;
}

/** Names in backticks, as messages of the API have them. */
function withCode(text: string): ReactNode {
  return text.split("`").map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text keep their order
    place % 2 === 0 ? part : <code key={place}>{part}</code>,
  );
}

/** A fault of the page or the server; what the reader can correct, or what passes by itself, is nothing to report. */
function isOurs(error: unknown): boolean {
  if (!(error instanceof ApiError)) return true;
  return (error.status >= 500 && error.status !== 503) || error.code === "unknown_error";
}

/** Whether a code of 404 says that there is no such thing, in words for who calls the API. */
function isGone(code: string): boolean {
  return code.startsWith("unknown_") || code.endsWith("not_found");
}

function goneText(code: string, tables: Texts["tables"]): string {
  const [, thing] = Object.entries(tables.goneThings).find(([name]) => code.includes(name)) ?? [];
  return tables.gone(thing ?? tables.goneThing);
}

function describeFault(
  error: unknown,
  tables: Texts["tables"],
): { readonly title: string; readonly text: string } {
  if (!(error instanceof ApiError)) return { title: tables.errorTitle, text: String(error) };
  const { status, isRead } = error;
  const message = wordFaults(error.details, tables.fieldNames) ?? error.message;
  if (status === 0) {
    const text = isRead ? tables.unreachableText : tables.unansweredText;
    return { title: tables.unreachableTitle, text };
  }
  if (status === 403) {
    return { title: tables.forbiddenTitle, text: message };
  }
  if (status === 404) {
    const text = isGone(error.code) ? goneText(error.code, tables) : message;
    return { title: tables.notFoundTitle, text };
  }
  if (status === 503) return { title: tables.unavailableTitle, text: message };
  return { title: isRead ? tables.errorTitle : tables.actionErrorTitle, text: message };
}
