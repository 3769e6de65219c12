import { useInfiniteQuery } from "@tanstack/react-query";
import { messagesQuery, type Operation } from "../../../data/operations.ts";
import { plainText } from "../../../parts/formats.ts";
import { Go } from "../../../parts/go.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { functionPageTexts } from "../../../texts/functions/function-page.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import { lineOf } from "../../functions/function-words.ts";
import { frameOf } from "./stack-frame.ts";

const MOST_LINES = 40;
const newestErrors = { levels: "error", order: "desc" } as const;

/** Where the function of an operation failed, with links to the lines of its source. */
export function FailureStack({ operation }: { operation: Operation }) {
  const texts = useTextsOf(functionPageTexts);
  const { name: environment } = useEnvironment();
  const hasFailed = operation.error !== null && operation.function !== null;
  const query = useInfiniteQuery({
    ...messagesQuery(environment, operation.id, newestErrors),
    enabled: hasFailed,
  });
  const stack = query.data?.pages
    .flatMap(({ data }) => data)
    .map(({ error }) => Object(Object(error).payload).stack)
    .find((found) => typeof found === "string");
  if (stack === undefined) return null;
  return (
    <Card title={texts.failedAt}>
      <pre className="code">
        {stack
          .split("\n")
          .slice(0, MOST_LINES)
          .map((text: string, place: number) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text have no other name
            <span className="block" key={place}>
              <StackLine text={text} operation={operation} />
            </span>
          ))}
      </pre>
      <p className="soft padded">{texts.failedAtText}</p>
    </Card>
  );
}

function StackLine({ text, operation }: { text: string; operation: Operation }) {
  const { name: environment } = useEnvironment();
  const { integration, function: called } = operation;
  const { type } = operation.operation;
  const frame = called === null ? undefined : frameOf(text, called.name);
  if (frame === undefined || called === null || integration === null || !hasPage.has(type)) {
    return plainText(text, 1000);
  }
  const name = { integration: integration.name, type, name: called.name };
  return (
    <>
      {plainText(frame.before, 1000)}
      <Go target={lineOf(environment, name, frame.line)}>{plainText(frame.place, 300)}</Go>
      {plainText(frame.after, 1000)}
    </>
  );
}

/** Types of operations that functions of the same type have. */
const hasPage: ReadonlySet<string> = new Set(["sync", "action"]);
