import { refusalMetric } from './gateway'
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
  const { alarms, alarmEmail, stage, service, queue, accessLog, callbackSecret } = settings
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
  resources.SweepMissingAlarm = SWEEP_MISSING_ALARM
  if (queue === 'on') Object.assign(resources, QUEUE_ALARMS)
  if (callbackSecret !== 'none') resources.CallbacksGivenUpAlarm = givenUpAlarm(stage)
  if (accessLog === 'on') resources.TooManyRequestsAlarm = refusalAlarm(settings)
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
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
      ...Properties,
      AlarmActions: [{ Ref: 'AlarmTopic' }],
    },
  }
}

/** Four of its turns. */
const SWEEP_SECONDS = 3600

const SWEEP_MISSING_ALARM = alarm({
  AlarmDescription:
    'For an hour sweep has not run: what has expired is kept, and paid for. See the rule of EventBridge.',
  Namespace: 'AWS/Lambda',
  Dimensions: [{ Name: 'FunctionName', Value: { Ref: 'SweepLambdaFunction' } }],
  MetricName: 'Invocations',
  Period: SWEEP_SECONDS,
  Statistic: 'Sum',
  ComparisonOperator: 'LessThanThreshold',
  Threshold: 1,
  TreatMissingData: 'breaching',
})

/** Seconds that a message may wait. One that is given again after a killed function has waited more than half of that. */
const OLD_MESSAGE_SECONDS = 600

/** The worst that a metric of a queue has told. */
function queueAlarm(
  queue: string,
  MetricName: string,
  Threshold: number,
  AlarmDescription: string,
): Resource {
  return alarm({
    AlarmDescription,
    Namespace: 'AWS/SQS',
    Dimensions: [{ Name: 'QueueName', Value: { 'Fn::GetAtt': [queue, 'QueueName'] } }],
    MetricName,
    Period: PERIOD_SECONDS,
    Statistic: 'Maximum',
    Threshold,
  })
}

const QUEUE_ALARMS: Resources = {
  PrepareDeadQueueAlarm: queueAlarm(
    'PrepareDeadQueue',
    'ApproximateNumberOfMessagesVisible',
    1,
    'A message was given up that no function could take: see the log of prepareQueued.',
  ),
  PrepareQueueAgeAlarm: queueAlarm(
    'PrepareQueue',
    'ApproximateAgeOfOldestMessage',
    OLD_MESSAGE_SECONDS,
    'An upload has waited for ten minutes: raise queueConcurrency.',
  ),
}

/** Refusals within five minutes at which clients have more to do than they may. */
const MANY_REFUSALS = 50

function refusalAlarm(settings: StackSettings): Resource {
  const { MetricNamespace: Namespace, MetricName } = refusalMetric(settings)
  return alarm({
    AlarmDescription: `The gateway answered 429 ${MANY_REFUSALS} times within five minutes: raise throttleRate, or see who asks.`,
    Namespace,
    MetricName,
    Period: PERIOD_SECONDS,
    Statistic: 'Sum',
    Threshold: MANY_REFUSALS,
  })
}

/** @see createEmfMetrics, which writes it */
function givenUpAlarm(stage: string): Resource {
  return alarm({
    AlarmDescription:
      'A callback did not arrive in a day: see "a callback was given up" in the log of sweep, which names client and upload.',
    Namespace: 'MotionPhoto',
    Dimensions: [
      { Name: 'service', Value: 'motion-photo-api' },
      { Name: 'stage', Value: stage },
    ],
    MetricName: 'CallbacksGivenUp',
    Period: PERIOD_SECONDS,
    Statistic: 'Sum',
    Threshold: 1,
  })
}
