import { Button } from "react-aria-components/Button";
import { ApiError } from "../../data/api.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { CopyButton } from "../copy-button.tsx";
import { plainText } from "../formats.ts";

/** What could not be done, why, and what helps. Data that was loaded before stays on the page. */
export function FaultBanner({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const { tables } = useTexts();
  const { title, text } = describeFault(error, tables);
  const code = error instanceof ApiError ? error.code : "page_error";
  return (
    <div className="banner bad" role="alert">
      <div>
        <strong>{title}</strong>
        <p>{plainText(text, 600)}</p>
        <p className="soft">
          <code>{code}</code>
        </p>
      </div>
      <div className="row">
        {onRetry !== undefined && (
          <Button className="button" onPress={onRetry}>
            {tables.retry}
          </Button>
        )}
        <CopyButton
          label={tables.copyForIssue}
          text={() => `${code}: ${text}\n${window.location.pathname}`}
        />
      </div>
    </div>
  );
}

function describeFault(
  error: unknown,
  tables: Texts["tables"],
): { readonly title: string; readonly text: string } {
  if (!(error instanceof ApiError)) return { title: tables.errorTitle, text: String(error) };
  const { status, isRead, message, retryAfterSeconds } = error;
  const wait = retryAfterSeconds === undefined ? "" : ` ${tables.retryIn(retryAfterSeconds)}`;
  if (status === 0) return { title: tables.unreachableTitle, text: tables.unreachableText };
  if (status === 403) return { title: tables.forbiddenTitle, text: message };
  if (status === 404) return { title: tables.notFoundTitle, text: message };
  if (status === 503) return { title: tables.unavailableTitle, text: `${message}${wait}` };
  return { title: isRead ? tables.errorTitle : tables.actionErrorTitle, text: message };
}
