import { useState } from "react";
import { useOperationNames } from "../../data/operations.ts";
import { NameFilter } from "../../parts/filters/name-filter.tsx";
import { choicesOf, WordFilter, WordsFilter } from "../../parts/list/word-filters.tsx";
import type { SearchWords } from "../../parts/use-address.ts";
import { useTexts } from "../../texts/use-texts.ts";

const named = ["integrations", "connections", "functions"] as const;

type Part = "states" | "types" | (typeof named)[number];

/** What a list of operations is narrowed to, each part with its own button. */
export function OperationFilters({
  of: parts = ["states", "types", ...named],
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
