import { asciiBytes, latin1 } from '#core/bytes'
import { readMovie } from '#core/formats/mp4/movie'
import { bytesSource } from '#core/formats/source/byteSource'
import { type ClipTask, type CopyTask, makeClip } from '#core/media/clip/makeClip'
import { codeOf, fakeWorkFolders } from '#support/media/prepared'
import { previewMp4 } from '#support/media/previewMp4'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { assert, suite } from '#support/runner/suite'
import { plan } from './movies'

// Which way a clip is made. What it looks like: tests/flows.

const test = suite('making a clip')
const { signal } = new AbortController()
const preview = previewMp4({ soundSeconds: 3 })
/** From a key frame on, half a second. */
const HALF = plan(15, 15)
const CROPPED = { crop: { kind: 'ratio', width: 1, height: 1 }, rotate: 0 } as const

async function make(change: Partial<ClipTask> = {}) {
  const { ffmpeg, tasks } = scriptedFfmpeg()
  const folder = await fakeWorkFolders(new Map([['clip.mp4', previewMp4({ frames: 15 })]])).workFolders.open()
  const clip = await makeClip({
    ffmpeg,
    folder,
    signal,
    timeoutMs: 1000,
    preview: bytesSource(preview),
    plan: HALF,
    hasSound: true,
    source: undefined,
    ...change,
  })
  const { tracks = [] } = readMovie(clip.mp4).movie ?? {}
  return {
    ...clip,
    tracks,
    kinds: tracks.map(({ kind }) => kind).join(),
    args: tasks.map(({ args }) => args.join(' ')),
  }
}

function source(bytes: Uint8Array, mayBeHevc = false): CopyTask {
  return { bytes: bytesSource(bytes), stream: 0, firstFrame: 0, mayBeHevc }
}

test('picture and sound are copied where they can be', async () => {
  const clip = await make()
  const expected = ['video,audio', 15, 'preview', undefined]
  assert.equal([clip.kinds, clip.times.length, clip.quality, clip.problem], expected)
  assert.equal(clip.args, [])
  assert.is((await make({ hasSound: false })).kinds, 'video')
  const slow = await make({ plan: plan(15, 15, 0.5), hasSound: false })
  assert.equal([slow.args, slow.times.at(-1)], [[], 28 / 30])
  const turned = await make({ edit: { crop: undefined, rotate: 90 } })
  assert.equal(turned.args, [])
  assert.not.equal(turned.tracks[0]?.display?.matrix, clip.tracks[0]?.display?.matrix)
})

test('a crop, a repetition and a speed beyond phones are encoded', async () => {
  const cases: readonly (readonly [Partial<ClipTask>, RegExp])[] = [
    [{ edit: CROPPED }, /crop=.* .*clip\.mp4/],
    [{ plan: { ...HALF, repeat: 2, clipFrames: 30 }, hasSound: false }, /loop=loop=1:size=15/],
    [{ plan: plan(15, 60, 10) }, /clip\.mp4/],
  ]
  for (const [change, expected] of cases) {
    const { args, times } = await make(change)
    assert.is(args.length, 1)
    assert.match(args[0] ?? '', expected)
    assert.is(times.length, (change.plan ?? HALF).clipFrames)
  }
})

test('an original gives its own pictures, and the preview the sound', async () => {
  const large = previewMp4({ width: 1280, height: 720 })
  const clip = await make({ source: source(large) })
  const expected = ['source', 'video,audio', 1280, []]
  assert.equal([clip.quality, clip.kinds, clip.tracks[0]?.width, clip.args], expected)
})

test('where it cannot the preview serves, and the reason is said', async () => {
  const hevc = asciiBytes(latin1(preview).replace('avc1', 'hvc1').replace('avcC', 'hvcC'))
  const cases: readonly (readonly [string, Partial<ClipTask>])[] = [
    ['format', { source: source(new Uint8Array(100)) }],
    ['edit', { source: source(preview), edit: CROPPED }],
    ['codec', { source: source(hevc) }],
  ]
  for (const [problem, change] of cases) {
    const clip = await make(change)
    assert.equal([clip.quality, clip.problem], ['preview', problem])
  }
  assert.is((await make({ source: source(hevc, true) })).quality, 'source')
})

test('a preview that cannot be read back is a failure of the service', async () => {
  assert.is(await codeOf(make({ preview: bytesSource(new Uint8Array(100)) })), 'internal')
})

test.run()
