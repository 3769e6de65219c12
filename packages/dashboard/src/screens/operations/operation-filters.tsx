import { useState } from "react";
import { useOperationNames } from "../../data/operations.ts";
import { NameFilter } from "../../parts/filters/name-filter.tsx";
import { formatSpan } from "../../parts/formats.ts";
import { choicesOf, WordFilter, WordsFilter } from "../../parts/list/word-filters.tsx";
import type { SearchWords } from "../../parts/use-address.ts";
import { useTexts } from "../../texts/use-texts.ts";

const named = ["integrations", "connections", "functions"] as const;

type Part = "states" | "types" | "facts" | (typeof named)[number];

/** Classes of statuses, and those that are looked for most. */
const statuses = [
  ...["2xx", "3xx", "4xx", "5xx"],
  ...["400", "401", "403", "404", "409", "422", "429", "500", "502", "503", "504"],
];

/** Whether the API knows it as a status of an answer. */
export function isStatus(word: string): boolean {
  return /^[1-5](\d\d|xx)$/.test(word);
}

/** Whether it is a time in milliseconds, of up to a week. */
export function isSpan(word: string): boolean {
  return /^\d{1,9}$/.test(word) && Number(word) <= 604_800_000;
}

/** What a list of operations is narrowed to, each part with its own button. */
export function OperationFilters({
  of: parts = ["states", "types", ...named, "facts"],
  environment,
  words,
  onChange,
}: {
  of?: readonly Part[];
  environment: string;
  words: SearchWords;
  onChange: (changed: SearchWords) => void;
}) {
  const { operations: texts } = useTexts();
  const labels = {
    integrations: texts.integration,
    connections: texts.connection,
    functions: texts.function,
  };
  return (
    <>
      {parts.includes("states") && (
        <WordsFilter word="states" label={texts.state} choices={choicesOf(texts.states)} />
      )}
      {parts.includes("types") && (
        <WordsFilter word="types" label={texts.type} choices={choicesOf(texts.types)} />
      )}
      {words["actors"] !== undefined && (
        <WordFilter
          word="actors"
          label={texts.causedBy}
          choices={[{ id: words["actors"], text: words["actors"] }]}
        />
      )}
      {named
        .filter((of) => parts.includes(of))
        .map((of) => (
          <NamedFilter
            key={of}
            of={of}
            label={labels[of]}
            environment={environment}
            chosen={words[of]}
            onChange={(name) => onChange({ [of]: name })}
          />
        ))}
      {parts.includes("facts") && <FactFilters words={words} />}
    </>
  );
}

/** What the answer was, and how long it took; an address may have any other status and time. */
function FactFilters({ words }: { words: SearchWords }) {
  const { operations: texts } = useTexts();
  const choices = choicesOf(texts.slowFrom);
  const others = (span: string | undefined) =>
    span !== undefined && isSpan(span) && !Object.hasOwn(texts.slowFrom, span)
      ? [{ id: span, text: formatSpan(Number(span)) }]
      : [];
  return (
    <>
      <WordsFilter
        word="statuses"
        label={texts.statusCode}
        choices={statuses.map((status) => ({ id: status, text: status }))}
      />
      <WordFilter word="slow" label={texts.slow} choices={[...choices, ...others(words["slow"])]} />
      <WordFilter word="fast" label={texts.fast} choices={[...choices, ...others(words["fast"])]} />
    </>
  );
}

function NamedFilter({
  of,
  label,
  environment,
  chosen,
  onChange,
}: {
  of: (typeof named)[number];
  label: string;
  environment: string;
  chosen: string | undefined;
  onChange: (name: string | undefined) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const names = useOperationNames(environment, of, typed);
  return (
    <NameFilter label={label} chosen={chosen} names={names} onType={setTyped} onChange={onChange} />
  );
}
