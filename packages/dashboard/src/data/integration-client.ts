/** What an integration holds of a client at the provider. */
interface ClientForm {
  readonly hasScopes: boolean;
}

/** Auth modes whose integrations have a client that a person enters; others are set up without one. */
const forms: ReadonlyMap<string, ClientForm> = new Map([
  ["OAUTH1", { hasScopes: false }],
  ["OAUTH2", { hasScopes: true }],
]);

export function clientFormOf(authMode: string): ClientForm | undefined {
  return forms.get(authMode);
}
