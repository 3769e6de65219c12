import { callApi } from "../../../data/api.ts";
import {
  type Connection,
  type ConnectionName,
  type CredentialSummary,
  callOfConnection,
} from "../../../data/connections.ts";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { plainText } from "../../../parts/formats.ts";
import { Reveal } from "../../../parts/forms/reveal.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { curlOf } from "../../../parts/panels/code-panel.tsx";
import { useEnvironment } from "../../../shell/use-environment.ts";
import { connectionTexts } from "../../../texts/screens/connection.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";

const MASK = "••••••••";

/** The fields of the credentials, each behind a mask. Values never come with a page. */
export function CredentialValues({
  connection,
  name,
  summary: { fields },
}: {
  connection: Connection;
  name: ConnectionName;
  summary: CredentialSummary;
}) {
  const texts = useTextsOf(connectionTexts);
  const isFrozen = connection.frozen_by !== null;
  return (
    <Card title={texts.values}>
      <p className="soft padded">
        {isFrozen ? texts.frozen : fields.length === 0 ? texts.noValues : texts.valuesText}
      </p>
      {!isFrozen && (
        <ul className="plain-list secrets">
          {fields.map((field) => (
            <Field key={field} name={name} field={field} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function Field({ name, field }: { name: ConnectionName; field: string }) {
  const texts = useTextsOf(connectionTexts);
  const { name: environment } = useEnvironment();
  return (
    <li>
      <code>{plainText(field, 100)}</code>
      <Reveal
        label={texts.valueOf(plainText(field, 100))}
        mask={MASK}
        scope="environment:connections:read_credentials"
        read={async () => {
          const call = { environment, ...callOfConnection(name), body: { field } };
          return (await callApi("revealConnectionField", call)).data.value;
        }}
      />
    </li>
  );
}

/** How a program reads all of them. */
export function ReadByKey({ name }: { name: ConnectionName }) {
  const texts = useTextsOf(connectionTexts);
  const { name: environment } = useEnvironment();
  const code = curlOf("getConnection", environment, callOfConnection(name)).text;
  return (
    <Card title={texts.readByKey} actions={<CopyButton isSmall text={() => code} />}>
      <p className="soft padded">{texts.readByKeyText}</p>
      <pre className="code">{code}</pre>
    </Card>
  );
}
