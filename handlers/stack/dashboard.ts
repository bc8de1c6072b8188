import type { Resources, StackSettings } from './settings'

/** One dashboard for a stage: what was asked, what failed, and how long it took. */

type Widget = readonly [title: string, metrics: readonly unknown[]]

export function dashboardResources({ dashboard, region, service, stage }: StackSettings): Resources {
  if (dashboard === 'off') return {}
  const name = `${service}-${stage}`
  const api = (metric: string, stat: string) => [
    'AWS/ApiGateway',
    metric,
    'ApiName',
    `${stage}-${service}`,
    'Stage',
    stage,
    { stat },
  ]
  const functions = (metric: string, stat: string) => [
    // A search finds the functions as they are: a widget shows a line for each.
    { expression: `SEARCH('{AWS/Lambda,FunctionName} "${name}" MetricName="${metric}"', '${stat}', 300)` },
  ]
  const widgets: readonly Widget[] = [
    ['Requests', [api('Count', 'Sum'), api('4XXError', 'Sum'), api('5XXError', 'Sum')]],
    ['Time until the answer (ms)', [api('Latency', 'p50'), api('Latency', 'p95')]],
    ['Invocations', [functions('Invocations', 'Sum')]],
    ['Errors', [functions('Errors', 'Sum')]],
    ['Refused, too many at once', [functions('Throttles', 'Sum')]],
    ['At once', [functions('ConcurrentExecutions', 'Maximum')]],
    ['Duration, p95 (ms)', [functions('Duration', 'p95')]],
  ]
  const body = widgets.map(([title, metrics], index) => ({
    type: 'metric',
    x: 12 * (index % 2),
    y: 6 * Math.floor(index / 2),
    width: 12,
    height: 6,
    properties: { title, metrics, region, period: 300, view: 'timeSeries' },
  }))
  const DashboardBody = JSON.stringify({ widgets: body })
  return {
    Dashboard: { Type: 'AWS::CloudWatch::Dashboard', Properties: { DashboardName: name, DashboardBody } },
  }
}
