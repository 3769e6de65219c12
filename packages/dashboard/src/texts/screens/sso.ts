/** Sign-in by an identity provider. */
const english = {
  title: "Single sign-on",
  text: "People sign in with your identity provider, over OpenID Connect.",
  none: "Single sign-on is off: people sign in with passwords and passkeys.",
  form: "Identity provider",
  name: "Name on the sign-in page",
  issuer: "Issuer",
  issuerHelp: "Below it /.well-known/openid-configuration is read, also when you save.",
  clientId: "Client ID",
  clientSecret: "Client secret",
  secretKept: "One is stored. Leave this empty to keep it.",
  secretNone: "Leave this empty for a client without one.",
  redirect: "Register this redirect URI at the provider",
  redirectLater: "The redirect URI to register at the provider is shown after you save.",
  adding: "Who is added",
  addsUsers: "People who are not users yet become users when they sign in",
  domains: "Domains of their e-mail addresses",
  domainsHelp: "One per line. Leave empty for any domain.",
  defaultRights: "What they may do",
  groups: "Rights by group",
  groupClaim: "Claim of the ID token with a person's groups",
  groupClaimHelp:
    "Rights then follow from the groups at each sign-in. Leave empty to give rights by hand.",
  group: "Group",
  addGroup: "Add a group",
  removeGroup: "Remove this group",
  required: "Everyone except owners must sign in this way",
  off: "Switch off",
  offDo: "Switch off single sign-on",
  offText:
    "Nobody can sign in with the identity provider any more. People without another way to sign in need a link.",
};

/** Loaded with the screens that show them. */
export const ssoTexts = { english };
