import { readFile } from 'node:fs/promises'
import { assert, suite } from '#support/runner/suite'
import { silentLog } from '#support/values/testLog'
import { createMediaMetrics } from '../../../local-runner/mediaMetrics'
import heads from '../../../local-runner/mediaMetrics.json'

const test = suite('metrics of the motion photo API')

const FFMPEG = { path: '/opt/bin/ffmpeg', version: 'ffmpeg version 8.1.2 Copyright' }

const valuesIn = (text: string) =>
  text.split('\n').filter((line) => line && !line.startsWith('#') && !line.includes('_ffmpeg_'))

test('times are seconds, sizes are bytes, and all add up', () => {
  const { metrics, countResponse, countSkippedSweep, render } = createMediaMetrics(silentLog(), FFMPEG)
  metrics.prepared({ sessionId: 'a', client: 'app', uploadBytes: 1_000_000, previewMs: 30_000, tookMs: 2500 })
  metrics.prepared({ sessionId: 'b', client: undefined, uploadBytes: 500_000, previewMs: 1500, tookMs: 500 })
  metrics.converted({ sessionId: undefined, client: 'a"b', photoBytes: 4096, tookMs: 250 })
  for (const status of [200, 200, 429]) countResponse(status)
  metrics.counted('CallbacksDelivered', 1, 'app')
  metrics.counted('CallbacksGivenUp', 1, 'app')
  countSkippedSweep()
  const byClient = new Map([['app', { running: 1, waiting: 3 }]])
  assert.equal(valuesIn(render({ running: 2, waiting: 7, byClient }, -90_000_400)), [
    'motion_photo_previews_total 2',
    'motion_photo_preview_seconds_total 3',
    'motion_photo_upload_bytes_total 1500000',
    'motion_photo_preview_length_seconds_total 31.5',
    'motion_photo_photos_total 1',
    'motion_photo_photo_seconds_total 0.25',
    'motion_photo_photo_bytes_total 4096',
    'motion_photo_client_previews_total{client="app"} 1',
    'motion_photo_client_preview_length_seconds_total{client="app"} 30',
    'motion_photo_client_upload_bytes_total{client="app"} 1000000',
    'motion_photo_client_photos_total{client="a\\"b"} 1',
    'motion_photo_client_photo_seconds_total{client="a\\"b"} 0.25',
    'motion_photo_client_callbacks_given_up_total{client="app"} 1',
    'motion_photo_client_jobs_running{client="app"} 1',
    'motion_photo_client_jobs_waiting{client="app"} 3',
    'motion_photo_callbacks_delivered_total 1',
    'motion_photo_callbacks_given_up_total 1',
    'motion_photo_responses_total{status="200"} 2',
    'motion_photo_responses_total{status="429"} 1',
    'motion_photo_jobs_running 2',
    'motion_photo_jobs_waiting 7',
    'motion_photo_clock_ahead_seconds -90000',
    'motion_photo_sweeps_skipped_total 1',
  ])
})

const ffmpegs: readonly [path: string, version: string, lines: readonly string[]][] = [
  [
    '/opt/bin/ffmpeg',
    '8.1.2',
    ['info{path="/opt/bin/ffmpeg",version="8.1.2"} 1', 'missing_fix{id="CVE-2026-8461"} 0'],
  ],
  [
    'C:\\media "new"\\ffmpeg.exe',
    '7.0.2-static',
    [
      'info{path="C:\\\\media \\"new\\"\\\\ffmpeg.exe",version="7.0.2-static"} 1',
      'missing_fix{id="CVE-2026-8461"} 1',
    ],
  ],
  ['ffmpeg', 'N-118193-g5f38c82536', ['info{path="ffmpeg",version="N-118193-g5f38c82536"} 1']],
]
for (const [path, version, lines] of ffmpegs) {
  test(`${version} is told, and whether it lacks a fix`, () => {
    const { render } = createMediaMetrics(silentLog(), {
      path,
      version: `ffmpeg version ${version} Copyright`,
    })
    const text = render({ running: 0, waiting: 0, byClient: new Map() }, 0)
    assert.equal(
      text.split('\n').filter((line) => line.startsWith('motion_photo_ffmpeg_')),
      lines.map((line) => `motion_photo_ffmpeg_${line}`),
    )
  })
}

test('the board of Grafana shows metrics that there are', async () => {
  const board: unknown = JSON.parse(await readFile('docs/containers/grafana.json', 'utf8'))
  const shown = JSON.stringify(board).match(/motion_photo_\w+/g) ?? []
  const told = new Set(shown.map((name) => name.replace('motion_photo_', '')))
  assert.equal(
    [...told].filter((name) => !(name in heads)),
    [],
  )
  assert.ok(told.size > 10)
})

test.run()
