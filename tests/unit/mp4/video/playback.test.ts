import { readFile } from 'node:fs/promises'
import { asciiBytes, concatBytes } from '@lantern-room/base/bytes'
import { cutClip } from '#internal/mp4/clip/cutClip'
import { readMovie } from '#internal/mp4/movie/movie'
import type { Track } from '#internal/mp4/movie/track'
import { bytesSource } from '#internal/mp4/source/byteSource'
import { FormatError } from '#internal/mp4/source/formatError'
import { foreignSets, readCodedStream } from '#internal/mp4/video/codedStream'
import { judgeVideo, type VideoRate } from '#internal/mp4/video/playback'
import { hex } from '#support/values/hex'
import { previewMp4, SPS } from '../../../support/media/previewMp4'
import { assert, suite } from '../../../support/runner/suite'
import { trackOf } from '../movie/sampleMp4'

const test = suite('whether phones play a video')

const plain = trackOf(previewMp4())
const RATE: VideoRate = { frames: 30, bits: 10_000_000 }

const problemsOf = (change: Partial<Track>, samples: readonly Uint8Array[] = [], rate = RATE) =>
  judgeVideo({ ...plain, ...change }, samples, rate).problems.join(' ')

/** With another parameter set in place of its own. */
function described(set: string, codec = 'avc1'): Partial<Track> {
  const sps = hex(set)
  const avcC = concatBytes([hex('0142c01fffe1'), Uint8Array.of(0, sps.length), sps, hex('0100 04 68ce3c80')])
  const box = concatBytes([Uint8Array.of(0, 0, 0, avcC.length + 8), asciiBytes('avcC'), avcC])
  const sampleEntry = concatBytes([plain.sampleEntry.subarray(0, 86), box])
  sampleEntry.set(asciiBytes(codec), 4)
  return { sampleEntry, codec }
}

const sample = (...units: readonly Uint8Array[]) =>
  concatBytes(units.flatMap((unit) => [Uint8Array.of(0, 0, 0, unit.length), unit]))

const matrix = (...rows: readonly number[]) => {
  const view = new DataView(new ArrayBuffer(36))
  rows.forEach((value, index) => {
    view.setInt32([0, 4, 12, 16][index] ?? 0, value * 0x10000)
  })
  return { display: { ...plain.display, matrix: new Uint8Array(view.buffer) } }
}

test('a preview is played everywhere', () => assert.is(problemsOf({}), ''))

for (const [what, set, problems] of [
  ['High', '6764000dacd941419f9f0110000003001000000303c0f1429960', ''],
  ['High 10', '676e000da6cd941419f9f0110000030001000003003c0f142996', 'clip-codec'],
  ['Extended', '6758c00dd901419f9f0110000003001000000303c0f142a480', 'clip-codec'],
  ['High in grey', '6764000df36505067e37016c80000003008000001e078a14cb', 'clip-codec'],
  ['interlaced', '67640015acd941433f260220000003002000000783e28532c0', 'clip-interlaced'],
  ['8K', '6742c03cda00780021db0110000003001000000303c0f08042a0', 'clip-size clip-rate'],
  ['a damaged set', '674d', 'clip-codec'],
] as const) {
  test(`${what}: ${problems || 'played'}`, () => assert.is(problemsOf(described(set)), problems))
}

test('quarters are turned, and no other matrix is kept', () => {
  for (const turn of [
    [1, 0, 0, 1],
    [0, 1, -1, 0],
    [-1, 0, 0, -1],
    [0, -1, 1, 0],
  ]) {
    assert.is(problemsOf(matrix(...turn)), '')
  }
  for (const other of [
    [-1, 0, 0, 1],
    [1, 0, 0, -1],
    [0, 1, 1, 0],
    [1, 0, 0.5, 1],
    [2, 0, 0, 2],
    [0, 0, 0, 0],
  ]) {
    assert.is(problemsOf(matrix(...other)), 'clip-mirrored', other.join())
  }
})

test('another size in a later parameter set or description is a change', () => {
  const small = hex('6742c00dd901419f9f0110000003001000000303c0f142a480')
  assert.is(problemsOf({}, [sample(SPS, hex('6588'))]), '')
  assert.is(problemsOf({}, [sample(SPS), sample(hex('0910'), small, hex('6588'))]), 'clip-changes')
  const { sampleEntry } = described('6742c00dd901419f9f0110000003001000000303c0f142a480')
  assert.is(problemsOf({ otherEntries: sampleEntry ? [sampleEntry] : [] }), 'clip-changes')
})

