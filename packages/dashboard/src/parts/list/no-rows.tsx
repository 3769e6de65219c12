import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import type { Period } from "../../data/ranges.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { periodText } from "../filters/period-select.tsx";
import { formatNumber, plainText } from "../formats.ts";
import { type CodeExample, CodeTabs } from "../panels/code-panel.tsx";
import { Empty } from "../panels/empty.tsx";
import { listOf, useAddress } from "../use-address.ts";
import type { KnownValues } from "./known-values.tsx";

/**
 * Words of the address that narrow a list, each with what its filter is called, and with the names of its values where
 * `values` has none.
 */
export type Narrowing = Readonly<
  Record<string, string | readonly [label: string, names: Readonly<Record<string, string>>]>
>;

/** What is said of a list that has no rows at all, and the calls that would fill it. */
export interface EmptyList {
  readonly title: string;
  readonly text?: string;
  readonly action?: ReactNode;
  readonly code?: readonly CodeExample[];
}

const timeWords = ["range", "from", "to"] as const;

/** Words of the address that have a list show all of its time, which every list of a time does not do by default. */
const allTime = { range: "all", from: undefined, to: undefined };

interface NoRowsProps {
  readonly narrowing: Narrowing;
  readonly values?: KnownValues;
  readonly empty: EmptyList;
  readonly noneText?: string;
  readonly period?: Period;
  readonly total?: number | undefined;
}

/** Nothing there yet, or nothing that the time or the filters let through: then each can be taken away. */
export function NoRows(props: NoRowsProps) {
  const { narrowing, empty, noneText, period, total } = props;
  const { tables } = useTexts();
  const { words, change } = useAddress();
  const filters = Object.keys(narrowing).filter((word) => words[word] !== undefined);
  const isOfAllTime =
    period === undefined || timeWords.every((word) => words[word] === allTime[word]);
  const time = period === undefined ? undefined : periodText(tables, period);
  if (filters.length === 0) {
    return (
      <Empty
        title={isOfAllTime || time === undefined ? empty.title : tables.nothingIn(time)}
        {...(empty.text === undefined ? {} : { text: empty.text })}
      >
        {!isOfAllTime && (
          <Button className="button" onPress={() => change(allTime)}>
            {tables.showAllTime}
          </Button>
        )}
        {empty.action}
        {empty.code !== undefined && <CodeTabs examples={empty.code} />}
      </Empty>
    );
  }
  const said = [
    noneText,
    total === undefined ? undefined : tables.withoutFilters(formatNumber(total)),
    isOfAllTime || time === undefined ? undefined : `${tables.range}: ${time}.`,
  ].filter((part) => part !== undefined);
  const without = Object.fromEntries(filters.map((word) => [word, undefined]));
  return (
    <Empty title={tables.noneMatch} {...(said.length === 0 ? {} : { text: said.join(" ") })}>
      <div className="row">
        {filters.map((word) => (
          <Button key={word} className="button" onPress={() => change({ [word]: undefined })}>
            {tables.removeNamed(nameOf(props, word, words[word]))}
          </Button>
        ))}
        {!isOfAllTime && (
          <Button className="button" onPress={() => change(allTime)}>
            {tables.showAllTime}
          </Button>
        )}
        <Button
          className="button"
          onPress={() => change({ ...without, ...(period === undefined ? {} : allTime) })}
        >
          {tables.clearFilters}
        </Button>
      </div>
    </Empty>
  );
}

/** A filter as its button has it: `State: failed`. */
function nameOf({ narrowing, values }: NoRowsProps, word: string, value = ""): string {
  const named = narrowing[word] ?? word;
  const [label, names] = typeof named === "string" ? [named, values?.[word]] : named;
  if (typeof names !== "object") return `${label}: ${plainText(value, 60)}`;
  const texts = listOf(value).map((one) => names[one] ?? plainText(one, 40));
  return `${label}: ${texts.join(", ")}`;
}
