import { Logger } from '@aws-lambda-powertools/logger'
import { MetricUnit, Metrics as PowertoolsMetrics } from '@aws-lambda-powertools/metrics'
import { createLog, type LogLevel } from '@lantern-room/base'
import type { Metrics } from '@lantern-room/media/ports'

/**
 * The log of a Lambda function: structured lines with the request's ids, as the console of AWS reads them.
 * @param options.level entries below it are left out
 * @example
 * const log = createPowertoolsLog({ level: 'info' })
 * log.begin(context, event.requestContext.requestId)
 */
export function createPowertoolsLog(options: { readonly level: LogLevel }) {
  const levels = { debug: 'DEBUG', info: 'INFO', warn: 'WARN', error: 'ERROR' } as const
  const logger = new Logger({ serviceName: 'motion-photo-api', logLevel: levels[options.level] })
  return {
    ...createLog((level, message, fields) => logger[level](message, { ...fields })),
    /**
     * All following lines belong to this invocation.
     * @param apiRequestId the gateway's own id of the request
     */
    begin(context: object, apiRequestId: string | undefined): void {
      // The sandbox is reused, and would keep the ids of the previous invocation.
      logger.resetKeys()
      logger.addContext(context as Parameters<Logger['addContext']>[0])
      if (apiRequestId !== undefined) logger.appendKeys({ api_request_id: apiRequestId })
    },
  }
}

/**
 * Figures as lines that CloudWatch reads as metrics: namespace `MotionPhoto`, dimensions `service` and, of
 * a deployment, `stage`; once more with the dimension `client` for each client that has a name. The session is a property of the line and no dimension: each value of a dimension is a metric of its own, and
 * is paid for.
 * @param stage of the deployment. @default none
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 * @example createEmfMetrics('prod').counted('SweptSessions', 12)
 */
export function createEmfMetrics(stage?: string): Metrics {
  const metrics = new PowertoolsMetrics({ namespace: 'MotionPhoto', serviceName: 'motion-photo-api' })
  if (stage !== undefined) metrics.setDefaultDimensions({ stage })
  const publish = (
    { sessionId, client }: { readonly sessionId?: string | undefined; readonly client?: string | undefined },
    figures: readonly Parameters<PowertoolsMetrics['addMetric']>[],
  ) => {
    for (const figure of figures) metrics.addMetric(...figure)
    // A second set of dimensions: the metrics of all clients together stay what they are.
    if (client !== undefined) metrics.addDimensions({}).addDimensions({ client })
    if (sessionId !== undefined) metrics.addMetadata('session_id', sessionId)
    metrics.publishStoredMetrics()
  }
  return {
    counted: (what, count, client) => publish({ client }, [[what, MetricUnit.Count, count]]),
    prepared: ({ sessionId, client, uploadBytes, previewMs, tookMs }) =>
      publish({ sessionId, client }, [
        ['PrepareTime', MetricUnit.Milliseconds, tookMs],
        ['UploadBytes', MetricUnit.Bytes, uploadBytes],
        ['PreviewLength', MetricUnit.Milliseconds, previewMs],
      ]),
    converted: ({ sessionId, client, photoBytes, tookMs }) =>
      publish({ sessionId, client }, [
        ['ConvertTime', MetricUnit.Milliseconds, tookMs],
        ['PhotoBytes', MetricUnit.Bytes, photoBytes],
      ]),
  }
}
