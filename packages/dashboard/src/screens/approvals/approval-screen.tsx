import { useQuery } from "@tanstack/react-query";
import { approvalQuery } from "../../data/environment/approvals.ts";
import { DetailScreen } from "../../parts/detail-screen.tsx";
import { curlOf, nodeOf } from "../../parts/panels/code-panel.tsx";
import { usePathValues } from "../../parts/use-address.ts";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ApprovalDetail } from "./approval-detail.tsx";
import { approvalsPath } from "./approval-words.ts";

/** One call of an agent as a page. */
export function ApprovalScreen() {
  const { approvals: texts } = useTexts();
  const { name: environment } = useEnvironment();
  const { approvalId: id = "" } = usePathValues();
  return (
    <DetailScreen
      query={useQuery(approvalQuery(environment, id))}
      title={(approval) => approval && texts.panelTitle(approval.tool)}
      goneTitle={texts.goneTitle}
      parent={{ text: texts.title, target: { to: approvalsPath(environment) } }}
      examples={[
        curlOf("getAgentApproval", environment, { params: { id } }),
        nodeOf(environment, `agent.getApproval(${JSON.stringify(id)})`),
      ]}
    >
      {(approval) => (
        <div className="stack measure">
          <ApprovalDetail approval={approval} />
        </div>
      )}
    </DetailScreen>
  );
}
