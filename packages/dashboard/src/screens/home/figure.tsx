import type { ReactNode } from "react";
import { Go, type Target } from "../../parts/go.tsx";
import { Skeleton } from "../../parts/panels/skeleton.tsx";

/** A figure of its final height, also while it is read. */
export function Figure({
  title,
  target,
  isReady,
  children,
}: {
  title: string;
  target?: Target;
  isReady: boolean;
  children: ReactNode;
}) {
  return (
    <section className="card figure" aria-busy={!isReady}>
      <h2>{target === undefined ? title : <Go target={target}>{title}</Go>}</h2>
      {isReady ? children : <Skeleton rows={1} />}
    </section>
  );
}
