import { note } from "./error-note.ts";

/** Errors of signing in, and of calls by users. */
export const peopleErrorNotes = {
  not_signed_in: note(
    "The cookie of the session is missing, or the session has ended: by signing out, after 12 hours without a call, or after 7 days.",
    "Sign in again. A program sends an API key as `Authorization: Bearer` instead.",
  ),
  untrusted_request: note(
    "A browser's session counts only in calls of this installation's own pages. This call came from elsewhere, or its address is not the one that the server knows.",
    "Set `SVC_DASHBOARD_URL` to the address in the browser, with https. The message names the condition that is not met.",
  ),
  session_not_taken: note(
    "The answer of this route comes from a provider. In a browser that has signed in it could act as the user.",
    "Call it from a program with an API key.",
  ),
  sign_in_failed: note(
    "There is no user with this address, the password is another one, or the user is disabled. The answer does not say which.",
    "Ask an admin for a link to set a new password, or run `jackfield users reset <e-mail>` on the server.",
  ),
  sign_in_paused: note(
    "Several sign-ins for this address have failed, so the next one has to wait; each failure makes the wait longer.",
    "Wait for the seconds in `Retry-After`. Other ways to sign in are not held up.",
  ),
  invalid_link: note(
    "A link for setup, an invitation or a new password works once and for a limited time; a new one ends those before it.",
    "Ask who sent it for another one. `jackfield setup-link` makes another setup link.",
  ),
  last_owner: note(
    "The change would leave the account without an owner who can sign in.",
    "Make somebody else an owner with `PATCH /users/{id}`, then repeat the change.",
  ),
  step_up_required: note(
    "Calls that show secrets, give rights or delete much need a proof of identity from the last 10 minutes.",
    "Call `POST /me/elevate`, then repeat the call. API keys need no such proof.",
  ),
} as const;
