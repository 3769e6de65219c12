export interface HostileBody {
  readonly name: string;
  readonly contentType: string;
  readonly body: Buffer;
}

const JSON_TYPE = "application/json";
const FORM = "application/x-www-form-urlencoded";

/** The unit again and again between both ends, as often as the bytes allow; `#` in it is a number that counts up. */
function repeat(bytes: number, unit: string, [head, tail]: readonly [string, string] = ["", ""]) {
  const parts: string[] = [];
  const room = bytes - head.length - tail.length;
  for (let size = 0, n = 0; size < room; n += 1) {
    const part = unit.replace("#", n.toString(36));
    parts.push(part);
    size += part.length;
  }
  return head + parts.join("") + tail;
}

// Each is dear for one parser or another: in values, keys, levels, marks, escapes or numbers.
const shapes: Readonly<Record<string, (bytes: number) => string>> = {
  "many keys": (n) => repeat(n, '"#":1,', ["{", '"z":1}']),
  "one key again and again": (n) => repeat(n, '"a":1,', ["{", '"a":1}']),
  "keys of the prototype": (n) => repeat(n, '"__proto__":{"#":1},', ["{", '"constructor":1}']),
  "empty lists": (n) => repeat(n, "[],", ['{"events":[', "[]]}"]),
  "empty objects": (n) => repeat(n, "{},", ["[", "{}]"]),
  "events of a vendor": (n) =>
    repeat(n, '{"id":"#"},', ['{"events":[', '{}],"value":[{}],"eventNotifications":[{}]}']),
  "250 levels": (n) =>
    repeat(n, `${'{"a":'.repeat(249)}1${"}".repeat(249)},`, ['{"events":[', "1]}"]),
  "opening brackets": (n) => repeat(n, "["),
  "one long text": (n) => repeat(n, "x", ['{"type":"', '"}']),
  "a text of escapes": (n) => repeat(n, "\\u0041", ['{"type":"', '"}']),
  "a text of tokens": (n) => repeat(n, "-eyJ", ['{"type":"', '"}']),
  backslashes: (n) => repeat(n, "\\\\", ['{"type":"', '"}']),
  "an open text": (n) => repeat(n, "\\", ['"', ""]),
  quotes: (n) => repeat(n, '""'),
  commas: (n) => repeat(n, ","),
  colons: (n) => repeat(n, ":"),
  spaces: (n) => repeat(n, " ", ["", "{}"]),
  "one long number": (n) => repeat(n, "1", ['{"type":', "}"]),
  "numbers beyond all": (n) => repeat(n, "1e999,", ['{"type":[', "1]}"]),
  ampersands: (n) => repeat(n, "&"),
  "empty fields": (n) => repeat(n, "a&"),
  "fields without end": (n) => repeat(n, "k#=v&", ["notif=&payload=&", ""]),
  "equals signs": (n) => repeat(n, "="),
  "plus signs": (n) => repeat(n, "+", ["notif=", ""]),
  "percent codes": (n) => repeat(n, "%41", ["payload=", ""]),
  semicolons: (n) => repeat(n, "a;"),
  "XML levels": (n) => repeat(n, "<a>"),
  "XML entities": (n) => repeat(n, "&x;", ['<!DOCTYPE a [<!ENTITY x "yy">]><a>', "</a>"]),
  "parts of a form": (n) =>
    repeat(n, '--b\r\ncontent-disposition: form-data; name="#"\r\n\r\n1\r\n'),
  "NUL bytes": (n) => repeat(n, "\0"),
  "half of a surrogate pair": (n) => repeat(n, "\\ud800", ['{"type":"', '"}']),
};

/** Bodies of so many bytes that cost as much as a stranger can make them cost, under two content types each. */
export function hostileBodies(bytes: number): HostileBody[] {
  return Object.entries(shapes).flatMap(([shape, make]) => {
    const body = Buffer.from(make(bytes));
    return [JSON_TYPE, FORM].map((contentType) => ({
      name: `${shape} as ${contentType}`,
      contentType,
      body,
    }));
  });
}
