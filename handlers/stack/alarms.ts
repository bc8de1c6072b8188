import { capital, type FunctionName, functionsOf } from './roles'
import type { Resource, Resources, StackSettings } from './settings'

/** Seconds that each function may run. */
export type Timeouts = Readonly<Record<FunctionName, number>>

const PERIOD_SECONDS = 300
/** Percent of what was asked for that may fail; less than three failures are no share. */
const SHARE = 5
const LEAST = 3

/** Two alarms for each function and one for the API, which notify a topic. */
export function alarmResources(settings: StackSettings, timeouts: Timeouts): Resources {
  const { alarms, alarmEmail, stage, service, queue } = settings
  if (alarms === 'off') return {}
  const Subscription = alarmEmail === '' ? undefined : [{ Protocol: 'email', Endpoint: alarmEmail }]
  const api = [
    { Name: 'ApiName', Value: `${stage}-${service}` },
    { Name: 'Stage', Value: stage },
  ]
  const resources: Record<string, Resource> = {
    AlarmTopic: {
      Type: 'AWS::SNS::Topic',
      Properties: { DisplayName: `Motion photo API, ${stage}`, ...(Subscription && { Subscription }) },
    },
    ApiServerErrorAlarm: alarm({
      AlarmDescription: `The API answered ${SHARE} % of all requests with a status of 500 or more.`,
      ...shareOf('AWS/ApiGateway', api, ['5XXError'], ['Count'], LEAST),
    }),
  }
  if (queue === 'on') resources.PrepareDeadQueueAlarm = DEAD_QUEUE_ALARM
  for (const name of functionsOf(settings)) Object.assign(resources, alarmsOf(name, timeouts[name]))
  return resources
}

function alarmsOf(name: FunctionName, timeoutSeconds: number): Resources {
  const Dimensions = [{ Name: 'FunctionName', Value: { Ref: `${capital(name)}LambdaFunction` } }]
  // It runs every quarter of an hour: each failure counts.
  const least = name === 'sweep' ? 1 : LEAST
  return {
    [`${capital(name)}FailuresAlarm`]: alarm({
      AlarmDescription: `${name} crashed, ran out of time or was refused because too many ran, ${SHARE} times in 100.`,
      ...shareOf('AWS/Lambda', Dimensions, ['Errors', 'Throttles'], ['Invocations', 'Throttles'], least),
    }),
    [`${capital(name)}DurationAlarm`]: alarm({
      Namespace: 'AWS/Lambda',
      Dimensions,
      MetricName: 'Duration',
      AlarmDescription: `The slowest twentieth of ${name} took more than four fifths of its time.`,
      Period: PERIOD_SECONDS,
      ExtendedStatistic: 'p95',
      Threshold: timeoutSeconds * 1000 * 0.8,
    }),
  }
}

/** Percent of the sum of some metrics in the sum of others, and 0 below so many. */
function shareOf(
  Namespace: string,
  Dimensions: readonly object[],
  failed: readonly string[],
  all: readonly string[],
  least: number,
) {
  const idOf = (name: string) => `m${name.toLowerCase()}`
  const sum = (names: readonly string[]) => `(${names.map((name) => `FILL(${idOf(name)}, 0)`).join(' + ')})`
  const inputs = [...new Set([...failed, ...all])].map((MetricName) => ({
    Id: idOf(MetricName),
    MetricStat: { Metric: { Namespace, MetricName, Dimensions }, Period: PERIOD_SECONDS, Stat: 'Sum' },
    ReturnData: false,
  }))
  const Expression = `IF(${sum(failed)} < ${least}, 0, 100 * ${sum(failed)} / ${sum(all)})`
  return { Metrics: [{ Id: 'share', Expression }, ...inputs], Threshold: SHARE }
}

function alarm(Properties: Resource['Properties']): Resource {
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      ...Properties,
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
      AlarmActions: [{ Ref: 'AlarmTopic' }],
    },
  }
}

const DEAD_QUEUE_ALARM = alarm({
  AlarmDescription: 'A message was given up that no function could take: see the log of prepareQueued.',
  Namespace: 'AWS/SQS',
  Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': ['PrepareDeadQueue', 'QueueName'] } }],
  MetricName: 'ApproximateNumberOfMessagesVisible',
  Period: PERIOD_SECONDS,
  Statistic: 'Maximum',
  Threshold: 1,
})
