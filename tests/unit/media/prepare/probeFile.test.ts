import { ServiceError } from '#core/errors'
import type { FfmpegOutcome } from '#core/media/ports'
import { probeFile } from '#core/media/prepare/probeFile'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { assert, suite } from '#support/runner/suite'
import { words } from './ffmpegWords'

const test = suite('reading the traits of an upload')
const NOT_DECODED = { exitCode: 1, stderr: 'Conversion failed!' }

/** What ffmpeg says of a picture that it shows at a time. */
function picture(seconds: number, text = words()) {
  return { stderr: text.replace('pts_time:0 ', `pts_time:${seconds} `) }
}

/** Probes with an ffmpeg that gives these answers one after the other. */
async function probe(frame: number, ...answers: readonly (Partial<FfmpegOutcome> | Error)[]) {
  const runs: string[] = []
  const { ffmpeg } = scriptedFfmpeg(({ args }) => {
    const [seek, decoder] = ['-ss', '-c:v'].map((option) =>
      args.includes(option) ? args[args.indexOf(option) + 1] : undefined,
    )
    const answer = answers[runs.push([seek ?? 'start', decoder].filter(Boolean).join(' ')) - 1]
    if (answer === undefined) throw new Error('it was run once too often')
    if (answer instanceof Error) throw answer
    return answer
  })
  const { signal } = new AbortController()
  const task = { ffmpeg, timeoutMs: 1000, signal }
  try {
    return { runs, code: undefined, found: await probeFile('/u', frame, task) }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { runs, code: error.code, found: undefined }
  }
}

test('the first picture is read from the start', async () => {
  const { runs, found } = await probe(0, picture(0))
  assert.equal([runs, found?.seekSeconds], [['start'], 0])
})

test('a later one at the key frame before it, then earlier, then from the start', async () => {
  assert.equal((await probe(900, picture(29.5))).runs, ['30.000000'])
  const late = await probe(900, picture(30.5), NOT_DECODED, picture(0))
  assert.equal([late.runs, late.found?.seekSeconds], [['30.000000', '20.000000', 'start'], 0])
})

test('a container that leads to no time is read from the start at once', async () => {
  const stream = words({ container: 'mpeg', duration: 'N/A' })
  assert.equal((await probe(900, picture(29, stream), picture(0, stream))).runs, ['30.000000', 'start'])
})

const WEBM = words({ container: 'matroska,webm', streams: ['Video: vp8, yuv420p(tv), 64x64'] }).replace(
  '      handler_name    : Core Media',
  '      alpha_mode      : 1',
)

test('transparency is read by its own decoder, and left out where this ffmpeg has none', async () => {
  const [first, second] = [picture(0, WEBM), picture(0, WEBM.replace('fmt:yuv420p', 'fmt:yuva420p'))]
  const found = await probe(0, first, second)
  assert.equal([found.runs, found.found?.hasAlpha], [['start', 'start libvpx'], true])
  const without = await probe(0, first, NOT_DECODED)
  assert.equal([without.code, without.found?.hasAlpha, without.found?.decoder], [undefined, false, undefined])
})

test('the end of the time is no refusal of one way to read', async () => {
  const late = new ServiceError('timeout', 'Too late.')
  assert.is((await probe(900, late)).code, 'timeout')
  assert.is((await probe(0, picture(0, WEBM), late)).code, 'timeout')
})

test('what cannot be decoded at all is refused', async () => {
  assert.is((await probe(0, NOT_DECODED)).code, 'invalid-request')
})

test.run()
