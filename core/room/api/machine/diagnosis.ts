import { z } from '@hono/zod-openapi'
import { doctorRecord } from '../../doctor/diagnosis'
import { nodeHealth } from '../../nodes/nodeHealth'
import { reportRecord } from '../../report/report'
import { BAD_INPUT, contractOf, GUARDED, SECURITY } from '../http/contracts'
import { type RoomRoute, recordRoute } from '../http/roomRoute'

const logContract = contractOf({
  method: 'get',
  path: '/log',
  summary: 'The last lines of the log; secrets are left out',
  security: SECURITY,
  request: {
    query: z.object({
      fetch: z
        .enum(['true', 'false'], { error: 'must be true or false' })
        .optional()
        .openapi({ description: 'For clients of Terracotta; the answer is the same either way.' }),
    }),
  },
  responses: {
    200: { description: 'The log.', content: { 'text/plain': { schema: z.string() } } },
    ...GUARDED,
    ...BAD_INPUT,
  },
})

export const logRoute: RoomRoute = {
  contract: logContract,
  effect: 'none',
  register: (app, { log }) =>
    app.openapi(logContract, (context) => context.text(log.text(), 200, { 'Cache-Control': 'no-store' })),
}

// It asks shared nodes, STUN servers and the router, as the next one does.
export const doctorRoute = recordRoute(
  '/doctor',
  'What works on this machine, and what to do about the rest; takes up to 4 s',
  doctorRecord,
  { en: 'check this computer and its network', zh: '检查这台电脑和它的网络' },
  ({ doctor }) => doctor(),
  { headers: { 'Cache-Control': 'no-store' } },
)

export const reportRoute = recordRoute(
  '/report',
  'One redacted bundle for those who help: log, doctor, settings, state; takes up to 4 s',
  reportRecord,
  { en: 'make a report about this computer', zh: '生成关于这台电脑的报告' },
  ({ report }) => report(),
  {
    headers: {
      'Cache-Control': 'no-store',
      'Content-Disposition': 'attachment; filename="room-report.json"',
    },
  },
)

const networkServers = z.object({ servers: z.array(nodeHealth) }).openapi('NetworkServers')

// It asks the configured nodes only, each at most once a minute however often it is called.
export const networkServersRoute = recordRoute(
  '/network/servers',
  'Shared nodes and their health',
  networkServers,
  'none',
  async ({ checkNode, settings }) => ({ servers: await Promise.all(settings.nodes().map(checkNode)) }),
)
