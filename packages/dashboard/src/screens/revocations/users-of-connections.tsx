import { useQuery } from "@tanstack/react-query";
import { sessionQuery } from "../../data/agents/agent-sessions.ts";
import { keysQuery } from "../../data/environment/keys.ts";
import { useMe } from "../../data/me.ts";
import { holdsScope } from "../../data/scopes.ts";
import { plainText, shortenId } from "../../parts/formats.ts";
import { Go } from "../../parts/go.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { homeOf } from "../../start/environment-address.ts";
import { revocationTexts } from "../../texts/screens/revocations.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { sessionPage } from "../agent-sessions/session-words.ts";

/** For whom an agent acted, and with which toolset; the id where the session is gone or may not be read. */
export function AgentSessionLink({ id }: { id: string }) {
  const texts = useTextsOf(revocationTexts);
  const { name: environment } = useEnvironment();
  const may = useMay("environment:agents:read");
  const { data } = useQuery({
    ...sessionQuery(environment, id),
    enabled: may,
    refetchInterval: false,
    retry: false,
  });
  if (data === undefined) return <ShortId id={id} />;
  return (
    <Go target={sessionPage(environment, id)} title={id}>
      {texts.agentFor(plainText(data.end_user_id, 60), plainText(data.toolset, 60))}
    </Go>
  );
}

/** The name of an API key; its id where the key is gone or may not be read. */
export function ApiKeyLink({ id }: { id: string }) {
  const { name: environment } = useEnvironment();
  const may = useMay("environment:api_keys:list");
  const { data: keys = [] } = useQuery({ ...keysQuery({ environment }), enabled: may });
  const key = keys.find((each) => each.id === id);
  if (key === undefined) return <ShortId id={id} />;
  return (
    <Go target={{ to: `${homeOf(environment)}/keys`, search: { open: id } }} title={id}>
      {plainText(key.display_name, 60)}
    </Go>
  );
}

/** The name of a person who signs in; the id once the person is removed. */
export function PersonLink({ id, name }: { id: string; name: string | null }) {
  const { account_scopes: scopes } = useMe();
  const mayOpen = holdsScope(scopes, "account:users:list");
  if (name === null) return <ShortId id={id} />;
  if (!mayOpen) return plainText(name, 80);
  return (
    <Go target={{ to: "/people", search: { open: id } }} title={id}>
      {plainText(name, 80)}
    </Go>
  );
}

function ShortId({ id }: { id: string }) {
  return (
    <span className="mono" title={id}>
      {plainText(shortenId(id, 16))}
    </span>
  );
}
