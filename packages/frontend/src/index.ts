// Jackfield in the browser: opens the hosted connect page, or authorizes without it. Needs the token
// of a connect session; holds no other secret and stores nothing.
export type { OAuthClientOverride } from "./api-types.ts";
export { AuthError, type AuthErrorDetail, type AuthErrorType } from "./auth-error.ts";
export type { AuthOptions, AuthResult } from "./auth-options.ts";
export type { ConnectUI, ConnectUIEvent, ConnectUIOptions } from "./connect-ui.ts";
export type { AuthModeWithForm, Credentials } from "./credentials.ts";
export { Jackfield, type JackfieldOptions } from "./jackfield.ts";