test('a sample of two million units takes no memory for each', () => {
  const units = new Uint8Array(10_000_000).map((_, at) => [0, 0, 0, 1, 0x1e][at % 5] ?? 0)
  const before = process.resourceUsage().maxRSS
  assert.is(problemsOf({}, [units]), '')
  const megabytes = (process.resourceUsage().maxRSS - before) / 1024
  assert.ok(megabytes < 150, `${megabytes} MB`)
})

/** Megabytes by which the process grows. */
const growth = (work: () => void) => {
  const before = process.resourceUsage().maxRSS
  work()
  return (process.resourceUsage().maxRSS - before) / 1024
}

const boxOf = (type: string, body: Uint8Array) => {
  const box = concatBytes([new Uint8Array(4), asciiBytes(type), body])
  new DataView(box.buffer).setUint32(0, box.length)
  return box
}

test('an entry of eight million empty parameter sets takes no memory for each', () => {
  const list = concatBytes([hex('21ffff'), new Uint8Array(2 * 0xffff)])
  const hvcC = concatBytes([new Uint8Array(22), Uint8Array.of(120), ...Array<Uint8Array>(120).fill(list)])
  const sampleEntry = concatBytes([plain.sampleEntry.subarray(0, 86), boxOf('hvcC', hvcC)])
  const megabytes = growth(() => assert.is(problemsOf({ sampleEntry, codec: 'hvc1' }), 'clip-codec'))
  assert.ok(megabytes < 150, `${megabytes} MB`)
})

test('an entry of two million empty boxes takes no memory for each', () => {
  const boxes = new Uint8Array(16_000_000).map((_, at) => (at % 8 === 3 ? 8 : 0x20 * Number(at % 8 > 3)))
  const sampleEntry = concatBytes([plain.sampleEntry, boxes])
  const megabytes = growth(() => assert.is(problemsOf({ sampleEntry }), ''))
  assert.ok(megabytes < 150, `${megabytes} MB`)
})

test('each parameter set of a sample is looked up once, however many the entry has', () => {
  const set = Uint8Array.of(0, 1, 8)
  const avcC = concatBytes([
    hex('0142c00dfce1'),
    Uint8Array.of(0, SPS.length),
    SPS,
    Uint8Array.of(255),
    ...Array.from({ length: 254 }, (_, i) => Uint8Array.of(0, 2, 0x28, i)),
    set,
  ])
  const sampleEntry = concatBytes([plain.sampleEntry.subarray(0, 86), boxOf('avcC', avcC)])
  const stream = readCodedStream(sampleEntry)
  let looks = 0
  const counted = stream && {
    ...stream,
    sets: new Proxy(stream.sets, {
      get(sets, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1
        return Reflect.get(sets, key)
      },
    }),
  }
  const sample = new Uint8Array(20_000).map((_, at) => (at % 2 === 0 ? 1 : 8))
  assert.equal(counted && foreignSets(counted, [sample]), [])
  assert.ok(looks < 1000, `${looks} looks at 256 sets`)
})

test('more than level 5.2 decodes in a second is too much', () => {
  const size = described('6742c01fd900a02ff970110000030001000003003c0f183248')
  assert.is(problemsOf(size, [], { frames: 2000, bits: 1e6 }), '')
  assert.is(problemsOf(size, [], { frames: 2300, bits: 1e6 }), 'clip-rate')
  assert.is(problemsOf(size, [], { frames: 30, bits: 310e6 }), 'clip-rate')
})

test('Dolby Vision is played where its base is a picture for all', () => {
  const withDolby = (compatibility: number) => {
    const box = concatBytes([
      hex('00000020'),
      asciiBytes('dvcC'),
      hex('0100 0a00'),
      Uint8Array.of(compatibility << 4),
    ])
    return { sampleEntry: concatBytes([plain.sampleEntry, box, new Uint8Array(32 - box.length)]) }
  }
  assert.equal(
    [4, 1, 0].map((id) => problemsOf(withDolby(id))),
    ['', '', 'clip-codec'],
  )
})

const hev1 = new Uint8Array(await readFile('tests/fixtures/media/hev1.mp4'))
const range = { stream: 0, start: 0.5, end: 1.5, speed: 1 }
const codecOf = (mp4: Uint8Array | undefined) => mp4 && readMovie(mp4).movie?.tracks[0]?.codec

