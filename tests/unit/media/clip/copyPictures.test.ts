import { concatBytes } from '#core/bytes'
import { copyPictures } from '#core/media/clip/copyPictures'
import { cutPictures } from '#core/media/clip/cutPictures'
import { codeOf } from '#support/media/prepared'
import { scriptedFfmpeg } from '#support/media/scriptedFfmpeg'
import { assert, suite } from '#support/runner/suite'
import { hex } from '../hex'
import { trackOf } from '../mp4/sampleMp4'
import { file } from './movies'

const test = suite('copying pictures')
const { signal } = new AbortController()
/** Baseline, with frame numbers of four bits. */
const SPS = hex('6742c01fc0')
const PPS = hex('68ce3c80')
/** Key frames with the identifiers 0 and 1. See idrPictureId.test.ts. */
const [KEY_0, KEY_1] = [hex('658884'), hex('65888201')]
const PLAIN = hex('419a01')

const plain = trackOf(file)
const track = { ...plain, avc: plain.avc && { ...plain.avc, sps: [SPS], pps: [PPS] } }

/** @param encoded the pictures that ffmpeg makes anew */
async function copy(
  [start, end]: readonly [number, number],
  { speed = 1, seconds = 1, encoded = [] as Uint8Array[], sps = SPS, exitCode = 0, next = KEY_0 } = {},
) {
  const stream = [sps, PPS, ...encoded].flatMap((unit) => [Uint8Array.of(0, 0, 0, 1), unit])
  const { ffmpeg, tasks } = scriptedFfmpeg(() => ({ exitCode, stdout: concatBytes(stream) }))
  const cut = cutPictures(track, start, end)
  const samples = Array.from({ length: end - cut.group }, (_, index) =>
    concatBytes([Uint8Array.of(0, 0, 0, next.length), next, Uint8Array.of(0, 0, 0, 1, index)]),
  )
  const pictures = await copyPictures({ ffmpeg, signal, timeoutMs: 1000 }, cut, samples, speed, seconds)
  return { pictures, samples, args: tasks.map(({ args }) => args.join(' ')) }
}

test('from a key frame on each is the sample that was there, shown in its time', async () => {
  const { pictures, samples, args } = await copy([15, 45], { speed: 2, seconds: 0.6 })
  assert.equal([pictures?.samples, args], [samples, []])
  assert.equal(pictures?.times.slice(0, 3), [0, 1 / 60, 2 / 60])
  const { durations = [], sync = [] } = pictures?.track ?? {}
  assert.equal([durations[0], durations.at(-1)], [1500, 54_000 - 29 * 1500], 'the last is held')
  const keys = [...sync.keys()].filter((index) => sync[index] === 1)
  assert.equal(keys, [0, 15])
})

test('those before the first key frame are encoded, after the pictures that they need', async () => {
  const { pictures, samples, args } = await copy([12, 20], { encoded: [KEY_1, PLAIN, PLAIN] })
  assert.match(args[0] ?? '', /trim=start_frame=12,setpts=PTS-STARTPTS /)
  assert.equal(pictures?.samples.slice(3), samples.slice(15))
  assert.equal(pictures?.samples[1], concatBytes([hex('00000003'), PLAIN]))
  assert.equal([...(pictures?.track.sync ?? [])], [1, 0, 0, 1, 0, 0, 0, 0])
})

test('a single one is a key frame with another identifier than the next', async () => {
  for (const [next, other] of [
    [KEY_0, KEY_1],
    [KEY_1, KEY_0],
  ] as const) {
    const { pictures, args } = await copy([14, 20], { encoded: [KEY_0, KEY_1], next })
    assert.match(args[0] ?? '', /tpad=stop=1.*-force_key_frames/)
    assert.equal(pictures?.samples[0]?.subarray(4), other)
  }
})

test('nothing is copied when the encoder made something else; that it failed is said', async () => {
  const encoded = [KEY_1, PLAIN, PLAIN]
  assert.is((await copy([12, 20], { encoded, sps: hex('6742c01fc1') })).pictures, undefined)
  assert.is((await copy([12, 20], { encoded: [KEY_1, PLAIN] })).pictures, undefined)
  assert.is(await codeOf(copy([12, 20], { exitCode: 1 })), 'internal')
})
