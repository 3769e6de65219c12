// Set-up of every test file: a test that looked for a process and found none (`pid ?? 0`) would end the whole run,
// since 0 is the group of the caller.
const { kill } = process;
if (!Object.hasOwn(kill, "refusesOwn")) {
  const guarded = (pid: number, signal?: string | number): true => {
    if (pid === 0 || pid === process.pid) {
      throw new Error(`process.kill(${pid}) would end the test run: was the process found?`);
    }
    return Reflect.apply(kill, process, [pid, signal]);
  };
  process.kill = Object.assign(guarded, { refusesOwn: true });
}
