import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Form } from "react-aria-components/Form";
import { useTexts } from "../../texts/use-texts.ts";
import { Card } from "../panels/card.tsx";
import { FaultBanner } from "../panels/fault-banner.tsx";
import { ScopedButton } from "../scoped-button.tsx";

/** A part of a page whose fields are saved together. */
export function SaveForm({
  title,
  scope,
  isForbidden = false,
  onSave,
  lastChange,
  children,
}: {
  title: string;
  /** In the environment; what the account decides is said by `isForbidden`. */
  scope?: string;
  isForbidden?: boolean;
  onSave: (form: FormData) => Promise<unknown>;
  /** Who changed it last. */
  lastChange?: ReactNode;
  children: ReactNode;
}) {
  const { tables } = useTexts();
  const save = useMutation({ mutationFn: onSave });
  return (
    <Card title={title}>
      <Form
        className="stack padded"
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(new FormData(event.currentTarget));
        }}
      >
        {save.isError && <FaultBanner error={save.error} />}
        {children}
        <div className="row">
          <ScopedButton
            scope={scope}
            type="submit"
            look="primary"
            isDisabled={isForbidden}
            isPending={save.isPending}
          >
            {tables.save}
          </ScopedButton>
          <span role="status">{save.isSuccess ? tables.saved : ""}</span>
          {lastChange}
        </div>
      </Form>
    </Card>
  );
}
