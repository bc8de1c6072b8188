import type { Resource, Resources, StackSettings } from './settings'

/**
 * The gateway's own error responses. Its defaults have the field `message` and no CORS headers, so that pages could not even
 * read the status.
 */

type Answer = {
  readonly status?: number
  readonly code: string
  readonly detail: string
  readonly headers?: Readonly<Record<string, string>>
}

export const BUSY = 'The service is busy right now. Try again later.'
const TOO_LARGE =
  'The file is too large to be sent with the request. Ask POST /uploads for an address to send it to.'

/** By the gateway's response type; those that begin with DEFAULT keep their own status. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  DEFAULT_4XX: {
    code: 'invalid-request',
    detail: 'The gateway refused the request. Check address and headers.',
  },
  DEFAULT_5XX: {
    code: 'unavailable',
    detail: `${BUSY} A file of more than 4.5 MB must go the way that POST /uploads shows.`,
  },
  REQUEST_TOO_LARGE: { status: 413, code: 'payload-too-large', detail: TOO_LARGE },
  THROTTLED: { status: 429, code: 'too-busy', detail: BUSY, headers: { 'Retry-After': "'2'" } },
  INTEGRATION_TIMEOUT: {
    status: 504,
    code: 'timeout',
    detail: 'It took longer than a request may. Send a shorter video.',
  },
}

/** @param deployment logical name of the deployment that the stage shows */
export function gatewayResources(settings: StackSettings, deployment: string): Resources {
  const { allowedOrigins, accessLog, service, stage, logRetentionDays } = settings
  const entries = Object.entries(ANSWERS).map(([kind, { status, code, detail, headers }]) => [
    `Gateway${kind.split('_').map(titled).join('')}`,
    {
      Type: 'AWS::ApiGateway::GatewayResponse',
      Properties: {
        RestApiId: { Ref: 'ApiGatewayRestApi' },
        ResponseType: kind,
        ...(status && { StatusCode: String(status) }),
        ResponseParameters: responseHeaders({ ...originHeaders(allowedOrigins), ...headers }),
        ResponseTemplates: { 'application/json': JSON.stringify({ detail, code }) },
      },
    },
  ])
  const Properties = {
    LogGroupName: `/aws/api-gateway/${service}-${stage}`,
    RetentionInDays: logRetentionDays,
  }
  const log = accessLog === 'on' && {
    GatewayLogGroup: { Type: 'AWS::Logs::LogGroup', Properties },
    GatewayRefusals: refusals(settings),
  }
  return { ...Object.fromEntries(entries), ...log, GatewayStage: stageResource(settings, deployment) }
}

function titled(word: string): string {
  return word.charAt(0) + word.slice(1).toLowerCase()
}

/** The gateway can name one origin, or repeat the request's; it cannot choose from a list. */
function originHeaders([first, ...others]: readonly string[]): Readonly<Record<string, string>> {
  if (others.length > 0) return {}
  return {
    'Access-Control-Allow-Origin': first === '*' ? 'method.request.header.Origin' : `'${first}'`,
    'Access-Control-Allow-Credentials': "'true'",
    'Access-Control-Expose-Headers': "'Retry-After'",
    Vary: "'Origin'",
  }
}

function responseHeaders(headers: Readonly<Record<string, string>>) {
  const entries = Object.entries(headers).map(([name, value]) => [`gatewayresponse.header.${name}`, value])
  return Object.fromEntries(entries)
}

/** A line for each request, also for what reaches no function; without paths, because those of previews are secrets. */
const ACCESS_LOG = JSON.stringify({
  time: '$context.requestTime',
  api_request_id: '$context.requestId',
  method: '$context.httpMethod',
  route: '$context.resourcePath',
  status: '$context.status',
  took_ms: '$context.responseLatency',
  bytes: '$context.responseLength',
  refused: '$context.error.responseType',
})

/** Where the refusals for too many requests are counted, which the gateway's own metrics do not tell from other mistakes of clients. */
export const refusalMetric = ({ stage }: Pick<StackSettings, 'stage'>) => ({
  MetricNamespace: 'MotionPhoto',
  MetricName: `TooManyRequests-${stage}`,
})

function refusals(settings: StackSettings): Resource {
  const MetricTransformations = [{ ...refusalMetric(settings), MetricValue: '1', DefaultValue: 0 }]
  const FilterPattern = '{ $.status = "429" }'
  const Properties = { LogGroupName: { Ref: 'GatewayLogGroup' }, FilterPattern, MetricTransformations }
  return { Type: 'AWS::Logs::MetricFilter', Properties }
}

/**
 * The stage: what the gateway lets through at most, and what it records. A resource of its own, because a deployment may describe
 * a stage only when it creates it.
 */
function stageResource({ stage, throttle, accessLog, tracing }: StackSettings, deployment: string): Resource {
  const limits = { ThrottlingRateLimit: throttle.rate, ThrottlingBurstLimit: throttle.burst }
  const DestinationArn = { 'Fn::GetAtt': ['GatewayLogGroup', 'Arn'] }
  return {
    Type: 'AWS::ApiGateway::Stage',
    Properties: {
      RestApiId: { Ref: 'ApiGatewayRestApi' },
      StageName: stage,
      DeploymentId: { Ref: deployment },
      MethodSettings: [{ HttpMethod: '*', ResourcePath: '/*', ...limits }],
      TracingEnabled: tracing === 'on',
      ...(accessLog === 'on' && { AccessLogSetting: { DestinationArn, Format: ACCESS_LOG } }),
    },
  }
}
