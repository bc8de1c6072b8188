import { MAX_DELIVERIES } from '@lantern-room/media/functions'
import type { Timeouts } from './alarms'
import { BUSY } from './gateway'
import { API, join, PARTITION, REGION, type Resource, type Resources, type StackSettings } from './settings'

/** What a stage may have beside the service itself and the studio; without its parameter nothing of it is in the template. */

export function optionResources(settings: StackSettings, timeouts: Timeouts): Resources {
  return {
    ...queues(settings, timeouts),
    ...dashboardOf(settings),
    ...budget(settings),
    ...firewall(settings),
    ...domainName(settings),
  }
}

/** The queue of what no request waits for, and where messages end that nobody could take. */
function queues({ queue, kmsKey }: StackSettings, { prepareQueued }: Timeouts): Resources {
  if (queue === 'off') return {}
  const encrypted = kmsKey === 'none' ? { SqsManagedSseEnabled: true } : { KmsMasterKeyId: kmsKey }
  const Type = 'AWS::SQS::Queue'
  const deadLetterTargetArn = { 'Fn::GetAtt': ['PrepareDeadQueue', 'Arn'] }
  const RedrivePolicy = { deadLetterTargetArn, maxReceiveCount: MAX_DELIVERIES }
  // A message may be given again only when its function has certainly ended.
  const VisibilityTimeout = prepareQueued + 30
  return {
    PrepareDeadQueue: { Type, Properties: { ...encrypted, MessageRetentionPeriod: 14 * 86_400 } },
    PrepareQueue: { Type, Properties: { ...encrypted, VisibilityTimeout, RedrivePolicy } },
  }
}

/** What was asked, what failed, and how long it took. */
function dashboardOf({ dashboard, region, service, stage }: StackSettings): Resources {
  if (dashboard === 'off') return {}
  const name = `${service}-${stage}`
  const api = ['ApiName', `${stage}-${service}`, 'Stage', stage]
  const asked = (metric: string, stat: string) => ['AWS/ApiGateway', metric, ...api, { stat }]
  // A search finds what there is: a widget shows a line for each.
  const search = (what: string, stat: string) => [{ expression: `SEARCH('${what}', '${stat}', 300)` }]
  const functions = (metric: string, stat: string) =>
    search(`{AWS/Lambda,FunctionName} "${name}" MetricName="${metric}"`, stat)
  const counted = `{MotionPhoto,service,stage} stage="${stage}" MetricName=`
  const waiting = `{AWS/SQS,QueueName} "${name}" MetricName="ApproximateAgeOfOldestMessage"`
  const widgets: readonly (readonly [title: string, metrics: readonly unknown[]])[] = [
    ['Requests', [asked('Count', 'Sum'), asked('4XXError', 'Sum'), asked('5XXError', 'Sum')]],
    ['Time until the answer (ms)', [asked('Latency', 'p50'), asked('Latency', 'p95')]],
    ['Invocations', [functions('Invocations', 'Sum')]],
    ['Errors', [functions('Errors', 'Sum')]],
    ['Refused, too many at once', [functions('Throttles', 'Sum')]],
    ['At once', [functions('ConcurrentExecutions', 'Maximum')]],
    ['Duration, p95 (ms)', [functions('Duration', 'p95')]],
    ['Oldest in the queue (s)', [search(waiting, 'Maximum')]],
    ['Claims taken over', [search(`${counted}"ClaimsTakenOver"`, 'Sum')]],
    ['Refused by a quota', [search(`${counted}"QuotaRefusals"`, 'Sum')]],
    ['Callbacks', [search(`${counted}("CallbacksDelivered" OR "CallbacksGivenUp")`, 'Sum')]],
    ['Swept', [search(`${counted}("SweptSessions" OR "SweptUploads")`, 'Sum')]],
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

/** Of the whole account: costs can be told apart by tags only once the account has activated those. */
function budget({ monthlyBudget, alarmEmail, service, stage }: StackSettings): Resources {
  if (monthlyBudget === 'off') return {}
  const notify = (NotificationType: string, Threshold: number) => ({
    Notification: { NotificationType, ComparisonOperator: 'GREATER_THAN', Threshold },
    Subscribers: [{ SubscriptionType: 'EMAIL', Address: alarmEmail }],
  })
  const Budget = {
    BudgetName: `${service}-${stage}`,
    BudgetType: 'COST',
    TimeUnit: 'MONTHLY',
    BudgetLimit: { Amount: Number(monthlyBudget), Unit: 'USD' },
  }
  const NotificationsWithSubscribers = [notify('ACTUAL', 80), notify('FORECASTED', 100)]
  return {
    MonthlyBudget: { Type: 'AWS::Budgets::Budget', Properties: { Budget, NotificationsWithSubscribers } },
  }
}

function firewall({ waf, service, stage }: StackSettings): Resources {
  if (waf === 'none') return {}
  const path = ['::/restapis/', API, '/stages/', { Ref: 'GatewayStage' }]
  const ResourceArn = join('arn:', PARTITION, ':apigateway:', REGION, ...path)
  const associate = (WebACLArn: unknown): Resources => ({
    WebAclOfStage: { Type: 'AWS::WAFv2::WebACLAssociation', Properties: { ResourceArn, WebACLArn } },
  })
  const [, rate] = /^rate:(\d+)$/.exec(waf) ?? []
  if (rate === undefined) return associate(waf)
  const Properties = rateLimit(Number(rate), `${service}-${stage}`)
  const RateLimit = { Type: 'AWS::WAFv2::WebACL', Properties }
  return { RateLimit, ...associate({ 'Fn::GetAtt': ['RateLimit', 'Arn'] }) }
}

/** Everything is let through but the requests of an address that has sent more than so many within five minutes. */
function rateLimit(Limit: number, MetricName: string): Resource['Properties'] {
  const VisibilityConfig = { SampledRequestsEnabled: false, CloudWatchMetricsEnabled: true, MetricName }
  const Statement = { RateBasedStatement: { AggregateKeyType: 'IP', Limit } }
  const Action = { Block: { CustomResponse: { ResponseCode: 429, CustomResponseBodyKey: 'busy' } } }
  const Content = JSON.stringify({ detail: BUSY, code: 'too-busy' })
  return {
    Scope: 'REGIONAL',
    DefaultAction: { Allow: {} },
    CustomResponseBodies: { busy: { ContentType: 'APPLICATION_JSON', Content } },
    Rules: [{ Name: 'rate', Priority: 0, Statement, Action, VisibilityConfig }],
    VisibilityConfig,
  }
}

function domainName({ domain, certificate }: StackSettings): Resources {
  if (domain === 'none') return {}
  const mapping = { DomainName: { Ref: 'ApiDomain' }, RestApiId: API, Stage: { Ref: 'GatewayStage' } }
  return {
    ApiDomain: {
      Type: 'AWS::ApiGateway::DomainName',
      Properties: {
        DomainName: domain,
        RegionalCertificateArn: certificate,
        EndpointConfiguration: { Types: ['REGIONAL'] },
        SecurityPolicy: 'TLS_1_2',
      },
    },
    ApiDomainMapping: { Type: 'AWS::ApiGateway::BasePathMapping', Properties: mapping },
  }
}
