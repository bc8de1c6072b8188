import { capital, FUNCTIONS, type FunctionName } from './roles'
import type { Outputs, Resource, Resources, StackSettings } from './settings'

/** Seconds that each function may run. */
export type Timeouts = Readonly<Record<FunctionName, number>>

const PERIOD_SECONDS = 300

/** Three alarms for each function and one for the API, which notify a topic. */
export function alarmResources(
  { alarms, alarmEmail, stage, service }: StackSettings,
  timeouts: Timeouts,
): Resources {
  if (alarms === 'off') return {}
  const Subscription = alarmEmail === '' ? undefined : [{ Protocol: 'email', Endpoint: alarmEmail }]
  const resources: Record<string, Resource> = {
    AlarmTopic: {
      Type: 'AWS::SNS::Topic',
      Properties: { DisplayName: `Motion photo API, ${stage}`, ...(Subscription && { Subscription }) },
    },
    ApiServerErrorAlarm: alarm({
      AlarmDescription: 'The API answered with a status of 500 or more.',
      Namespace: 'AWS/ApiGateway',
      MetricName: '5XXError',
      Dimensions: [
        { Name: 'ApiName', Value: `${stage}-${service}` },
        { Name: 'Stage', Value: stage },
      ],
      Statistic: 'Sum',
      Threshold: 1,
    }),
  }
  for (const name of FUNCTIONS) Object.assign(resources, alarmsOf(name, timeouts[name]))
  return resources
}

export function alarmOutputs({ alarms }: StackSettings): Outputs {
  if (alarms === 'off') return {}
  return { AlarmTopicArn: { Description: 'Topic that alarms are sent to', Value: { Ref: 'AlarmTopic' } } }
}

function alarmsOf(name: FunctionName, timeoutSeconds: number): Resources {
  const lambda = {
    Namespace: 'AWS/Lambda',
    Dimensions: [{ Name: 'FunctionName', Value: { Ref: `${capital(name)}LambdaFunction` } }],
  }
  const count = (MetricName: string, AlarmDescription: string) =>
    alarm({ ...lambda, MetricName, AlarmDescription, Statistic: 'Sum', Threshold: 1 })
  return {
    [`${capital(name)}ErrorsAlarm`]: count('Errors', `${name} failed: it crashed, or its time was over.`),
    [`${capital(name)}ThrottlesAlarm`]: count('Throttles', `${name} was refused: too many ran at once.`),
    [`${capital(name)}DurationAlarm`]: alarm({
      ...lambda,
      MetricName: 'Duration',
      AlarmDescription: `The slowest twentieth of ${name} took more than four fifths of its time.`,
      ExtendedStatistic: 'p95',
      Threshold: timeoutSeconds * 1000 * 0.8,
    }),
  }
}

function alarm(Properties: Resource['Properties']): Resource {
  return {
    Type: 'AWS::CloudWatch::Alarm',
    Properties: {
      ...Properties,
      Period: PERIOD_SECONDS,
      EvaluationPeriods: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      TreatMissingData: 'notBreaching',
      AlarmActions: [{ Ref: 'AlarmTopic' }],
    },
  }
}
