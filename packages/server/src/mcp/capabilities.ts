/** What a server of tools can do; those who can listen hear of changes. */
export function capabilitiesOf(canListen: boolean) {
  const each = canListen ? { listChanged: true } : {};
  return { tools: each, resources: each };
}
