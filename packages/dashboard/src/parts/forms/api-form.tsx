import { createContext, type ReactNode, useMemo, useState } from "react";
import { Form } from "react-aria-components/Form";
import { ApiError } from "../../data/api.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { FaultBanner } from "../panels/fault-banner.tsx";
import { placeFaults } from "./place-faults.ts";

const noValues = {};

/** What the server found wrong, by the names of fields, for those that are not of React Aria. Another object each time. */
export const FieldFaults = createContext<Readonly<Record<string, string>>>({});

/** A form that is sent to the server, and shows what the server finds wrong at the fields themselves. */
export function ApiForm({
  className,
  error,
  values = noValues,
  onSend,
  children,
}: {
  className: string;
  /** Of the last call; null without one. */
  error: unknown;
  /** Paths of the values of fields that are not named after their value. */
  values?: Readonly<Record<string, string>>;
  onSend: (form: FormData) => void;
  children: ReactNode;
}) {
  const { tables } = useTexts();
  const [names, setNames] = useState<readonly string[]>([]);
  // The same as long as the error is: another object would mark a field again that was corrected meanwhile.
  const { atFields, rest } = useMemo(
    () => placeError(error, { names, values }),
    [error, names, values],
  );
  const isMarked = Object.keys(atFields).length > 0;
  return (
    <Form
      className={className}
      validationErrors={atFields}
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        setNames([...form.keys()]);
        onSend(form);
      }}
    >
      {(rest ?? null) !== null && <FaultBanner error={rest} />}
      {isMarked && (
        <p className="banner bad" role="alert">
          {tables.fieldFaults}
        </p>
      )}
      <FieldFaults value={atFields}>{children}</FieldFaults>
    </Form>
  );
}

/** What to say at the fields, and the error that is left, if any. */
function placeError(error: unknown, form: Parameters<typeof placeFaults>[1]) {
  if (!(error instanceof ApiError)) return { atFields: {}, rest: error };
  const { atFields, rest } = placeFaults(error.details, form);
  if (Object.keys(atFields).length === 0) return { atFields, rest: error };
  if (rest.length === 0) return { atFields, rest: undefined };
  const { code, message, status, isRead, requestId } = error;
  const left = { code, message, status, isRead, requestId, details: rest };
  return { atFields, rest: new ApiError(left) };
}
