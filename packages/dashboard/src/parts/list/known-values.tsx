import { Button } from "react-aria-components/Button";
import { useTexts } from "../../texts/use-texts.ts";
import { plainText } from "../formats.ts";
import { Empty } from "../panels/empty.tsx";
import { listOf, type SearchWords, useAddress } from "../use-address.ts";

/** Words of the address that take certain values only: what these are called, or a rule for them. */
export type KnownValues = Readonly<
  Record<string, Readonly<Record<string, string>> | ((value: string) => boolean)>
>;

/** Words whose values mean nothing to a list, which would be read as if they were not there. */
export function unknownWords(values: KnownValues, words: SearchWords): readonly string[] {
  return Object.entries(values).flatMap(([word, known]) => {
    const isKnown = (value: string) =>
      typeof known === "function" ? known(value) : Object.hasOwn(known, value);
    return listOf(words[word]).every(isKnown) ? [] : [word];
  });
}

/** In place of a list whose address has filters that it does not know. */
export function UnknownFilter({ unknown }: { unknown: readonly string[] }) {
  const { tables } = useTexts();
  const { words, change } = useAddress();
  const named = unknown.map((word) => `${word}=${plainText(words[word] ?? "", 60)}`);
  return (
    <Empty title={tables.unknownFilter} text={tables.unknownFilterText(named.join(", "))}>
      <Button
        className="button"
        onPress={() => change(Object.fromEntries(unknown.map((word) => [word, undefined])))}
      >
        {tables.clearUnknown}
      </Button>
    </Empty>
  );
}
