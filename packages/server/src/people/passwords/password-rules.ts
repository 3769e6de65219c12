import { invalidFields } from "#foundation";

/** Throws invalid_body for a password that others would try first. */
export async function requireGoodPassword(
  password: string,
  owner: { readonly email: string; readonly name: string },
): Promise<void> {
  const fault = await findFault(password.normalize("NFKC").toLowerCase(), owner);
  if (fault === undefined) return;
  throw invalidFields("invalid_body", [{ path: ["password"], message: fault }]);
}

const FEWEST_CHARACTERS = 5;
const SHORTEST_OWN_WORD = 4;

async function findFault(
  text: string,
  { email, name }: { readonly email: string; readonly name: string },
): Promise<string | undefined> {
  if (new Set(text).size < FEWEST_CHARACTERS) return "repeats a few characters";
  const own = [email, email.split("@")[0] ?? "", name, name.replaceAll(" ", "")]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= SHORTEST_OWN_WORD);
  if (own.some((word) => text.replaceAll(word, "").length < text.length / 2)) {
    return "is made of the name or the e-mail address";
  }
  const known = await readCommonPasswords();
  const core = withoutRepetition(lettersWithin(text));
  if (known.has(text) || known.has(core)) {
    return "is a common password, or one with digits or signs added; it would be tried first";
  }
  return undefined;
}

/** From the first letter to the last: digits and signs are what people put around a word. */
function lettersWithin(text: string): string {
  const characters = [...text];
  const isLetter = (character: string) => /\p{L}/u.test(character);
  const first = characters.findIndex(isLetter);
  return first < 0
    ? text
    : characters.slice(first, characters.findLastIndex(isLetter) + 1).join("");
}

/** The word of a text that is one word several times over. */
function withoutRepetition(text: string): string {
  for (let length = 1; length <= text.length / 2; length += 1) {
    if (text.length % length !== 0) continue;
    const word = text.slice(0, length);
    if (word.repeat(text.length / length) === text) return word;
  }
  return text;
}

// Process-wide: some 50,000 passwords of leaks, the same for everybody, read when the first password is set.
let commonPasswords: Promise<ReadonlySet<string>> | undefined;

async function readCommonPasswords(): Promise<ReadonlySet<string>> {
  commonPasswords ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) => new Set(dictionary["passwords-common"]),
  );
  return await commonPasswords;
}
