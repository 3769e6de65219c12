import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useMe } from "../../data/me.ts";
import {
  type AuditEvent,
  type AuditFilter,
  auditHeadQuery,
  auditQuery,
} from "../../data/people/audit.ts";
import { isRange, type Range } from "../../data/ranges.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { RangeSelect } from "../../parts/filters/range-select.tsx";
import { formatDay, formatNumber } from "../../parts/formats.ts";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { usePagedRows } from "../../parts/list/rows.ts";
import { choicesOf, WordFilter, WordSearch } from "../../parts/list/word-filters.tsx";
import { cliOf, curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { auditColumns } from "./audit-columns.tsx";
import { AuditDrawer } from "./audit-drawer.tsx";
import { ExportButtons } from "./export-buttons.tsx";

/** Who changed what in the account, and what was refused, newest first. */
export function AuditScreen() {
  const { audit: texts, tables } = useTexts();
  const { words, change } = useAddress();
  const { environments } = useMe();
  const range: Range = isRange(words["range"]) ? words["range"] : "all";
  const filter: AuditFilter = {
    action: words["q"],
    actor: words["actor"],
    environment_id: words["environment"],
    outcome: words["outcome"],
  };
  const names = environments.map(({ id, name }) => ({ id, text: name }));
  const { actor } = words;
  return (
    <ListScreen
      id="audit"
      title={texts.title}
      columns={useMemo(() => auditColumns(texts, environments), [texts, environments])}
      list={usePagedRows(auditQuery(filter, range))}
      keyOf={keyOf}
      panel={({ row, ...open }) =>
        row !== undefined && <AuditDrawer key={row.id} event={row} {...open} />
      }
      above={<Chain />}
      filters={
        <>
          <WordSearch label={texts.searchLabel} />
          <RangeSelect range={range} onChange={(next) => change({ range: next })} />
          <WordFilter word="outcome" label={texts.outcome} choices={choicesOf(texts.outcomes)} />
          <WordFilter word="environment" label={texts.environment} choices={names} />
          {actor !== undefined && (
            <WordFilter
              word="actor"
              label={texts.actorFilter}
              choices={[{ id: actor, text: actor }]}
            />
          )}
        </>
      }
      values={{
        outcome: texts.outcomes,
        environment: (id) => names.some((each) => each.id === id),
      }}
      narrowing={{
        q: tables.search,
        actor: texts.actorFilter,
        environment: [
          texts.environment,
          Object.fromEntries(names.map(({ id, text }) => [id, text])),
        ],
        outcome: texts.outcome,
        range: [tables.range, tables.ranges],
      }}
      examples={[
        curlOf("listAuditEvents", "account", { query: Object(filter) }),
        nodeOf("account", `audit.listEvents(${JSON.stringify(filter)})`),
        cliOf("audit verify"),
      ]}
      actions={<ExportButtons filter={filter} range={range} />}
      empty={{ title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

function keyOf({ id }: AuditEvent): string {
  return id;
}

/** How far the chain of seals reaches. */
function Chain() {
  const { audit: texts } = useTexts();
  const { data: head } = useQuery(auditHeadQuery);
  if (head === undefined) return null;
  const { seal, seal_id: id, sealed_at: at } = head;
  if (seal === null || id === null || at === null) return <p className="soft">{texts.noChain}</p>;
  return (
    <details className="chain">
      <summary>{texts.chain(formatNumber(id), formatDay(at))}</summary>
      <p className="soft">{texts.chainText}</p>
      <div className="row">
        <code className="cut">{seal}</code>
        <CopyButton isSmall label={texts.copySeal} text={() => seal} />
      </div>
    </details>
  );
}
