import { useState } from "react";
import { useOperationNames } from "../../data/operations.ts";
import { ChoiceFilter } from "../../parts/filters/choice-filter.tsx";
import { NameFilter } from "../../parts/filters/name-filter.tsx";
import { listOf, type SearchWords } from "../../parts/use-address.ts";
import { useTexts } from "../../texts/use-texts.ts";

const named = ["integrations", "connections", "functions"] as const;

/** What a list of operations is narrowed to, each part with its own button. */
export function OperationFilters({
  environment,
  words,
  onChange,
}: {
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
      <ChoiceFilter
        label={texts.state}
        choices={Object.entries(texts.states).map(([id, text]) => ({ id, text }))}
        chosen={listOf(words["states"])}
        onChange={(states) => onChange({ states: states.join(",") })}
      />
      <ChoiceFilter
        label={texts.type}
        choices={Object.entries(texts.types).map(([id, text]) => ({ id, text }))}
        chosen={listOf(words["types"])}
        onChange={(types) => onChange({ types: types.join(",") })}
      />
      {named.map((of) => (
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
