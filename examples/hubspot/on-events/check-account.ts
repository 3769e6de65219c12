import { createOnEvent } from "jackfield";

/** Refuses a connection before it is used: what it throws is shown to who connects. */
export default createOnEvent({
  description: "Refuses sandbox accounts.",
  event: "validate-connection",

  exec: async (svc) => {
    const { data } = await svc.get<{ portalId: number; accountType: string }>({
      endpoint: "/account-info/v3/details",
      retries: 2,
    });
    if (data.accountType === "SANDBOX") {
      throw new svc.ActionError({ message: "Connect your live account, not a sandbox." });
    }
    await svc.log(`Account ${data.portalId} is fine`);
  },
});
