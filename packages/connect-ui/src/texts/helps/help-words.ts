/** How a language words where a value is found. What providers call their menus stays as they call it. */
export interface HelpWords {
  readonly firstPart: (service: string, address: string, part: string) => string;
  readonly firstPartOfOwn: (address: string, part: string) => string;
  readonly host: (service: string) => string;
  readonly under: (path: string) => string;
  readonly madeUnder: (path: string) => string;
  readonly madeByAdmin: (path: string) => string;
  readonly madeAt: (address: string) => string;
  readonly madeAtUnder: (address: string, path: string) => string;
  readonly madeIn: (place: string, path: string) => string;
  readonly shownUnder: (path: string) => string;
  readonly shownAt: (address: string) => string;
  readonly shownOnce: () => string;
  readonly ofYourApp: (address: string) => string;
  /** Follows one of the sentences above: how the value begins. */
  readonly startsWith: (sentence: string, start: string) => string;
  /** Whole sentences of the catalogue that several providers share. */
  readonly sentences: Readonly<Record<string, string>>;
}

type Wording = Exclude<keyof HelpWords, "startsWith" | "sentences">;

/** Way through menus: no word that makes a sentence of it. */
const isPath = (text: string): boolean =>
  !/[,;:]| (?:of|in|on|with|where|once|for|by|or|the|an?) /.test(text);
const anyText = (): boolean => true;

/** Sentences of the catalogue; each group is what stays, and a check that nothing of it would have to be translated. */
const patterns: readonly {
  readonly name: Wording;
  readonly pattern: RegExp;
  readonly fits: (text: string) => boolean;
}[] = [
  {
    name: "firstPart",
    pattern: /^The first part of your (\S+(?: \S+)?) address: in (\S+) it is (\S+)$/,
    fits: anyText,
  },
  {
    name: "firstPartOfOwn",
    pattern: /^The first part of your address: in (\S+) it is (\S+)$/,
    fits: anyText,
  },
  {
    name: "host",
    pattern: /^The host of your (\S+(?: \S+)?) address(?:, without https:\/\/)?$/,
    fits: isPath,
  },
  {
    name: "madeByAdmin",
    pattern: /^Created by an? (?:super |organisation |Enterprise )?admin under (.+)$/,
    fits: isPath,
  },
  // Where a provider has only one such place, its menus say enough.
  {
    name: "madeUnder",
    pattern: /^Create it in the (?:admin )?(?:dashboard|console|center|portal) under (.+)$/i,
    fits: isPath,
  },
  {
    name: "under",
    pattern: /^Find it in the (?:admin )?(?:dashboard|console|center|portal) under (.+)$/i,
    fits: isPath,
  },
  { name: "under", pattern: /^Find it under (.+) in the (?:dashboard|console)$/, fits: isPath },
  { name: "madeUnder", pattern: /^Create it under (.+)$/, fits: isPath },
  { name: "madeAtUnder", pattern: /^Create it at (\S+) under (.+)$/, fits: isPath },
  { name: "madeAt", pattern: /^Create it at (\S+)$/, fits: anyText },
  { name: "madeIn", pattern: /^Create it in ([A-Z]\S*(?: [A-Z]\S*)*) under (.+)$/, fits: isPath },
  { name: "shownUnder", pattern: /^Shown under (.+)$/, fits: isPath },
  { name: "shownAt", pattern: /^Find it at (\S+)$/, fits: anyText },
  {
    name: "shownOnce",
    pattern:
      /^Shown once(?: when (?:the|your) .+ (?:is|are) (?:made|created|registered)|, next to the .+)$/,
    fits: anyText,
  },
  { name: "ofYourApp", pattern: /^Of your app, at (\S+)$/, fits: anyText },
  { name: "under", pattern: /^Find it under (.+)$/, fits: isPath },
];

/** The catalogue's sentence in the words of a language; as it is where these have none for it. */
export function wordHelp(words: HelpWords | undefined, help: string): string {
  if (words === undefined) return help;
  if (Object.hasOwn(words.sentences, help)) return words.sentences[help] ?? help;
  const [described = "", start] = help.replace(/\.$/, "").split("; it starts with ");
  if (start !== undefined && !/^\S+(?:, \S+)*(?: or \S+)?$/.test(start)) return help;
  const [sentence = "", ...further] = described.split("; it is shown once");
  const worded = wordSentence(words, sentence);
  if (worded === undefined || further.some((rest) => rest !== "")) return help;
  const whole = further.length === 0 ? worded : joinSentences(worded, words.shownOnce());
  if (start === undefined) return whole;
  return words.startsWith(whole, start.split(/, | or /).join(" / "));
}

function wordSentence(words: HelpWords, sentence: string): string | undefined {
  for (const { name, pattern, fits } of patterns) {
    const [whole, ...parts] = pattern.exec(sentence) ?? [];
    if (whole === undefined) continue;
    if (!parts.every(fits)) return undefined;
    const [first = "", second = "", third = ""] = name === "shownOnce" ? [] : parts;
    return words[name](first, second, third);
  }
  return undefined;
}

/** Japanese has no space between sentences. */
function joinSentences(one: string, next: string): string {
  return one.endsWith("。") ? one + next : `${one} ${next}`;
}
