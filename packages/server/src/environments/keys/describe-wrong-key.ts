const KEY_LENGTH = 57;

// What people put in place of a key, most telling first. None of it is named in the answer but what cannot be secret.
const kinds: readonly [RegExp, string | ((key: string) => string)][] = [
  [
    /^svc_connect_session_/,
    "This is a connect session token; this route takes an API key (`svc_key_…`).",
  ],
  [/^whsec_/, "This is a webhook signing key; this route takes an API key (`svc_key_…`)."],
  [
    /^(undefined|null|None|nil|NaN|\[object Object\])$/,
    (key) => `The API key is the text "${key}": the variable that should hold it is not set.`,
  ],
  [
    /^(\$\{?\w+\}?|<[^>]*>|\{\{.*\}\}|%\w+%)$/,
    "The API key is a placeholder: replace it with the key itself.",
  ],
  [/^["'`]|["'`]$/, "The API key is in quotes; send it without them."],
  [
    /^svc_key_/,
    ({ length }) => {
      if (length === KEY_LENGTH) {
        return "The API key has a wrong character: its checksum does not match. Copy it again.";
      }
      const fault = length < KEY_LENGTH ? "is cut off" : "is too long";
      return `The API key ${fault}: it has ${length} characters, and keys have ${KEY_LENGTH}; copy it again.`;
    },
  ],
  [
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    "This is a UUID, but not of version 4, which preset keys are; other keys start with `svc_key_`.",
  ],
];

/** What a text in place of an API key is, and what to do; undefined when nothing tells. Never holds a secret. */
export function describeWrongKey(key: string): string | undefined {
  const message = kinds.find(([pattern]) => pattern.test(key))?.[1];
  return typeof message === "function" ? message(key) : message;
}
