import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type ApiKey, keysQuery, scopeOfKeys } from "../../data/environment/keys.ts";
import { useMe } from "../../data/me.ts";
import { holdsScope } from "../../data/scopes.ts";
import { Badge } from "../../parts/badge.tsx";
import { formatShortDay, plainText } from "../../parts/formats.ts";
import { LinkTabs } from "../../parts/link-tabs.tsx";
import { ListScreen } from "../../parts/list/list-screen.tsx";
import { wholeRows } from "../../parts/list/rows.ts";
import { WordSearch } from "../../parts/list/word-filters.tsx";
import { cliOf, curlOf, nodeOf, quote } from "../../parts/panels/code-panel.tsx";
import type { Column } from "../../parts/table/column.ts";
import { useAddress } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import type { Texts } from "../../texts/english.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { KeyDrawer } from "./key-drawer.tsx";
import { creatorOf, scopesText, stateOf } from "./key-words.ts";
import { NewKeyButton } from "./new-key.tsx";
import { ReplacedKeys } from "./replace-key.tsx";

/** Keys of the environment or, for those who may see them, of the account. */
export function KeysScreen() {
  const { keys: texts, tables } = useTexts();
  const { name: environment, scopes } = useEnvironment();
  const { account_scopes: accountScopes } = useMe();
  const { of, q = "" } = useAddress().words;
  const isAccount = of === "account";
  const owner = useMemo(
    () => (isAccount ? ("account" as const) : { environment }),
    [isAccount, environment],
  );
  const query = useQuery(keysQuery(owner));
  const rows = useMemo(() => findKeys(query.data ?? [], q), [query.data, q]);
  const create = <NewKeyButton owner={owner} />;
  return (
    <ListScreen
      id="keys"
      title={texts.title}
      columns={useMemo(() => columnsOf(texts), [texts])}
      list={wholeRows(query, rows)}
      keyOf={keyOf}
      panel={({ id, row, ...open }) =>
        row !== undefined && (
          <KeyDrawer
            key={id}
            apiKey={row}
            keys={query.data ?? []}
            owner={owner}
            mayChange={holdsScope(isAccount ? accountScopes : scopes, scopeOfKeys(owner, "update"))}
            {...open}
          />
        )
      }
      above={
        <>
          {holdsScope(accountScopes, "account:api_keys:list") && <Owners of={of} />}
          <ReplacedKeys keys={query.data ?? []} owner={owner} />
        </>
      }
      filters={<WordSearch isInstant label={texts.search} />}
      narrowing={{ q: tables.search }}
      total={query.data?.length}
      examples={examplesOf(environment, isAccount)}
      actions={create}
      empty={{ title: texts.emptyTitle, text: texts.emptyText }}
    />
  );
}

function keyOf({ id }: ApiKey): string {
  return id;
}

function findKeys(keys: readonly ApiKey[], wanted: string): readonly ApiKey[] {
  const text = wanted.toLowerCase();
  return keys.filter(({ display_name: name, scopes }) =>
    `${name} ${scopes.join(" ")}`.toLowerCase().includes(text),
  );
}

/** Leads to the keys of the environment and to those of the account. */
function Owners({ of }: { of: string | undefined }) {
  const { keys: texts } = useTexts();
  const { name: environment } = useEnvironment();
  return (
    <LinkTabs
      tabs={[undefined, "account"].map((one) => ({
        id: one ?? "environment",
        text: one === undefined ? texts.ofEnvironment(environment) : texts.ofAccount,
        target: { to: ".", search: one === undefined ? {} : { of: one } },
        isCurrent: one === of,
      }))}
    />
  );
}

function examplesOf(environment: string, isAccount: boolean) {
  if (isAccount) {
    return [
      curlOf("listAccountApiKeys", "account"),
      nodeOf("account", "accountApiKeys.list()"),
      cliOf("keys list --account"),
    ];
  }
  return [
    curlOf("listApiKeys", environment),
    nodeOf(environment, "apiKeys.list()"),
    cliOf(`keys list --environment ${quote(environment)}`),
  ];
}

function columnsOf(texts: Texts["keys"]): readonly Column<ApiKey>[] {
  const day = (at: string | null, without: string) =>
    at === null ? (
      <span className="soft">{without}</span>
    ) : (
      <time dateTime={at} title={at}>
        {formatShortDay(at)}
      </time>
    );
  return [
    {
      id: "name",
      header: texts.name,
      width: "minmax(190px, 1.6fr)",
      cell: ({ display_name: name }) => plainText(name),
    },
    {
      id: "state",
      header: texts.state,
      width: "172px",
      cell: (key) => {
        const [tone, text] = stateOf(key, texts);
        return <Badge tone={tone}>{text}</Badge>;
      },
    },
    {
      id: "scopes",
      header: texts.scopes,
      width: "minmax(140px, 1.2fr)",
      cell: (key) => <span title={key.scopes.join(" ")}>{plainText(scopesText(key, texts))}</span>,
    },
    {
      id: "by",
      header: texts.createdBy,
      width: "minmax(110px, 1fr)",
      cell: (key) => plainText(creatorOf(key, texts)),
    },
    {
      id: "used",
      header: texts.lastUsed,
      width: "124px",
      cell: ({ last_used_at: at }) => day(at, texts.never),
    },
    {
      id: "expires",
      header: texts.expires,
      width: "130px",
      cell: ({ expires_at: at }) => day(at, texts.noExpiry),
    },
    {
      id: "created",
      header: texts.created,
      width: "124px",
      cell: ({ created_at: at }) => day(at, ""),
    },
  ];
}
