import type { ReactNode } from "react";
import { Button } from "react-aria-components/Button";
import type { Searched } from "../../data/paged-query.ts";
import type { Period } from "../../data/ranges.ts";
import { noRowsTexts } from "../../texts/screens/lists/no-rows.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { CodeTabs } from "../code/code-tabs.tsx";
import { periodText } from "../filters/period-select.tsx";
import { formatNumber, formatShortDay, plainText } from "../formats.ts";
import type { CodeExample } from "../panels/code-panel.tsx";
import { Empty } from "../panels/empty.tsx";
import { listOf, useAddress } from "../use-address.ts";
import type { KnownValues } from "./known-values.tsx";
import type { Rows } from "./rows.ts";

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
  const texts = useTextsOf(noRowsTexts);
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
    total === undefined ? undefined : texts.without(formatNumber(total)),
    isOfAllTime || time === undefined ? undefined : `${tables.range}: ${time}.`,
  ].filter((part) => part !== undefined);
  const without = Object.fromEntries(filters.map((word) => [word, undefined]));
  return (
    <Empty title={tables.noneMatch} {...(said.length === 0 ? {} : { text: said.join(" ") })}>
      <div className="row">
        {filters.map((word) => (
          <Button key={word} className="button" onPress={() => change({ [word]: undefined })}>
            {texts.remove(nameOf(props, word, words[word]))}
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

const DAY_MS = 24 * 60 * 60 * 1000;

/** A search that ended before all was read: how far it has come, and a button to continue. */
export function SearchedPart({ list, from, oldest }: Searched & { list: Rows<unknown> }) {
  const texts = useTextsOf(noRowsTexts);
  // The time of a list that begins now, or when the page was read.
  const end = Math.max(list.dataUpdatedAt, Date.parse(from));
  const daysSince = (at: string) => (end - Date.parse(at)) / DAY_MS;
  const all = Math.max(Math.ceil(daysSince(oldest)), 1);
  const done = Math.min(Math.floor(daysSince(from) * 10) / 10, all);
  return (
    <div className="row searched">
      <span role="status">
        {texts.searched(formatNumber(done), formatNumber(all), formatShortDay(from))}
      </span>
      <Button className="button small" isPending={list.isFetching} onPress={list.readMore}>
        {texts.searchOn}
      </Button>
    </div>
  );
}