test('spatial video, which has pictures for the other eye in a layer of its own, is not copied with both', async () => {
  const [track] = readMovie(hev1).movie?.tracks ?? []
  const sampleEntry = track?.sampleEntry ?? new Uint8Array()
  const judged = (entry: Uint8Array, samples: readonly Uint8Array[]) =>
    track && judgeVideo({ ...track, sampleEntry: entry }, samples, RATE).problems.join(' ')
  const [base, other] = [hex('2601 ac'), hex('2609 ac')].map((unit) => sample(unit))
  assert.is(judged(sampleEntry, [base ?? hex('')]), 'clip-hev1')
  assert.is(judged(sampleEntry, [base ?? hex(''), other ?? hex('')]), 'clip-codec clip-hev1')
  const layers = concatBytes([sampleEntry, hex('0000000e'), asciiBytes('lhvC'), new Uint8Array(6)])
  new DataView(layers.buffer).setUint32(0, layers.length)
  assert.is(judged(layers, []), 'clip-codec clip-hev1')
})

test('hev1 with all parameter sets in its entry becomes hvc1, and says that it has them all', async () => {
  const { mp4 } = await cutClip(bytesSource(hev1), range)
  assert.is(codecOf(mp4), 'hvc1')
  const [track] = readMovie(mp4 ?? new Uint8Array()).movie?.tracks ?? []
  const lists = Buffer.from(track?.sampleEntry ?? []).toString('hex')
  // The types 32, 33 and 34, each with one unit and the bit for complete.
  for (const start of ['a00001', 'a10001', 'a20001']) assert.ok(lists.includes(start), start)
})

test('hev1 whose parameter sets are in its samples alone is not copied', async () => {
  const at = Buffer.from(hev1).indexOf('hvcC') + 4 + 22
  assert.is((await cutClip(bytesSource(hev1.with(at, 0)), range)).problem, 'codec')
})

test('hev1 whose samples have other parameter sets than its entry is not copied, with the same ones it loses them', async () => {
  const { movie } = readMovie(hev1)
  const video = movie?.tracks.find(({ kind }) => kind === 'video')
  const key = video?.samples.offsets[0] ?? 0
  const size = video?.samples.sizes[0] ?? 0
  const entry = Buffer.from(video?.sampleEntry ?? [])
  const start =
    entry.indexOf(hex('220001')) === -1 ? entry.indexOf(hex('a20001')) : entry.indexOf(hex('220001'))
  const length = entry.readUInt16BE(start + 3)
  const pps = new Uint8Array(entry.subarray(start + 5, start + 5 + length))
  /** The first sample with a parameter set and padding in place of its pictures. */
  const withSet = (unit: Uint8Array) => {
    const rest = size - 4 - unit.length - 4
    const filler = concatBytes([
      Uint8Array.of(0, 0, rest >> 8, rest & 255),
      Uint8Array.of(0x4c),
      new Uint8Array(rest - 1),
    ])
    const changed = hev1.slice()
    changed.set(concatBytes([Uint8Array.of(0, 0, 0, unit.length), unit, filler]), key)
    return changed
  }
  const same = await cutClip(bytesSource(withSet(pps)), { ...range, start: 0 })
  assert.is(codecOf(same.mp4), 'hvc1')
  const kept = readMovie(same.mp4 ?? new Uint8Array()).movie?.tracks[0]?.samples.sizes[0]
  assert.is(kept, size - 4 - pps.length)
  const other = await cutClip(bytesSource(withSet(pps.with(2, (pps[2] ?? 0) ^ 1))), range)
  assert.is(other.problem, 'codec')
})

test('avc3 becomes avc1', async () => {
  const avc = new Uint8Array(await readFile('tests/fixtures/media/mirrored-matrix.mp4'))
  assert.is((await cutClip(bytesSource(avc), range)).problem, 'mirror')
  const avc3 = avc.slice()
  const { display } = matrix(1, 0, 0, 1)
  avc3.set(display.matrix.subarray(0, 20), Buffer.from(avc).indexOf('tkhd') + 44)
  avc3.set(asciiBytes('avc3'), Buffer.from(avc).indexOf('avc1', Buffer.from(avc).indexOf('stsd')))
  assert.is(codecOf((await cutClip(bytesSource(avc3), range)).mp4), 'avc1')
})

test('a damaged file is copied, or has a reason', async () => {
  const index = Buffer.from(hev1).indexOf('moov')
  for (let seed = 0; seed < 300; seed++) {
    const bytes = hev1.slice()
    for (let place = 0; place < 4; place++) {
      const at = index + (((seed * 7919 + place * 104_729) >> 2) % (hev1.length - index))
      bytes[at] = (bytes[at] ?? 0) ^ (1 << ((seed + place) % 8))
    }
    const { mp4, problem } = await cutClip(bytesSource(bytes), range).catch((error: unknown) => {
      assert.is(error instanceof FormatError && error.code, 'damaged', String(error))
      return { mp4: undefined, problem: 'range' }
    })
    assert.ok(mp4 !== undefined || problem !== undefined)
  }
})

test.run()
