import { createRoute } from '@hono/zod-openapi'
import { reportRecord } from '../../report/reportRecord'
import { responses, SECURITY } from '../http/contracts'
import type { RoomRoute } from '../http/roomRoute'

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
