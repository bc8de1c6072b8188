import { createRoute, z } from '@hono/zod-openapi'
import { doctorRecord } from '../../doctor/diagnosis'
import { nodeHealth } from '../../nodes/nodeHealth'
import { reportRecord } from '../../report/reportRecord'
import { BAD_INPUT, GUARDED, plainContract, responses, SECURITY } from '../http/contracts'
import { getRoute } from '../http/roomRoute'

const logContract = createRoute({
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

export const logRoute = getRoute(logContract, 'none', (context, { logText }) =>
  context.text(logText(), 200, { 'Cache-Control': 'no-store' }),
)

const doctorContract = plainContract(
  'get',
  '/doctor',
  'What works on this machine, and what to do about the rest; takes up to 4 s',
  doctorRecord,
)

// It asks shared nodes, STUN servers and the router.
export const doctorRoute = getRoute(
  doctorContract,
  { en: 'check this computer and its network', zh: '检查这台电脑和它的网络' },
  async (context, { doctor }) => context.json(await doctor(), 200, { 'Cache-Control': 'no-store' }),
)

const reportContract = createRoute({
  method: 'get',
  path: '/report',
  summary: 'One redacted bundle for those who help: log, doctor, settings, state; takes up to 4 s',
  security: SECURITY,
  responses: responses(reportRecord, {}),
})

// It asks shared nodes, STUN servers and the router.
export const reportRoute = getRoute(
  reportContract,
  { en: 'make a report about this computer', zh: '生成关于这台电脑的报告' },
  async (context, { report }) =>
    context.json(await report(), 200, {
      'Cache-Control': 'no-store',
      'Content-Disposition': 'attachment; filename="room-report.json"',
    }),
)

const networkServers = z.object({ servers: z.array(nodeHealth) }).openapi('NetworkServers')

const networkServersContract = plainContract(
  'get',
  '/network/servers',
  'Shared nodes and their health',
  networkServers,
)

// It asks the configured nodes only, each at most once a minute however often it is called.
export const networkServersRoute = getRoute(
  networkServersContract,
  'none',
  async (context, { checkNode, settings }) =>
    context.json({ servers: await Promise.all(settings.nodes().map(checkNode)) }, 200),
)
