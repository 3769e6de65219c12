import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTexts } from "../../texts/use-texts.ts";
import { Card } from "../panels/card.tsx";
import { ScopedButton, ScopeNote } from "../scoped-button.tsx";
import { ApiForm } from "./api-form.tsx";

/** A part of a page whose fields are saved together. */
export function SaveForm({
  title,
  scope,
  onSave,
  lastChange,
  values,
  children,
}: {
  title: string;
  /** Left out for what everybody may do. */
  scope?: string;
  onSave: (form: FormData) => Promise<unknown>;
  /** Who changed it last. */
  lastChange?: ReactNode;
  /** Paths of the values of fields that are not named after their value. */
  values?: Readonly<Record<string, string>>;
  children: ReactNode;
}) {
  const { tables } = useTexts();
  const save = useMutation({ mutationFn: onSave });
  return (
    <Card title={title}>
      <ApiForm
        className="stack padded"
        error={save.error}
        {...(values === undefined ? {} : { values })}
        onSend={(form) => save.mutate(form)}
      >
        {scope !== undefined && <ScopeNote scope={scope} />}
        {children}
        <div className="row">
          <ScopedButton scope={scope} type="submit" look="primary" isPending={save.isPending}>
            {tables.save}
          </ScopedButton>
          <span role="status">{save.isSuccess ? tables.saved : ""}</span>
          {lastChange}
        </div>
      </ApiForm>
    </Card>
  );
}
