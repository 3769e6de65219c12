import type { AuthResult } from "@jackfield/frontend";
import { Heading } from "@jackfield/ui/heading.tsx";
import { CheckIcon, WarningIcon } from "@jackfield/ui/icons.tsx";
import { ServiceLogo } from "@jackfield/ui/service-logo.tsx";
import type { Integration } from "./platform.ts";
import type { StopReason } from "./stop-reason.ts";
import { useTexts } from "./use-texts.ts";

export function LoadingView() {
  const texts = useTexts();
  return (
    <div className="center tall" role="status">
      <span className="spinner big" aria-hidden="true" />
      <span className="hidden">{texts.loading}</span>
    </div>
  );
}

/** While the person is at the provider, in a window of their own. */
export function WaitingView({
  integration,
  isClosed,
  onAgain,
  onCancel,
}: {
  integration: Integration;
  isClosed: boolean;
  onAgain: () => void;
  onCancel: () => void;
}) {
  const texts = useTexts();
  return (
    <div className="center">
      <div className="orbit">
        <ServiceLogo service={integration} size="large" />
      </div>
      <Heading>{texts.waitingTitle(integration.display_name)}</Heading>
      <p className="lead" role="status">
        {isClosed ? texts.waitingClosed : texts.waitingText}
      </p>
      <div className="actions">
        <button type="button" className={isClosed ? "primary" : "secondary"} onClick={onAgain}>
          {texts.openAgain}
        </button>
        <button type="button" className="quiet" onClick={onCancel}>
          {texts.cancel}
        </button>
      </div>
    </div>
  );
}

export function SuccessView({
  integration,
  result,
  isReconnecting,
  onDone,
  returnUrl,
}: {
  integration: Integration;
  result: AuthResult;
  isReconnecting: boolean;
  onDone: (() => void) | undefined;
  returnUrl: string | undefined;
}) {
  const texts = useTexts();
  const name = integration.display_name;
  return (
    <div className="center">
      <span className="mark good">
        <CheckIcon />
      </span>
      <Heading>{title()}</Heading>
      <p className="lead">
        {result.isPending === true ? texts.pendingText(name) : ""}
        {onDone === undefined && returnUrl === undefined ? ` ${texts.successText}` : ""}
      </p>
      {onDone !== undefined && (
        <button type="button" className="primary" onClick={onDone}>
          {texts.done}
        </button>
      )}
      {onDone === undefined && returnUrl !== undefined && (
        <a className="primary" href={returnUrl}>
          {texts.continueInApp}
        </a>
      )}
    </div>
  );

  function title(): string {
    if (result.isPending === true) return texts.pendingTitle(name);
    return isReconnecting ? texts.reconnectedTitle(name) : texts.successTitle(name);
  }
}

/** The page cannot continue; says why and what to do. */
export function StoppedView({
  reason,
  onRetry,
}: {
  reason: StopReason;
  onRetry: (() => void) | undefined;
}) {
  const texts = useTexts();
  const { title, text } = texts.stopped[reason];
  return (
    <div className="center">
      <span className="mark bad">
        <WarningIcon />
      </span>
      <Heading>{title}</Heading>
      <p className="lead">{text}</p>
      {onRetry !== undefined && (
        <button type="button" className="primary" onClick={onRetry}>
          {texts.tryAgain}
        </button>
      )}
    </div>
  );
}
