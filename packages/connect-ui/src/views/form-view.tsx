import type { AuthOptions } from "@jackfield/frontend";
import { FieldInput } from "@jackfield/ui/field-input.tsx";
import { type FormField, type FormValues, listVisibleFields } from "@jackfield/ui/form-fields.ts";
import { Heading } from "@jackfield/ui/heading.tsx";
import { LockIcon, WarningIcon } from "@jackfield/ui/icons.tsx";
import type { Problem } from "@jackfield/ui/problem.ts";
import { ServiceLogo } from "@jackfield/ui/service-logo.tsx";
import { validateField, validateForm } from "@jackfield/ui/validate-field.ts";
import { useEffect, useRef, useState } from "react";
import { isBrowserMode } from "../list-form-fields.ts";
import type { HelpPage } from "../load-page.ts";
import type { App, Integration, Provider } from "../platform.ts";
import type { Scope } from "../scopes/scope.ts";
import { useTexts } from "../texts/use-texts.tsx";
import { toAuthOptions } from "../to-auth-options.ts";
import { AccessList, AppTerms } from "./access.tsx";

export interface FormViewProps {
  readonly integration: Integration;
  readonly provider: Provider;
  readonly fields: readonly FormField[];
  /** What the provider will be asked for. */
  readonly scopes: readonly Scope[];
  readonly app: App | undefined;
  readonly values: FormValues;
  readonly isReconnecting: boolean;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  readonly help: HelpPage | undefined;
  readonly onChange: (values: FormValues) => void;
  readonly onSubmit: (options: AuthOptions) => void;
  /** Goes to the provider in this window, where a second one is blocked. */
  readonly onRedirect: ((options: AuthOptions) => void) | undefined;
}

/** What has to be known before the connection can be made, and the button that makes it. */
export function FormView(props: FormViewProps) {
  const { integration, provider, isReconnecting, isBusy, problem, help } = props;
  const texts = useTexts();
  const name = integration.display_name;
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const form = useRef<HTMLFormElement>(null);
  const alert = useRef<HTMLDivElement>(null);
  const visible = listVisibleFields(props.fields, props.values);
  const opensBrowser = isBrowserMode(provider);

  useEffect(() => {
    if (problem === undefined) return;
    setFaults(problem.faults);
    alert.current?.focus();
  }, [problem]);

  function change(field: FormField, value: string): void {
    props.onChange({ ...props.values, [field.id]: value });
    if (faults.has(field.id)) setFault(field, undefined);
  }

  function setFault(field: FormField, fault: string | undefined): void {
    const next = new Map(faults);
    if (fault === undefined) next.delete(field.id);
    else next.set(field.id, fault);
    setFaults(next);
  }

  function leave(field: FormField): void {
    const value = props.values[field.id] ?? "";
    if (value !== "") setFault(field, validateField(field, value, texts));
  }

  function submit(go: (options: AuthOptions) => void): void {
    if (isBusy) return;
    const found = validateForm(visible, props.values, texts);
    setFaults(found);
    const first = visible.find(({ id }) => found.has(id));
    if (first === undefined) go(toAuthOptions(provider, visible, props.values));
    else form.current?.querySelector<HTMLElement>(`[id="${CSS.escape(first.id)}"]`)?.focus();
  }

  const inputs = (fields: readonly FormField[]) =>
    fields.map((field) => (
      <FieldInput
        texts={texts}
        key={field.id}
        field={field}
        value={props.values[field.id] ?? ""}
        fault={faults.get(field.id)}
        onChange={(value) => change(field, value)}
        onLeave={() => leave(field)}
      />
    ));
  const own = visible.filter(({ target }) => target === "override");
  const asked = visible.filter(({ target }) => target !== "override");
  const lead = opensBrowser
    ? texts.browserText(name)
    : asked.length > 0
      ? texts.formText(name)
      : texts.nothingText(name);

  return (
    <>
      <div className="head">
        <div className="title">
          <ServiceLogo service={integration} size="large" />
          <div>
            <Heading>
              {isReconnecting ? texts.reconnectTitle(name) : texts.connectTitle(name)}
            </Heading>
            {integration.detail !== undefined && <p className="detail">{integration.detail}</p>}
          </div>
        </div>
        {isReconnecting && <p className="lead">{texts.reconnectText(name)}</p>}
        <p className="lead">{lead}</p>
      </div>
      <AccessList app={props.app} scopes={props.scopes} />
      {problem !== undefined && (
        <div className="problem" role="alert" tabIndex={-1} ref={alert}>
          <WarningIcon />
          <div>
            <strong>{problem.title}</strong>
            <p>{problem.text}</p>
          </div>
        </div>
      )}
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit(props.onSubmit);
        }}
      >
        {inputs(asked)}
        {own.length > 0 && (
          <fieldset>
            <legend>{texts.ownClientTitle}</legend>
            <p className="help">{texts.ownClientText}</p>
            {inputs(own)}
          </fieldset>
        )}
        {help !== undefined && visible.length > 0 && (
          <p className="doc">
            <a href={help.url} target="_blank" rel="noopener noreferrer">
              {help.isGuide ? texts.help : texts.documentation(name)}
              <span className="hidden"> ({texts.helpInNewTab})</span>
            </a>
          </p>
        )}
        <button type="submit" className="primary" aria-disabled={isBusy}>
          {isBusy && <span className="spinner" aria-hidden="true" />}
          {buttonText()}
        </button>
        {problem?.type === "blocked_by_browser" && props.onRedirect !== undefined && (
          <button
            type="button"
            className="secondary"
            onClick={() => props.onRedirect && submit(props.onRedirect)}
          >
            {texts.continueHere}
          </button>
        )}
      </form>
      <AppTerms app={props.app} />
      <p className="stored">
        <LockIcon />
        {texts.stored}
      </p>
    </>
  );

  function buttonText(): string {
    if (isBusy) return texts.connecting;
    if (problem !== undefined && opensBrowser) return texts.tryAgain;
    if (opensBrowser) return texts.continueTo(name);
    return isReconnecting ? texts.reconnect : texts.connect;
  }
}
