import { createRoute, z } from '@hono/zod-openapi'
import { doctorRecord } from '../../doctor/doctorRecord'
import { reportRecord } from '../../report/reportRecord'
import { BAD_INPUT, GUARDED, plainContract, responses, SECURITY } from '../http/contracts'
import type { RoomRoute } from '../http/roomRoute'

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

export const logRoute: RoomRoute = {
  contract: logContract,
  effect: 'none',
  register(app, { logText }) {
    app.openapi(logContract, (context) => context.text(logText(), 200, { 'Cache-Control': 'no-store' }))
  },
}

const doctorContract = plainContract(
  'get',
  '/doctor',
  'What works on this machine, and what to do about the rest; takes up to 4 s',
  doctorRecord,
)

export const doctorRoute: RoomRoute = {
  contract: doctorContract,
  // It asks shared nodes, STUN servers and the router.
  effect: { en: 'check this computer and its network', zh: '检查这台电脑和它的网络' },
  register(app, { doctor }) {
    app.openapi(doctorContract, async (context) =>
      context.json(await doctor(), 200, { 'Cache-Control': 'no-store' }),
    )
  },
}

const reportContract = createRoute({
  method: 'get',
  path: '/report',
  summary: 'One redacted bundle for those who help: log, doctor, settings, state; takes up to 4 s',
  security: SECURITY,
  responses: responses(reportRecord, {}),
})

export const reportRoute: RoomRoute = {
  contract: reportContract,
  // It asks shared nodes, STUN servers and the router.
  effect: { en: 'make a report about this computer', zh: '生成关于这台电脑的报告' },
  register(app, { report }) {
    app.openapi(reportContract, async (context) =>
      context.json(await report(), 200, {
        'Cache-Control': 'no-store',
        'Content-Disposition': 'attachment; filename="room-report.json"',
      }),
    )
  },
}

const networkServers = z
  .object({
    servers: z.array(
      z.object({
        hostname: z.string(),
        port: z.int(),
        protocol: z.string(),
        status: z.enum(['ok', 'failed', 'unknown']),
        latencyMs: z.number().nullable(),
        problem: z.string().nullable(),
      }),
    ),
  })
  .openapi('NetworkServers')

const networkServersContract = plainContract(
  'get',
  '/network/servers',
  'Shared nodes and their health',
  networkServers,
)

export const networkServersRoute: RoomRoute = {
  contract: networkServersContract,
  // It asks the configured nodes only, each at most once a minute however often it is called.
  effect: 'none',
  register(app, { checkNode, settings }) {
    app.openapi(networkServersContract, async (context) =>
      context.json({ servers: await Promise.all(settings.nodes().map(checkNode)) }, 200),
    )
  },
}
