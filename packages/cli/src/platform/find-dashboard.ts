const TIMEOUT_MS = 3000;

/** Address of the dashboard without a slash at its end; undefined where the server has none at its own address. */
export async function findDashboard(host: string): Promise<string | undefined> {
  const address = `${host}/dashboard`;
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetch(`${address}/`, { redirect: "manual", signal });
    await answer.body?.cancel();
    return answer.status < 400 ? address : undefined;
  } catch {
    return undefined;
  }
}
