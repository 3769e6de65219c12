import type { DeployedFunction, FunctionName } from "../../data/functions/functions.ts";
import { fieldsOf, schemaOf } from "../../data/functions/json-schema.ts";
import { formatDay, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { JsonView } from "../../parts/panels/json-view.tsx";
import { PlainTable } from "../../parts/plain-table.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { CallersCard, ScopesCard } from "./access-cards.tsx";
import { FiguresCard } from "./figures-card.tsx";
import { RecordCard } from "./record-card.tsx";

/** What a function is, takes and gives. */
export function OverviewTab({ own, name }: { own: DeployedFunction; name: FunctionName }) {
  const { functions: texts, tables } = useTexts();
  const yesOrNo = (value: boolean | undefined) =>
    value === undefined ? undefined : value ? tables.yes : tables.no;
  const isAction = own.type === "action";
  return (
    <div className="columns">
      <div className="stack">
        <FiguresCard name={name} />
        {own.input === undefined ? (
          isAction && <p className="soft">{texts.noInput}</p>
        ) : (
          <SchemaCard
            title={`${isAction ? texts.input : texts.metadata}: ${own.input}`}
            own={own}
            name={own.input}
          />
        )}
        {own.returns.map((name) => (
          <SchemaCard
            key={name}
            title={`${isAction ? texts.output : texts.models}: ${name}`}
            own={own}
            name={name}
          />
        ))}
        <ScopesCard own={own} name={name} />
      </div>
      <div className="stack">
        <Card title={texts.about}>
          <Facts
            rows={[
              [texts.description, own.description && plainText(own.description, 1000)],
              [texts.version, plainText(own.version)],
              [texts.deployed, formatDay(own.last_deployed)],
              [texts.source, texts.sources[own.source]],
              [texts.frequency, own.runs],
              [texts.autoStart, yesOrNo(own.auto_start)],
              [texts.trackDeletes, yesOrNo(own.track_deletes)],
              [texts.event, own.event],
            ]}
          />
        </Card>
        <CallersCard own={own} />
        <RecordCard name={name} />
        <Card title={texts.wholeSchema}>
          <JsonView label={texts.wholeSchema} value={own.json_schema} />
        </Card>
      </div>
    </div>
  );
}

/** A model, field by field. */
function SchemaCard({ title, own, name }: { title: string; own: DeployedFunction; name: string }) {
  const { functions: texts, tables } = useTexts();
  const fields = fieldsOf(own.json_schema, schemaOf(own.json_schema, name));
  const columns = [
    {
      header: texts.field,
      cell: (field: (typeof fields)[number]) => <code>{plainText(field.name)}</code>,
    },
    { header: texts.fieldType, cell: (field: (typeof fields)[number]) => plainText(field.type) },
    {
      header: texts.needed,
      cell: (field: (typeof fields)[number]) => (field.isNeeded ? tables.yes : tables.no),
    },
    {
      header: texts.meaning,
      cell: (field: (typeof fields)[number]) => plainText(field.description, 400),
    },
  ];
  return (
    <Card title={plainText(title)}>
      {fields.length === 0 ? (
        <JsonView label={plainText(title)} value={schemaOf(own.json_schema, name)} />
      ) : (
        <PlainTable
          label={plainText(title)}
          columns={columns}
          rows={fields}
          keyOf={(field) => field.name}
        />
      )}
    </Card>
  );
}
