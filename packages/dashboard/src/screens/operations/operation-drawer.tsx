import { useQuery } from "@tanstack/react-query";
import { isNotFound } from "../../data/api.ts";
import { type Operation, operationQuery } from "../../data/operations.ts";
import { Badge } from "../../parts/badge.tsx";
import { plainText } from "../../parts/formats.ts";
import { Drawer } from "../../parts/panels/drawer.tsx";
import { DrawerFault } from "../../parts/panels/query-drawer.tsx";
import { useEnvironment } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { FailureStack } from "./failure/failure-stack.tsx";
import { OperationAgain } from "./operation-again.tsx";
import { OperationError } from "./operation-error.tsx";
import { OperationFacts } from "./operation-facts.tsx";
import { faultOf, nameOf, pageOf, toneOf } from "./operation-words.ts";
import { Waterfall } from "./waterfall.tsx";

/** One operation next to the list: what it was, its calls and its error. */
export function OperationDrawer({
  id,
  known,
  onClose,
  onStep,
}: {
  id: string;
  /** As the list has it, until it is read again. */
  known: Operation | undefined;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { operations: texts, shell, tables } = useTexts();
  const { name: environment } = useEnvironment();
  const query = useQuery(operationQuery(environment, id, known));
  const operation = query.data;
  const failed = isNotFound(query.error) ? tables.notFoundTitle : tables.notLoadedTitle;
  const untitled = query.isError ? failed : shell.loading;
  return (
    <Drawer
      title={operation === undefined ? untitled : plainText(nameOf(operation), 60)}
      page={pageOf(environment, id)}
      onClose={onClose}
      onStep={onStep}
    >
      <DrawerFault query={query} onClose={onClose} />
      {operation !== undefined && (
        <>
          <p className="padded">
            <Badge tone={toneOf(operation.state)}>
              {[texts.states[operation.state], faultOf(operation)]
                .filter((part) => part !== undefined)
                .join(" · ")}
            </Badge>
          </p>
          <div className="row padded">
            <OperationAgain operation={operation} />
          </div>
          <OperationError operation={operation} />
          <FailureStack operation={operation} />
          <Waterfall operation={operation} />
          <OperationFacts operation={operation} />
        </>
      )}
    </Drawer>
  );
}
