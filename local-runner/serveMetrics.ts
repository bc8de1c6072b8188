import { type Listening, listen } from './listen'

export type MetricsServer = Pick<Listening, 'url' | 'port' | 'close' | 'cut'>

/**
 * Counters for Prometheus at `/metrics`, and `/health` for a monitor, on this machine only and without a token.
 * @param at.name of the setting that chooses the port, for the error
 * @throws ServiceError `unavailable`
 */
export async function serveMetrics(
  at: { readonly port: number; readonly name: string },
  answers: { readonly metrics: () => string; readonly health: () => Response | Promise<Response> },
): Promise<MetricsServer> {
  const answer = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname === '/health') return answers.health()
    if (pathname !== '/metrics') return new Response('There are /metrics and /health.\n', { status: 404 })
    return new Response(answers.metrics(), {
      headers: { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' },
    })
  }
  return listen(answer, { host: '127.0.0.1', ...at })
}

/** Name, type and meaning of a metric, which Prometheus shows. */
export type MetricHead = readonly [name: string, type: 'counter' | 'gauge', help: string]

/**
 * A metric in Prometheus' text format.
 * @param samples the value, or values by what stands in braces behind the name, such as `status="200"`
 * @see https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function renderMetric(
  [name, type, help]: MetricHead,
  samples: number | ReadonlyMap<string, number>,
): string {
  const lines =
    typeof samples === 'number'
      ? [`${name} ${samples}\n`]
      : [...samples].map(([labels, value]) => `${name}{${labels}} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
