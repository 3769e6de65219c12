import { invalidFields } from "#platform";

/** Throws invalid_body for a password that others would try first. */
export function requireGoodPassword(
  password: string,
  { email, name }: { email: string; name: string },
): void {
  const fault = findFault(password, { email, name });
  if (fault === undefined) return;
  throw invalidFields("invalid_body", [{ path: ["password"], message: fault }]);
}

const FEWEST_CHARACTERS = 5;

function findFault(
  password: string,
  { email, name }: { email: string; name: string },
): string | undefined {
  const text = password.toLowerCase();
  if (new Set(text).size < FEWEST_CHARACTERS) return "repeats a few characters";
  const own = [email, email.split("@")[0] ?? "", name, name.replaceAll(" ", "")]
    .map((word) => word.toLowerCase())
    .filter((word) => word.length > 3);
  if (own.some((word) => text.replaceAll(word, "").length < text.length / 2)) {
    return "is made of the name or the e-mail address";
  }
  return undefined;
}
