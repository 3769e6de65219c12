import { note } from "./error-note.ts";

/** Errors of signing in, and of calls by users. */
export const peopleErrorNotes = {
  not_signed_in: note(
    "The session's cookie is missing, or the session has ended: after signing out, after 12 hours without a call, or after 7 days.",
    "Sign in again. A program sends an API key as `Authorization: Bearer` instead.",
  ),
  untrusted_request: note(
    "A browser's session works only in calls from this installation's own pages. This call came from elsewhere, or its URL is not the one that the server knows.",
    "Set `SVC_DASHBOARD_URL` to the URL in the browser, with https. The message names the condition that is not met.",
  ),
  session_not_taken: note(
    "The answer of this route comes from a provider. In a signed-in browser it could act as the user.",
    "Call it from a program with an API key.",
  ),
  sign_in_failed: note(
    "There is no user with this address, the password is wrong, or the user is disabled. The answer does not say which.",
    "Ask an admin for a link to set a new password, or run `jackfield users reset <e-mail>` on the server.",
  ),
  second_factor_required: note(
    "The password is correct, and the user also needs the code of their authenticator app.",
    "Send the 6 digits that the app shows as `code`, or a recovery code. If you have neither, ask an admin for `DELETE /users/{id}/totp`, or run `jackfield users reset <e-mail>` on the server.",
  ),
  second_factor_missing: note(
    "The account requires more than a password for this role, and this session began with a password alone.",
    "Add a passkey, or an authenticator app with `POST /me/totp`: the session then works. An owner can change the rule with `PUT /account/sign-in-rules`.",
  ),
  passkey_refused: note(
    "The browser's answer is older than 5 minutes, was already used, or comes from another address than the dashboard's.",
    "Begin again with `POST /me/passkeys/options`. Set `SVC_DASHBOARD_URL` to the URL that the browser shows: a passkey works only on its host.",
  ),
  sign_in_paused: note(
    "Several sign-ins for this address have failed, so the next one has to wait; each failure makes the wait longer.",
    "Wait for the seconds in `Retry-After`. Other ways to sign in are not delayed.",
  ),
  sso_required: note(
    "The account allows everybody except owners to sign in only with its identity provider.",
    "Sign in with the identity provider, or ask an owner to change `PUT /account/sso`.",
  ),
  identity_provider_failed: note(
    "The issuer cannot be reached, its answer is not valid, or it refused the client or the sign-in. The message has the details.",
    "Check the issuer, the client and the redirect URI in `GET /account/sso`. Allow an address in a private network with `SVC_EGRESS_ALLOW`.",
  ),
  invalid_link: note(
    "A link for setup, an invitation or a new password works once and for a limited time; a new one invalidates earlier ones.",
    "Ask the sender for another one. `jackfield setup-link` creates another setup link.",
  ),
  last_owner: note(
    "The change would leave the account without an owner who can sign in.",
    "Make somebody else an owner with `PATCH /users/{id}`, then repeat the change.",
  ),
  step_up_required: note(
    "Calls that reveal secrets, grant rights or delete need a step-up within the last 10 minutes.",
    "Call `POST /me/elevate`, then repeat the call. API keys need no step-up.",
  ),
  unknown_agent_token: note(
    "The agent's session was ended, or is past its `expires_at`.",
    "Create another session with `POST /agent/sessions` and give its token to the agent.",
  ),
} as const;
