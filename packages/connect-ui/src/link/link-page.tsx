import { FieldInput } from "@jackfield/ui/field-input.tsx";
import { toField } from "@jackfield/ui/form-fields.ts";
import { Heading } from "@jackfield/ui/heading.tsx";
import { WarningIcon } from "@jackfield/ui/icons.tsx";
import { type FormEvent, useEffect, useState } from "react";
import { applyTheme } from "../apply-theme.ts";
import { toAuthError } from "../stop-reason.ts";
import { useFollowLanguage, useLanguage, useTexts } from "../texts/use-texts.tsx";
import { Card } from "../views/card.tsx";
import { LoadingView } from "../views/end-views.tsx";
import { type OpenedLink, openLink, spendLink } from "./link-api.ts";
import type { LinkParameters } from "./link-parameters.ts";

/** The link is used up or has expired, the end of its address is missing, or there is no network. */
type EndKind = "ended" | "cut" | "offline";

type View =
  | { readonly kind: "loading" }
  | { readonly kind: EndKind }
  | { readonly kind: "open"; readonly link: OpenedLink };

/**
 * Says what a connect link is for, and begins the session at a click only: what merely opens the page, such as a mail
 * scanner, spends nothing.
 */
export function LinkPage({ host, parameters }: { host: string; parameters: LinkParameters }) {
  const { token } = parameters;
  const followLanguage = useFollowLanguage();
  const [view, setView] = useState<View>({ kind: token === "" ? "cut" : "loading" });

  useEffect(() => {
    if (token === "") return;
    openLink(host, token).then(
      async (link) => {
        await followLanguage(link.language ?? undefined);
        applyTheme(link.connectUISettings, parameters);
        setView({ kind: "open", link });
      },
      (error: unknown) => setView({ kind: endOf(error) }),
    );
  }, [followLanguage, host, parameters, token]);

  const settings = view.kind === "open" ? view.link.connectUISettings : undefined;
  return (
    <Card app={settings?.app} watermark={settings?.showWatermark === true}>
      {view.kind === "loading" && <LoadingView />}
      {view.kind === "open" && (
        <OpenView
          link={view.link}
          spend={async (code) => {
            const address = new URL(await spendLink(host, { token, code }));
            if (parameters.lang !== undefined) address.searchParams.set("lang", parameters.lang);
            window.location.replace(address);
          }}
          onEnd={(error) => setView({ kind: endOf(error) })}
        />
      )}
      {view.kind !== "loading" && view.kind !== "open" && <EndedView kind={view.kind} />}
    </Card>
  );
}

function OpenView({
  link,
  spend,
  onEnd,
}: {
  link: OpenedLink;
  spend: (code: string) => Promise<void>;
  onEnd: (error: unknown) => void;
}) {
  const texts = useTexts();
  const language = useLanguage();
  const [code, setCode] = useState("");
  const [fault, setFault] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const field = toField("credentials", "code", {
    title: texts.linkCode,
    description: texts.linkCodeHelp,
  });
  const services =
    link.integrations &&
    new Intl.ListFormat(language, { type: "disjunction" }).format(link.integrations);
  const until = new Date(link.expires_at).toLocaleString(language, {
    dateStyle: "long",
    timeStyle: "short",
  });

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isBusy) return;
    const digits = code.replaceAll(/\D/g, "");
    if (link.needs_code && digits.length !== 6) return setFault(texts.linkCodeWrong);
    setBusy(true);
    try {
      await spend(digits);
    } catch (error) {
      setBusy(false);
      if (toAuthError(error).type === "forbidden") setFault(texts.linkCodeWrong);
      else onEnd(error);
    }
  }

  return (
    <form className="link" noValidate onSubmit={(event) => void submit(event)}>
      <div className="head">
        <Heading>{texts.linkTitle}</Heading>
        <p className="lead">{texts.linkText(link.asks_for, services)}</p>
      </div>
      {link.needs_code && (
        <FieldInput
          field={field}
          texts={texts}
          value={code}
          fault={fault}
          onChange={(value) => {
            setCode(value);
            setFault(undefined);
          }}
          onLeave={() => undefined}
        />
      )}
      <button type="submit" className="primary" aria-disabled={isBusy}>
        {isBusy && <span className="spinner" aria-hidden="true" />}
        {texts.continueInApp}
      </button>
      <p className="stored">{texts.linkUntil(until)}</p>
    </form>
  );
}

function EndedView({ kind }: { kind: EndKind }) {
  const texts = useTexts();
  const unusable = kind === "cut" ? texts.linkCutText : texts.linkEndedText;
  const { title, text } =
    kind === "offline" ? texts.stopped.offline : { title: texts.linkEndedTitle, text: unusable };
  return (
    <div className="center">
      <span className="mark bad">
        <WarningIcon />
      </span>
      <Heading>{title}</Heading>
      <p className="lead">{text}</p>
    </div>
  );
}

function endOf(error: unknown): EndKind {
  return toAuthError(error).type === "network_error" ? "offline" : "ended";
}
