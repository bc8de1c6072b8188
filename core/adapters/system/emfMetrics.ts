import { MetricUnit, Metrics as PowertoolsMetrics } from '@aws-lambda-powertools/metrics'
import type { Metrics } from '#core/media/ports'

/**
 * Figures as lines that CloudWatch reads as metrics: namespace `MotionPhoto`, dimensions `service` and, of
 * a deployment, `stage`. The session is a
 * property of the line and no dimension: each value of a dimension is a metric of its own, and is paid for.
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function createEmfMetrics(stage?: string): Metrics {
  const metrics = new PowertoolsMetrics({ namespace: 'MotionPhoto', serviceName: 'motion-photo-api' })
  if (stage !== undefined) metrics.setDefaultDimensions({ stage })
  const publish = (
    sessionId: string | undefined,
    figures: readonly Parameters<PowertoolsMetrics['addMetric']>[],
  ) => {
    for (const figure of figures) metrics.addMetric(...figure)
    if (sessionId !== undefined) metrics.addMetadata('session_id', sessionId)
    metrics.publishStoredMetrics()
  }
  return {
    counted: (what, count) => publish(undefined, [[what, MetricUnit.Count, count]]),
    prepared: ({ sessionId, uploadBytes, previewMs, tookMs }) =>
      publish(sessionId, [
        ['PrepareTime', MetricUnit.Milliseconds, tookMs],
        ['UploadBytes', MetricUnit.Bytes, uploadBytes],
        ['PreviewLength', MetricUnit.Milliseconds, previewMs],
      ]),
    converted: ({ sessionId, photoBytes, tookMs }) =>
      publish(sessionId, [
        ['ConvertTime', MetricUnit.Milliseconds, tookMs],
        ['PhotoBytes', MetricUnit.Bytes, photoBytes],
      ]),
  }
}
