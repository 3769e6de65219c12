// Owns people who sign in: users, what each may do and where, ways to sign in, sessions, links that work once.
// Tables: users, user_grants, user_sessions, one_time_links, sign_in_failures, passkeys, used_challenges,
// oidc_providers, oidc_identities, totp_secrets, recovery_codes.
export { fillAccount, type NewKeys } from "./accounts/fill-account.ts";
export { newSetupLink } from "./links/setup-link.ts";
export { newOpenLink, newResetLink } from "./links/user-link.ts";
export { authenticateUser } from "./sessions/authenticate-user.ts";
export { placeUser } from "./sessions/place-user.ts";
export { hasSessionCookie } from "./sessions/session-cookie.ts";
export { people } from "./slice.ts";
export { discoverIssuer, throughEgress, toProviderFailure } from "./sso/open-client.ts";
export { disableByOperator, grantByOperator, listPeople } from "./users/by-operator.ts";
export { findUserByEmail, findUserNames } from "./users/store.ts";
