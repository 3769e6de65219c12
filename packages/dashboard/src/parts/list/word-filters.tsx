import { useQuery } from "@tanstack/react-query";
import { integrationsQuery } from "../../data/integrations.ts";
import { isRange, type Period, type Range } from "../../data/ranges.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { type Choice, ChoiceFilter } from "../filters/choice-filter.tsx";
import { PeriodSelect } from "../filters/period-select.tsx";
import { SearchBox } from "../filters/search-box.tsx";
import { SingleFilter } from "../filters/single-filter.tsx";
import { SingleSelect } from "../filters/single-select.tsx";
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

/** One value of a word that always has one: the button says which is in force. */
export function WordSelect({
  word,
  label,
  choices,
  byDefault,
}: {
  word: string;
  label: string;
  choices: readonly Choice[];
  byDefault: string;
}) {
  const { words, change } = useAddress();
  return (
    <SingleSelect
      label={label}
      isLabelled
      chosen={words[word] ?? byDefault}
      choices={choices}
      onChange={(chosen) => change({ [word]: chosen === byDefault ? undefined : chosen })}
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

/** The time that the address names: fixed moments come before a range that ends now. */
export function periodOf(words: SearchWords, byDefault: Range): Period {
  const { range, from, to } = words;
  if (isMoment(from) || isMoment(to)) {
    return { from: isMoment(from) ? from : undefined, to: isMoment(to) ? to : undefined };
  }
  return isRange(range) ? range : byDefault;
}

function isMoment(word: string | undefined): word is string {
  return word !== undefined && !Number.isNaN(Date.parse(word));
}

/** Words of the address for a time. */
export function wordsOf(period: Period): SearchWords {
  return typeof period === "string"
    ? { range: period, from: undefined, to: undefined }
    : { ...period, range: undefined };
}

/** The time that a list is about, by the words `range`, or `from` and `to`. */
export function PeriodFilter({ byDefault }: { byDefault: Range }) {
  const { words, change } = useAddress();
  return (
    <PeriodSelect
      period={periodOf(words, byDefault)}
      onChange={(period) => change(wordsOf(period))}
    />
  );
}

/** One of the environment's integrations. */
export function IntegrationFilter({ word = "integration" }: { word?: string }) {
  const { tables } = useTexts();
  const { name: environment } = useEnvironment();
  const { data: integrations = [] } = useQuery(integrationsQuery(environment));
  const choices = integrations.map(({ unique_key: id }) => ({ id, text: id }));
  return <WordFilter word={word} label={tables.integration} choices={choices} />;
}
