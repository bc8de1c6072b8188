import type { MonthlyQuota } from '#core/easytier/relay/monthlyQuota'
import type { RelayCounters } from '#core/easytier/relay/relay'
import { listen } from '../../listen'
import { renderMetrics } from './metrics'

export type MetricsServer = { readonly url: string; close(): Promise<void> }

/**
 * Counters for Prometheus, and an answer for a monitor, on this machine only. `/health` is 503 while the monthly quota is
 * spent.
 * @throws ServiceError `unavailable`
 */
export async function serveMetrics(
  port: number,
  { counters, quota }: { readonly counters: () => RelayCounters; readonly quota: MonthlyQuota | undefined },
): Promise<MetricsServer> {
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname === '/health') return health(quota)
    if (pathname !== '/metrics') return new Response('There are /metrics and /health.\n', { status: 404 })
    return new Response(renderMetrics(counters(), quota), {
      headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    })
  }
  const { url, close } = await listen(answer, { host: '127.0.0.1', port, name: 'ROOM_RELAY_METRICS_PORT' })
  return { url, close }
}

function health(quota: MonthlyQuota | undefined): Response {
  if (!quota) return Response.json({ status: 'ok' })
  const { bytes } = quota.count()
  const resetsAt = new Date(quota.resetsAt()).toISOString()
  const isSpent = quota.isSpent()
  return Response.json(
    { status: isSpent ? 'quota-spent' : 'ok', quota: { limit: quota.limit, bytes, resetsAt } },
    { status: isSpent ? 503 : 200 },
  )
}
