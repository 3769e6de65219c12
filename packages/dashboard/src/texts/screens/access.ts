/** What the pages of people who have not signed in say of links that no longer work. */
const english = {
  hasOwner:
    "This installation already has an owner. Ask an owner or admin to invite you, or sign in.",
  newInvite: "Ask an owner or admin for a new link. If you have used this one, sign in.",
  newSignIn:
    "A link of jackfield open works once, for two minutes. Run it again in the folder of the server, or sign in another way:",
  toSignIn: "Go to sign-in",
};

export const accessTexts = { english };
