// Owns the authorization server that other slices' tests share.
export { type OidcServer, startOidcServer } from "./oidc-server.ts";
