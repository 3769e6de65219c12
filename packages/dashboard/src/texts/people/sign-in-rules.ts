import { counted } from "../counted.ts";

/** For which roles a password alone is not enough. */
const english = {
  open: "Second factor …",
  text: "Choose the roles for which a password alone is not enough. A passkey, an authenticator app and single sign-on each count as a second factor.",
  roles: "Roles that need a second factor",
  everyone: "A password alone is enough for every role.",
  needed: (roles: string) => `A password alone is not enough for: ${roles}.`,
  lacking: (count: string) =>
    `With these roles, ${counted(count, "person", "people")} can sign in with a password alone:`,
  nobody: "Everyone with these roles has a second factor.",
  more: (count: string) => `and ${count} more`,
  held: "Within a second after you save, they can only open their own profile, until they add a passkey or an authenticator app.",
  heldSelf:
    "That includes you. Add a passkey or an authenticator app in your profile before you save.",
  risk: "Anyone who knows such a password can add a second factor of their own. Ask these people to add one before you save, or send them a new link to sign in.",
  save: "Save the rule",
  same: "Nothing has changed.",
  withApp: "password with app",
};

/** Loaded with the screens that show them. */
export const signInRulesTexts = { english };
