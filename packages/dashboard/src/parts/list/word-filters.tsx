import { useQuery } from "@tanstack/react-query";
import { integrationsQuery } from "../../data/integrations.ts";
import { isRange, type Range } from "../../data/ranges.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { type Choice, ChoiceFilter } from "../filters/choice-filter.tsx";
import { RangeSelect } from "../filters/range-select.tsx";
import { SearchBox } from "../filters/search-box.tsx";
import { SingleFilter } from "../filters/single-filter.tsx";
import { listOf, type SearchWords, useAddress } from "../use-address.ts";

/** Values and what they are called, as texts have them. */
export function choicesOf(texts: Readonly<Record<string, string>>): readonly Choice[] {
  return Object.entries(texts).map(([id, text]) => ({ id, text }));
}

/** One value of a word of the address. */
export function WordFilter({
  word,
  label,
  choices,
}: {
  word: string;
  label: string;
  choices: readonly Choice[];
}) {
  const { words, change } = useAddress();
  return (
    <SingleFilter
      label={label}
      chosen={words[word]}
      choices={choices}
      onChange={(chosen) => change({ [word]: chosen })}
    />
  );
}

/** Some values of a word of the address, with commas between them. */
export function WordsFilter({
  word,
  label,
  choices,
}: {
  word: string;
  label: string;
  choices: readonly Choice[];
}) {
  const { words, change } = useAddress();
  return (
    <ChoiceFilter
      label={label}
      chosen={listOf(words[word])}
      choices={choices}
      onChange={(chosen) => change({ [word]: chosen.join(",") })}
    />
  );
}

/** Text that is looked for. `isInstant`: in rows that are there, as it is typed. */
export function WordSearch({
  word = "q",
  label,
  isInstant = false,
}: {
  word?: string;
  label: string;
  isInstant?: boolean;
}) {
  const { words, change } = useAddress();
  return (
    <SearchBox
      isInstant={isInstant}
      label={label}
      value={words[word] ?? ""}
      onSearch={(text) => change({ [word]: text }, { replace: isInstant })}
    />
  );
}

/** The range that the address names. */
export function rangeOf(words: SearchWords, byDefault: Range): Range {
  const { range } = words;
  return isRange(range) ? range : byDefault;
}

/** The time that a list is about, by the word `range`. */
export function RangeFilter({ byDefault }: { byDefault: Range }) {
  const { words, change } = useAddress();
  return <RangeSelect range={rangeOf(words, byDefault)} onChange={(range) => change({ range })} />;
}

/** One of the environment's integrations. */
export function IntegrationFilter({ word = "integration" }: { word?: string }) {
  const { tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: integrations = [] } = useQuery(integrationsQuery(environment));
  const choices = integrations.map(({ unique_key: id }) => ({ id, text: id }));
  return <WordFilter word={word} label={tables.integration} choices={choices} />;
}
