import { readFile } from 'node:fs/promises'
import { ServiceError } from '@lantern-room/base'
import { HTTP_STATUS } from '@lantern-room/base/http'
import { film, mediaFolderOfSuite } from '#support/media/media'
import { createMediaTools } from '#support/media/mediaTools'
import { numericFields } from '#support/media/numericFields'
import { assert, suite } from '#support/runner/suite'
import { ebmlNumbers, withStrippedSound } from './ebmlNumbers'
import { costOf } from './programCost'

// Absurd numbers in what only ffmpeg reads: fragments, Matroska, the delays of animated images. A preview has no more pictures than it may
// have, and takes no more time than one of that length.

const test = suite('absurd numbers before ffmpeg', { timeoutMs: 900_000 })
const media = await mediaFolderOfSuite()
const MOST_SECONDS = 4
const tools = createMediaTools(media, { limits: { maxInputSeconds: MOST_SECONDS } })

/** Of the programs of one preview of four seconds of small pictures. */
const MOST_CPU_SECONDS = 20
const MOST_MEMORY = 1024 * 1024 * 1024

type Place = { readonly name: string; readonly at: number; readonly width: number }

const VALUES = [0n, 1n, 2n ** 31n, 2n ** 32n - 1n, 2n ** 63n, 2n ** 64n - 1n]

/** A copy with another number: its lower bytes. */
function withNumber(bytes: Uint8Array, { at, width }: Place, value: bigint, isLittle = false): Uint8Array {
  const changed = bytes.slice()
  for (let byte = 0; byte < width; byte++) {
    const place = at + (isLittle ? byte : width - 1 - byte)
    changed[place] = Number((value >> BigInt(8 * byte)) & 0xffn)
  }
  return changed
}

/** The file is refused, and nothing has broken. */
function requireRefusal(name: string, error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw new Error(`${name}: ${error}`, { cause: error })
  assert.ok([400, 413, 415].includes(HTTP_STATUS[error.code]), `${name}: ${error.code}: ${error.detail}`)
  return undefined
}

async function check(name: string, bytes: Uint8Array): Promise<void> {
  const path = await media.write('absurd', bytes)
  const cost = await costOf(async () => {
    const made = await tools.prepare(path).catch((error: unknown) => requireRefusal(name, error))
    if (!made) return
    assert.ok(made.frames <= MOST_SECONDS * 30, `${name}: ${made.frames} frames`)
    const bytesOfPreview = (await readFile(made.path)).length
    assert.ok(bytesOfPreview < 10_000_000, `${name}: ${bytesOfPreview} bytes`)
    if (made.frames >= 3)
      await tools.shoot(made, { end: Math.min(made.frames / 30, 1), cover: 0 }, { quality: 'source' })
  })
  if (process.env.SHOW) console.log(name, cost)
  assert.ok(cost.cpuSeconds < MOST_CPU_SECONDS, `${name}: ${cost.cpuSeconds} s`)
  assert.ok(cost.peakBytes < MOST_MEMORY, `${name}: ${cost.peakBytes} bytes`)
}

async function checkAll(bytes: Uint8Array, places: readonly Place[], isLittle = false): Promise<void> {
  assert.ok(places.length > 0)
  for (const place of places) {
    const most = 2n ** BigInt(8 * place.width)
    const values = place.name.startsWith('size') ? [most - 1n] : VALUES.map((one) => one % most)
    for (const value of new Set(values))
      await check(`${place.name} = ${value}`, withNumber(bytes, place, value, isLittle))
  }
}

const bytesOf = async (name: string, args: readonly string[]) =>
  new Uint8Array(await readFile(await media.make(name, args)))

test('Matroska', async () => {
  const bytes = await bytesOf('a.mkv', film('64x48', 2, 'sound'))
  await checkAll(bytes, ebmlNumbers(bytes))
})

test('an MP4 in fragments', async () => {
  const bytes = await bytesOf('a.mp4', [
    ...film('64x48', 2, 'sound'),
    '-movflags',
    'frag_keyframe+empty_moov',
    '-g',
    '30',
  ])
  const fields = numericFields(bytes).filter(({ name }) => /^moof|^sidx|mvex/.test(name))
  const named = new Map(fields.map((field) => [field.name, field]))
  await checkAll(bytes, [...named.values()])
})

test('Matroska whose packets of sound are a megabyte each, of a few bytes in the file', async () => {
  const stream = ['-f', 'matroska', '-live', '1', '-flush_packets', '0']
  const bytes = await bytesOf('live.mkv', [...film('64x48', 4, 'sound'), ...stream])
  const bomb = await media.write('bomb.mkv', withStrippedSound(bytes, new Uint8Array(1_000_000)))
  // FFmpeg 5 leaves the sound out; 7 gives up where none of it can be decoded.
  const made = await tools.prepare(bomb).catch((error: unknown) => requireRefusal('bomb', error))
  const written = made && (await readFile(made.path)).length
  assert.ok((written ?? 0) < 20_000_000, `${written} bytes`)
})

test('the delays of a GIF and of an APNG', async () => {
  const gif = await bytesOf('a.gif', ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=1'])
  const control = Buffer.from(gif).lastIndexOf('21f904', undefined, 'hex')
  await checkAll(gif, [{ name: 'delay of a GIF', at: control + 4, width: 2 }], true)
  const png = await bytesOf('a.apng', ['-f', 'lavfi', '-i', 'testsrc2=s=64x48:r=10:d=1', '-f', 'apng'])
  const [frames, last] = [Buffer.from(png).indexOf('acTL'), Buffer.from(png).lastIndexOf('fcTL')]
  await checkAll(png, [
    { name: 'pictures of an APNG', at: frames + 4, width: 4 },
    { name: 'repeats of an APNG', at: frames + 8, width: 4 },
    { name: 'delay of an APNG', at: last + 24, width: 2 },
    { name: 'unit of that delay', at: last + 26, width: 2 },
  ])
})

test.run()
