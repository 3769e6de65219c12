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
  second_factor_required: note(
    "The password is right, and the user has an authenticator app whose code has to come with it.",
    "Send the 6 digits that the app shows as `code`, or a recovery code. Who has neither asks an admin for `DELETE /users/{id}/totp`, or runs `jackfield users reset <e-mail>` on the server.",
  ),
  second_factor_missing: note(
    "The account asks people of this role for more than a password, and this session was begun with a password alone.",
    "Add a passkey, or an authenticator app with `POST /me/totp`: the session counts from then on. An owner changes the rule with `PUT /account/sign-in-rules`.",
  ),
  passkey_refused: note(
    "The answer of the browser is older than 5 minutes, was used, or is of another address than that of the dashboard.",
    "Begin again with `POST /me/passkeys/options`. Set `SVC_DASHBOARD_URL` to the address that the browser shows: a passkey works on its host alone.",
  ),
  sign_in_paused: note(
    "Several sign-ins for this address have failed, so the next one has to wait; each failure makes the wait longer.",
    "Wait for the seconds in `Retry-After`. Other ways to sign in are not held up.",
  ),
  sso_required: note(
    "The account lets everybody but owners sign in by its identity provider alone.",
    "Sign in with the identity provider, or ask an owner to change `PUT /account/sso`.",
  ),
  identity_provider_failed: note(
    "The issuer cannot be reached, its answer is not valid, or it refused the client or the sign-in. The message has its words.",
    "Check issuer, client and the redirect address that `GET /account/sso` names. An address in a private network has to be opened with `SVC_EGRESS_ALLOW`.",
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
  unknown_agent_token: note(
    "The session of the agent was ended, or is past its `expires_at`.",
    "Make another session with `POST /agent/sessions` and give its token to the agent.",
  ),
} as const;
