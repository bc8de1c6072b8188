import { z } from '@hono/zod-openapi'
import { plainContract } from '../http/contracts'
import type { RoomRoute } from '../http/roomRoute'

const metaRecord = z
  .object({
    version: z.string(),
    compileTimestamp: z.string().openapi({ format: 'date-time' }),
    networkVersion: z.string(),
    overlayPort: z.string(),
    targetTuple: z.string(),
    targetArch: z.string(),
    targetVendor: z.string(),
    targetOS: z.string(),
    targetEnv: z.string(),
    contractVersion: z.string().openapi({
      description: 'Additive: version of this API, major.minor; the major rises when clients have to change.',
    }),
    runId: z.string().openapi({ description: 'Additive: of this run of the program, as in the feed.' }),
  })
  .openapi('Meta')

const metaContract = plainContract(
  'get',
  '/meta',
  'Version and platform; 200 means that the service is there',
  metaRecord,
)

export const metaRoute: RoomRoute = {
  contract: metaContract,
  effect: 'none',
  register(app, { meta, roomPort }) {
    app.openapi(metaContract, (context) => context.json({ ...meta, overlayPort: String(roomPort()) }, 200))
  },
}
