import type { Operation } from "../../data/operations.ts";
import { plainText } from "../../parts/formats.ts";
import { JsonView } from "../../parts/panels/json-view.tsx";
import { useTexts } from "../../texts/use-texts.ts";

const MOST_CHARACTERS = 4000;
const shownApart = new Set(["type", "message", "stack", "excerpt"]);

/** Why it failed: the message, where in the source, and what else is known. */
export function OperationError({ operation }: { operation: Operation }) {
  const { operations: texts } = useTexts();
  const { error } = operation;
  if (error === null) return null;
  const { message, stack } = Object(error);
  const rest = Object.entries(error).filter(([name]) => !shownApart.has(name));
  return (
    <section className="banner bad column" aria-label={texts.error}>
      <strong>{plainText(typeof message === "string" ? message : operation.message, 1000)}</strong>
      {typeof stack === "string" && <pre className="code">{plainText(stack, MOST_CHARACTERS)}</pre>}
      {rest.length > 0 && <JsonView label={texts.error} value={Object.fromEntries(rest)} />}
    </section>
  );
}
