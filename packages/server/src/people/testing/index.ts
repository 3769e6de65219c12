// Owns what tests of other slices need of people: an identity provider on loopback.
export { CLIENT, startIdentityProvider } from "../sso/testing/identity-provider.ts";
