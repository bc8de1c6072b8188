import type { Log } from '#core/log'
import { type FoundFfmpeg, readFfmpegVersion, SECURITY_FIXES } from '#core/media/ffmpeg/ffmpegVersion'
import type { JobCount } from '#core/media/jobs/jobQueue'
import { logMetrics } from '#core/media/metrics'
import type { Metrics } from '#core/media/ports'
import { type MetricHead, renderMetric } from './serveMetrics'

type Total =
  | 'previews'
  | 'previewSeconds'
  | 'uploadedBytes'
  | 'previewedSeconds'
  | 'photos'
  | 'photoSeconds'
  | 'photoBytes'

const TOTALS: Readonly<Record<Total, MetricHead>> = {
  previews: ['motion_photo_previews_total', 'counter', 'Previews that were made.'],
  previewSeconds: ['motion_photo_preview_seconds_total', 'counter', 'Time that making them took.'],
  uploadedBytes: ['motion_photo_upload_bytes_total', 'counter', 'Bytes of the files they were made from.'],
  previewedSeconds: ['motion_photo_preview_length_seconds_total', 'counter', 'How long they play.'],
  photos: ['motion_photo_photos_total', 'counter', 'Motion photos that were made.'],
  photoSeconds: ['motion_photo_photo_seconds_total', 'counter', 'Time that making them took.'],
  photoBytes: ['motion_photo_photo_bytes_total', 'counter', 'Bytes of the photos.'],
}

const RESPONSES: MetricHead = ['motion_photo_responses_total', 'counter', 'Responses by their status.']
const RUNNING: MetricHead = ['motion_photo_jobs_running', 'gauge', 'Jobs of the queue that run now.']
const WAITING: MetricHead = ['motion_photo_jobs_waiting', 'gauge', 'Jobs of the queue that wait.']
const AHEAD: MetricHead = [
  'motion_photo_clock_ahead_seconds',
  'gauge',
  "How far this machine's clock is ahead of the storage's; negative where it is behind.",
]
const SKIPPED: MetricHead = [
  'motion_photo_sweeps_skipped_total',
  'counter',
  'Sweeps that removed nothing because the clock is wrong.',
]

const FFMPEG: MetricHead = ['motion_photo_ffmpeg_info', 'gauge', 'The ffmpeg that runs; always 1.']
const MISSING_FIX: MetricHead = [
  'motion_photo_ffmpeg_missing_fix',
  'gauge',
  '1 for a security fix that this ffmpeg lacks, 0 for one that it has. None where its version is no release.',
]

/** Counts what the motion photo API does since its start. */
export type MediaMetrics = {
  /** Counts finished work, and logs it. */
  readonly metrics: Metrics
  countResponse(status: number): void
  countSkippedSweep(): void
  /**
   * Everything in Prometheus' text format.
   * @param aheadMs how far this machine's clock is ahead of the store's
   */
  render(jobs: JobCount, aheadMs: number): string
}

export function createMediaMetrics(log: Log, ffmpeg: FoundFfmpeg): MediaMetrics {
  const logged = logMetrics(log)
  const totals = new Map<Total, number>()
  const responses = new Map<string, number>()
  let skippedSweeps = 0
  const add = (total: Total, value: number) => totals.set(total, (totals.get(total) ?? 0) + value)
  return {
    metrics: {
      prepared(figures) {
        logged.prepared(figures)
        add('previews', 1)
        add('previewSeconds', figures.tookMs / 1000)
        add('uploadedBytes', figures.uploadBytes)
        add('previewedSeconds', figures.previewMs / 1000)
      },
      converted(figures) {
        logged.converted(figures)
        add('photos', 1)
        add('photoSeconds', figures.tookMs / 1000)
        add('photoBytes', figures.photoBytes)
      },
    },
    countResponse(status) {
      const label = `status="${status}"`
      responses.set(label, (responses.get(label) ?? 0) + 1)
    },
    countSkippedSweep() {
      skippedSweeps += 1
    },
    render({ running, waiting }, aheadMs) {
      const counted = (Object.keys(TOTALS) as Total[]).map((total) =>
        renderMetric(TOTALS[total], totals.get(total) ?? 0),
      )
      const jobs = [renderMetric(RUNNING, running), renderMetric(WAITING, waiting)]
      const clock = [renderMetric(AHEAD, Math.round(aheadMs / 1000)), renderMetric(SKIPPED, skippedSweeps)]
      return [...counted, renderMetric(RESPONSES, responses), ...jobs, ...clock, renderFfmpeg(ffmpeg)].join(
        '',
      )
    },
  }
}

function renderFfmpeg({ path, version }: FoundFfmpeg): string {
  const { name, missing } = readFfmpegVersion(version)
  const info = renderMetric(FFMPEG, new Map([[`path=${quoted(path)},version=${quoted(name)}`, 1]]))
  if (missing === undefined) return info
  const fixes = SECURITY_FIXES.map((fix) => [`id=${quoted(fix.id)}`, missing.includes(fix) ? 1 : 0] as const)
  return info + renderMetric(MISSING_FIX, new Map(fixes))
}

/** As Prometheus' text format escapes the value of a label. */
function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}
