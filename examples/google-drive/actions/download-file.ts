import { createHash } from "node:crypto";
import { createAction } from "jackfield";
import * as z from "zod";

const MAX_BYTES = 5 * 1024 * 1024;

/** Bytes of a file: `responseType: "arraybuffer"` gives a Buffer. */
export default createAction({
  description: "Downloads a file of at most 5 MB.",
  input: z.object({ id: z.string().min(1) }),
  output: z.object({
    name: z.string(),
    type: z.string(),
    base64: z.string(),
    sha256: z.string().length(64),
  }),

  exec: async (svc, { id }) => {
    const endpoint = `/drive/v3/files/${encodeURIComponent(id)}`;
    const { data: file } = await svc.get<{ name: string; mimeType: string; size: string }>({
      endpoint,
      params: { fields: "name,mimeType,size" },
      retries: 3,
    });
    if (Number(file.size) > MAX_BYTES) {
      throw new svc.ActionError({ message: `${file.name} is larger than 5 MB`, size: file.size });
    }
    const { data: content } = await svc.get<Buffer>({
      endpoint,
      params: { alt: "media" },
      responseType: "arraybuffer",
      retries: 3,
    });
    return {
      name: file.name,
      type: file.mimeType,
      base64: content.toString("base64"),
      sha256: createHash("sha256").update(content).digest("hex"),
    };
  },
});
