import { useMutation } from "@tanstack/react-query";
import { downloadAnswer } from "../../data/download.ts";
import type { AuditFilter } from "../../data/people/audit.ts";
import { type Range, startOf } from "../../data/ranges.ts";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useTexts } from "../../texts/use-texts.ts";

/** The events that the filters let through, all of them, as a file. */
export function ExportButtons({ filter, range }: { filter: AuditFilter; range: Range }) {
  const { audit: texts } = useTexts();
  const download = useMutation({
    mutationFn: async (format: "ndjson" | "csv") => {
      const query = Object({ ...filter, from: startOf(range, Date.now()), format });
      const fileName = `audit-${new Date().toISOString().slice(0, 10)}.${format}`;
      await downloadAnswer("exportAuditEvents", { query }, { fileName });
    },
  });
  return (
    <>
      <ScopedButton
        scope="account:audit:read"
        isPending={download.isPending}
        onPress={() => download.mutate("ndjson")}
      >
        {texts.exportJson}
      </ScopedButton>
      <ScopedButton
        scope="account:audit:read"
        isPending={download.isPending}
        onPress={() => download.mutate("csv")}
      >
        {texts.exportCsv}
      </ScopedButton>
      {download.isError && <FaultBanner error={download.error} />}
    </>
  );
}
