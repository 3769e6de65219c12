import type { AuthResult } from "@jackfield/frontend";
import { Heading } from "@jackfield/ui/heading.tsx";
import { CheckIcon, WarningIcon } from "@jackfield/ui/icons.tsx";
import { ServiceLogo } from "@jackfield/ui/service-logo.tsx";
import { useEffect, useState } from "react";
import type { Integration } from "../platform.ts";
import type { StopReason } from "../stop-reason.ts";
import { useTexts } from "../texts/use-texts.tsx";

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
  onAnother,
  returnUrl,
}: {
  integration: Integration;
  result: AuthResult;
  isReconnecting: boolean;
  onDone: (() => void) | undefined;
  /** Leads to the list again, where it has more to choose from. */
  onAnother: (() => void) | undefined;
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
      {onDone === undefined && returnUrl !== undefined && <WayBack returnUrl={returnUrl} />}
      {onDone === undefined && returnUrl === undefined && onAnother !== undefined && (
        <button type="button" className="secondary" onClick={onAnother}>
          {texts.connectAnother}
        </button>
      )}
    </div>
  );

  function title(): string {
    if (result.isPending === true) return texts.pendingTitle(name);
    return isReconnecting ? texts.reconnectedTitle(name) : texts.successTitle(name);
  }
}

const WAY_BACK_SECONDS = 10;

/** Leads back to the app by itself, unless the person wants to stay. */
function WayBack({ returnUrl }: { returnUrl: string }) {
  const texts = useTexts();
  const [secondsLeft, setSecondsLeft] = useState(WAY_BACK_SECONDS);
  const [stays, setStays] = useState(false);
  useEffect(() => {
    if (stays) return;
    const timer = setInterval(() => setSecondsLeft((left) => Math.max(0, left - 1)), 1000);
    return () => clearInterval(timer);
  }, [stays]);
  useEffect(() => {
    if (secondsLeft === 0 && !stays) window.location.assign(returnUrl);
  }, [secondsLeft, stays, returnUrl]);
  return (
    <>
      <a className="primary" href={returnUrl}>
        {texts.continueInApp}
      </a>
      {!stays && (
        <>
          <p className="countdown">{texts.continuesIn(secondsLeft)}</p>
          <button type="button" className="quiet" onClick={() => setStays(true)}>
            {texts.stay}
          </button>
        </>
      )}
    </>
  );
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
