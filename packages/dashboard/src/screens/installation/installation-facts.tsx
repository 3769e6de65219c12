import type { Installation } from "../../data/observe/installation.ts";
import {
  formatBytes,
  formatDay,
  formatNumber,
  formatSpan,
  plainText,
} from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { installationTexts } from "../../texts/screens/installation.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

const MILLISECONDS = 1000;
/** Server, database, disk, schema, keys, isolation and addresses, a card each. */
export function InstallationFacts({ installation }: { installation: Installation }) {
  const texts = useTextsOf(installationTexts);
  const { tables } = useTexts();
  const { database, disk, migrations, key_ring: keys, sandbox, addresses, egress } = installation;
  const yesOrNo = (value: boolean) => (value ? tables.yes : tables.no);
  return (
    <div className="halves">
      <Card title={texts.server}>
        <Facts
          rows={[
            [texts.version, plainText(installation.version)],
            [texts.node, plainText(installation.node_version)],
            [texts.started, formatDay(installation.started_at)],
            [texts.uptime, formatSpan(installation.uptime_seconds * MILLISECONDS)],
            [texts.roles, installation.roles.map((role) => texts.roleNames[role]).join(", ")],
            [texts.processes, formatNumber(installation.api_processes)],
          ]}
        />
      </Card>
      <Card title={texts.database}>
        <Facts
          rows={[
            [texts.version, plainText(database.version)],
            [texts.size, formatBytes(database.bytes)],
            [
              texts.connections,
              texts.ofConnections(
                formatNumber(database.connections),
                formatNumber(database.busy_connections),
                formatNumber(database.max_connections),
              ),
            ],
            [texts.pool, formatNumber(database.pool_size)],
            [texts.answer, formatSpan(database.answer_ms)],
            [
              texts.disk,
              disk === null
                ? texts.unknown
                : texts.free(formatBytes(disk.free_bytes), formatBytes(disk.total_bytes)),
            ],
            [
              texts.migrations,
              texts.applied(formatNumber(migrations.applied), migrations.last ?? texts.none),
            ],
            [texts.pending, migrations.pending.join(", ") || texts.none],
          ]}
        />
      </Card>
      <Card title={texts.keys}>
        <Facts
          rows={[
            [texts.dataKeys, formatNumber(keys.data_keys)],
            [texts.otherMaster, formatNumber(keys.under_other_master_keys)],
            [texts.otherHolders, formatNumber(keys.other_holders)],
            [texts.rotating, yesOrNo(keys.is_rotating)],
          ]}
        />
      </Card>
      <Card title={texts.sandbox}>
        <Facts
          rows={[
            [texts.level, sandbox.level],
            [texts.why, sandbox.reason && plainText(sandbox.reason, 400)],
            [texts.filter, yesOrNo(sandbox.filters_calls)],
            [texts.limits, texts.ofLimits[sandbox.limits]],
            [
              texts.running,
              texts.ofRunning(
                formatNumber(sandbox.processes),
                formatNumber(sandbox.idle_processes),
              ),
            ],
          ]}
        />
      </Card>
      {egress !== undefined && (
        <Card title={texts.egress}>
          <Facts
            rows={[
              [texts.egressPolicy, texts.egressPublic],
              [texts.egressPrivate, texts.egressRefused],
              [texts.egressOpen, plainText(egress.allow.join(", "), 2000) || texts.none],
              [texts.authorities, formatNumber(egress.added_authorities)],
            ]}
          />
        </Card>
      )}
      <Card title={texts.addresses}>
        <Facts
          rows={[
            [texts.api, plainText(addresses.server)],
            [texts.connectPage, plainText(addresses.connect)],
            [texts.dashboard, addresses.dashboard && plainText(addresses.dashboard)],
          ]}
        />
      </Card>
    </div>
  );
}
