import { defineGauge, defineObservedCounter } from "../instruments/index.ts";
import { readLoopDelays } from "../loop-watch.ts";

const noLabels = {} as const;

export const PROCESS_UP = "svc_process_up";

const up = defineGauge({
  name: PROCESS_UP,
  help: "1 for each process that answered; 0 for a process that shares the port and did not answer.",
  unit: "1",
  labels: [],
});
const build = defineGauge({
  name: "svc_build_info",
  help: "Always 1; the labels are the release and the version of Node.",
  unit: "1",
  labels: ["version", "node"],
});
const startTime = defineGauge({
  name: "svc_process_start_time_seconds",
  help: "When the process started, in seconds since 1970.",
  unit: "s",
  labels: [],
});
const cpu = defineObservedCounter({
  name: "svc_process_cpu_seconds_total",
  help: "CPU time of the process, without that of functions.",
  unit: "s",
  labels: ["mode"],
});
const memory = defineGauge({
  name: "svc_process_memory_bytes",
  help: "Memory of the process: resident, and used by JavaScript.",
  unit: "By",
  labels: ["kind"],
});
const loopBusy = defineObservedCounter({
  name: "svc_event_loop_active_seconds_total",
  help: "Time in which the event loop was busy; its rate is the used share of a core.",
  unit: "s",
  labels: [],
});
const loopDelays = defineObservedCounter({
  name: "svc_event_loop_long_delays_total",
  help: "Number of event loop delays of more than 250 ms.",
  unit: "{delay}",
  labels: [],
});
const longestDelay = defineGauge({
  name: "svc_event_loop_longest_delay_seconds",
  help: "The longest of these delays since the start.",
  unit: "s",
  labels: [],
});

const MICROSECONDS = 1e6;
const MILLISECONDS = 1000;

/** What a process knows of itself, until disposed. */
export function observeProcess(version: string): Disposable {
  const stack = new DisposableStack();
  const one = [{ value: 1, labels: noLabels }] as const;
  const node = process.versions.node;
  stack.use(up.observe(() => one));
  stack.use(build.observe(() => [{ value: 1, labels: { version, node } }]));
  const startedAt = performance.timeOrigin / MILLISECONDS;
  stack.use(startTime.observe(() => [{ value: startedAt, labels: noLabels }]));
  stack.use(cpu.observe(readCpu));
  stack.use(memory.observe(readMemory));
  stack.use(
    loopBusy.observe(() => {
      const { active } = performance.eventLoopUtilization();
      return [{ value: active / MILLISECONDS, labels: noLabels }];
    }),
  );
  stack.use(loopDelays.observe(() => [{ value: readLoopDelays().count, labels: noLabels }]));
  stack.use(
    longestDelay.observe(() => {
      return [{ value: readLoopDelays().longestMs / MILLISECONDS, labels: noLabels }];
    }),
  );
  return stack;
}

function readCpu() {
  const { user, system } = process.cpuUsage();
  return [
    { value: user / MICROSECONDS, labels: { mode: "user" } },
    { value: system / MICROSECONDS, labels: { mode: "system" } },
  ];
}

function readMemory() {
  const { rss, heapUsed } = process.memoryUsage();
  return [
    { value: rss, labels: { kind: "resident" } },
    { value: heapUsed, labels: { kind: "heap" } },
  ];
}
