import { ChoiceInput } from "../../../parts/forms/choice-input.tsx";
import { TextInput } from "../../../parts/forms/text-input.tsx";
import { choicesOf } from "../../../parts/list/word-filters.tsx";
import { Card } from "../../../parts/panels/card.tsx";
import { toolsetTexts } from "../../../texts/screens/toolsets.ts";
import { useTextsOf } from "../../../texts/use-texts.ts";
import type { PartProps } from "./part-props.ts";

const ways = ["none", "hosted", "external"] as const;

/** How clients that know the URL alone get in. */
export function ClientsCard({ draft, change, faultAt }: PartProps) {
  const texts = useTextsOf(toolsetTexts);
  const { authorization, issuer, claim } = draft;
  return (
    <Card title={texts.clientsTitle}>
      <div className="stack padded">
        <p className="soft">{texts.clientsText}</p>
        <ChoiceInput
          label={texts.authorization}
          {...(authorization === "hosted" ? { help: texts.hostedHelp } : {})}
          value={authorization}
          choices={choicesOf(texts.authorizations)}
          onChange={(value) =>
            change({ authorization: ways.find((each) => each === value) ?? "none" })
          }
        />
        {authorization === "external" && (
          <>
            <TextInput
              label={texts.issuer}
              name="issuer"
              autoComplete="off"
              help={texts.issuerHelp}
              value={issuer}
              fault={faultAt("authorization.issuer")}
              onChange={(text) => change({ issuer: text })}
            />
            <TextInput
              isOptional
              label={texts.claim}
              name="claim"
              autoComplete="off"
              value={claim}
              fault={faultAt("authorization.end_user_claim")}
              onChange={(text) => change({ claim: text })}
            />
          </>
        )}
      </div>
    </Card>
  );
}
