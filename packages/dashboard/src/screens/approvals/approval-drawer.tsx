import { useQuery } from "@tanstack/react-query";
import { approvalQuery } from "../../data/environment/approvals.ts";
import { plainText } from "../../parts/formats.ts";
import { QueryDrawer } from "../../parts/panels/query-drawer.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ApprovalDetail } from "./approval-detail.tsx";
import { approvalPage } from "./approval-words.ts";

/** One call of an agent next to the list. */
export function ApprovalDrawer({
  id,
  ...open
}: {
  id: string;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { approvals: texts } = useTexts();
  const { name: environment } = useEnvironment();
  return (
    <QueryDrawer
      query={useQuery(approvalQuery(environment, id))}
      title={({ tool }) => plainText(texts.panelTitle(tool), 80)}
      page={approvalPage(environment, id)}
      {...open}
    >
      {(approval) => <ApprovalDetail approval={approval} />}
    </QueryDrawer>
  );
}
