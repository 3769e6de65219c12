import type { Worker } from "node:cluster";
import { inTime } from "#foundation";
import type { ProcessMetrics } from "#foundation/telemetry";

const QUESTION = "jackfield:read-metrics";
const ANSWER = "jackfield:metrics";
const ANSWER_WITHIN_MS = 700;

interface Answer {
  readonly type: typeof ANSWER;
  readonly id: number;
  readonly metrics: ProcessMetrics["metrics"];
}

// Process-wide: numbers the questions that processes ask each other.
let asked = 0;

/** The metrics of one API process, under the name of its place; of one that does not answer only that it does not. */
export async function readMetricsOf(worker: Worker, process: string): Promise<ProcessMetrics> {
  asked += 1;
  const id = asked;
  const { promise, resolve } = Promise.withResolvers<ProcessMetrics>();
  const onMessage = (message: unknown) => {
    if (isAnswer(message) && message.id === id) resolve({ process, metrics: message.metrics });
  };
  worker.on("message", onMessage);
  try {
    worker.send({ type: QUESTION, id }, (error) => {
      if (error !== null) resolve({ process, metrics: [] });
    });
    return (await inTime(ANSWER_WITHIN_MS, promise)) ?? { process, metrics: [] };
  } finally {
    worker.off("message", onMessage);
  }
}

/** In an API process: tells the parent, which serves them, the metrics of this one. */
export function answerParent(read: () => Promise<ProcessMetrics>): Disposable {
  const onMessage = (message: unknown) => {
    const id = idOfQuestion(message);
    if (id === undefined) return;
    // One that cannot be read is not answered, which the parent shows.
    read().then(
      ({ metrics }) => process.send?.({ type: ANSWER, id, metrics } satisfies Answer),
      () => undefined,
    );
  };
  process.on("message", onMessage);
  return { [Symbol.dispose]: () => void process.off("message", onMessage) };
}

function idOfQuestion(message: unknown): number | undefined {
  if (typeof message !== "object" || message === null) return undefined;
  const { type, id } = Object.assign({ type: undefined, id: undefined }, message);
  return type === QUESTION && typeof id === "number" ? id : undefined;
}

// Sent by `answerParent` of the same program.
function isAnswer(message: unknown): message is Answer {
  return typeof message === "object" && message !== null && Reflect.get(message, "type") === ANSWER;
}
