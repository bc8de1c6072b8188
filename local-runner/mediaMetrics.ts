import type { Log } from '@lantern-room/base'
import {
  type FoundFfmpeg,
  type JobCount,
  logMetrics,
  readFfmpegVersion,
  SECURITY_FIXES,
} from '@lantern-room/media'

import type { Metrics } from '@lantern-room/media/ports'
import heads from './mediaMetrics.json'
import type { QueueFigures } from './queueWorker'

/** The value of a metric, or values by what stands in braces behind its name, such as `status="200"`. */
type Samples = number | ReadonlyMap<string, number>
type MetricName = keyof typeof heads

/** Counts what the motion photo API does since its start. */
export function createMediaMetrics(log: Log, ffmpeg: FoundFfmpeg) {
  const logged = logMetrics(log)
  const totals = new Map<MetricName, number>()
  const responses = new Map<string, number>()
  const ofClients = new Map<MetricName, Map<string, number>>()
  const add = (total: MetricName, value: number) => totals.set(total, (totals.get(total) ?? 0) + value)
  /** As `add`, for a client that has a name. */
  const addOf = (client: string | undefined, total: MetricName, value: number) => {
    if (client === undefined) return
    const samples = ofClients.get(total) ?? new Map<string, number>()
    ofClients.set(total, samples.set(labelOf(client), (samples.get(labelOf(client)) ?? 0) + value))
  }
  /** Counts finished work, and logs it. */
  const metrics: Metrics = {
    ...logged,
    counted(what, count, client) {
      logged.counted(what, count, client)
      if (what === 'QuotaRefusals') addOf(client, 'client_quota_refusals_total', count)
      if (what === 'CallbacksDelivered') add('callbacks_delivered_total', count)
      if (what === 'CallbacksGivenUp') {
        add('callbacks_given_up_total', count)
        addOf(client, 'client_callbacks_given_up_total', count)
      }
    },
    prepared(figures) {
      logged.prepared(figures)
      add('previews_total', 1)
      add('preview_seconds_total', figures.tookMs / 1000)
      add('upload_bytes_total', figures.uploadBytes)
      add('preview_length_seconds_total', figures.previewMs / 1000)
      addOf(figures.client, 'client_previews_total', 1)
      addOf(figures.client, 'client_upload_bytes_total', figures.uploadBytes)
      addOf(figures.client, 'client_preview_length_seconds_total', figures.previewMs / 1000)
    },
    converted(figures) {
      logged.converted(figures)
      add('photos_total', 1)
      add('photo_seconds_total', figures.tookMs / 1000)
      add('photo_bytes_total', figures.photoBytes)
      addOf(figures.client, 'client_photos_total', 1)
      addOf(figures.client, 'client_photo_seconds_total', figures.tookMs / 1000)
    },
  }
  return {
    metrics,
    countResponse(status: number): void {
      const label = `status="${status}"`
      responses.set(label, (responses.get(label) ?? 0) + 1)
    },
    countSkippedSweep: () => void add('sweeps_skipped_total', 1),
    /**
     * Everything in Prometheus' text format.
     * @param aheadMs how far this machine's clock is ahead of the store's
     * @param queue undefined where there is none
     */
    render({ running, waiting, byClient }: JobCount, aheadMs: number, queue?: QueueFigures): string {
      const { name, missing } = readFfmpegVersion(ffmpeg.version)
      const fixes = SECURITY_FIXES.map(
        (fix) => [`id=${quoted(fix.id)}`, missing?.includes(fix) ? 1 : 0] as const,
      )
      const jobsOf = (what: 'running' | 'waiting') =>
        new Map([...byClient].map(([name, count]) => [labelOf(name), count[what]]))
      const samples: Partial<Record<MetricName, Samples | undefined>> = {
        ...Object.fromEntries(ofClients),
        client_jobs_running: jobsOf('running'),
        client_jobs_waiting: jobsOf('waiting'),
        responses_total: responses,
        jobs_running: running,
        jobs_waiting: waiting,
        queue_wait_seconds: queue?.waitSeconds ?? 0,
        queue_messages_total: new Map(
          [...(queue?.outcomes ?? [])].map(([ended, count]) => [`ended=${quoted(ended)}`, count]),
        ),
        clock_ahead_seconds: Math.round(aheadMs / 1000),
        ffmpeg_info: new Map([[`path=${quoted(ffmpeg.path)},version=${quoted(name)}`, 1]]),
        ffmpeg_missing_fix: new Map(fixes),
      }
      const shown = Object.keys(heads) as MetricName[]
      return shown
        .filter((metric) => metric !== 'ffmpeg_missing_fix' || missing)
        .filter((metric) => queue || !metric.startsWith('queue_'))
        .filter((metric) => !metric.startsWith('client_') || sizeOf(samples[metric]) > 0)
        .map((metric) => renderMetric(metric, samples[metric] ?? totals.get(metric) ?? 0))
        .join('')
    },
  }
}

/** @see https://prometheus.io/docs/instrumenting/exposition_formats/ */
function renderMetric(metric: MetricName, samples: Samples): string {
  const { type, help } = heads[metric]
  const name = `motion_photo_${metric}`
  const lines =
    typeof samples === 'number'
      ? [`${name} ${samples}\n`]
      : [...samples].map(([labels, value]) => `${name}{${labels}} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

/** Of a metric with a sample for each client. */
function sizeOf(samples: Samples | undefined): number {
  return typeof samples === 'object' ? samples.size : 0
}

function labelOf(client: string): string {
  return `client=${quoted(client)}`
}

/** As Prometheus' text format escapes the value of a label. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
