/** What an address may begin with that is no environment: pages of their own, and the folder of the page's files. */
export const takenBeginnings: readonly string[] = [
  "assets",
  "audit",
  "environments",
  "installation",
  "invite",
  "o",
  "people",
  "profile",
  "setup",
  "sign-in",
  "sso",
];

/** Before the name of an environment that is one of these; no name has it. */
const MARK = "~";

/** The first screen of an environment, to which its others are added. */
export function homeOf(environment: string): string {
  const mark = takenBeginnings.includes(environment) ? MARK : "";
  return `/${mark}${encodeURIComponent(environment)}`;
}

/** Name of the environment that an address begins with. */
export function environmentOf(part: string): string {
  return part.startsWith(MARK) ? part.slice(MARK.length) : part;
}
