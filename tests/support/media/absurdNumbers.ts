import { ServiceError } from '@lantern-room/base'
import { concatBytes } from '@lantern-room/base/bytes'
import { assembleMotionPhoto } from '@lantern-room/formats'
import { serviceErrorOf } from '@lantern-room/media/make'
import { encodeBox, readBoxes } from '@lantern-room/mp4/boxes'
import fc from 'fast-check'
import { inWideForm, samplesAt, tableBox, withIndexBoxes } from '#support/media/indexBoxes'
import { ABSURD, type NumericField, numericFields, withNumbers } from '#support/media/numericFields'
import { previewMp4 } from '#support/media/previewMp4'
import { readMotionPhoto } from '#support/media/readMotionPhoto'
import { assert, type suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { caseCount } from '#support/values/caseCount'
import { sampleParts } from '../../unit/formats/motionPhoto/sampleParts'

/** Of one call; the slowest takes half a second on a usual machine, and what follows a number of the file takes minutes. */
const MOST_MS = 4000
/** What all calls together need beyond what the first of them have taken, garbage included, of which some versions of Node keep more. */
const MOST_BYTES = 400 * 1024 * 1024
/** What is written is the file, and a new index. */
const MORE_BYTES = 200_000

/** As previews are, in the forms of 32 and of 64 bits, and without edits, which end what is shown; pictures as cameras order them. */
const plain = previewMp4({ soundSeconds: 3 })
const NOTHING = new Uint8Array()
const bare = withIndexBoxes(withIndexBoxes(plain, 'soun', { edts: NOTHING }), 'vide', {
  edts: NOTHING,
  ctts: tableBox('ctts', ...Array.from({ length: 90 }, (_, index) => [1, index % 3 === 1 ? 1536 : 512])),
})
const videos: Readonly<Record<string, Uint8Array>> = { plain, wide: inWideForm(plain), bare }
const motionPhoto = assembleMotionPhoto({ ...sampleParts, clip: plain, profile: 'universal' })
const clipAt = readMotionPhoto(motionPhoto)?.clip?.offset ?? 0

/** Does something with a file. @returns the bytes that it writes */
export type Call = (bytes: Uint8Array) => Promise<number | undefined>

/** Errors that blame the file. */
const REFUSALS = ['invalid-request', 'unprocessable', 'unsupported-media', 'payload-too-large']

async function check(calls: Readonly<Record<string, Call>>, bytes: Uint8Array, what: string): Promise<void> {
  for (const [name, call] of Object.entries(calls)) {
    const before = process.cpuUsage()
    const written = await call(bytes).catch((thrown: unknown) => {
      const error = serviceErrorOf(thrown)
      const isRefused = error instanceof ServiceError && REFUSALS.includes(error.code)
      assert.ok(isRefused, `${what}: ${name}: ${error instanceof Error ? error.stack : error}`)
      return undefined
    })
    const { user, system } = process.cpuUsage(before)
    assert.ok((user + system) / 1000 < MOST_MS, `${what}: ${name}: ${(user + system) / 1000} ms`)
    assert.ok((written ?? 0) <= bytes.length + MORE_BYTES, `${what}: ${name}: ${written} bytes`)
  }
}

type Change = readonly [field: NumericField, value: bigint]
const wordsOf = (changes: readonly Change[]) =>
  changes.map(([{ name }, value]) => `${name} = ${value}`).join(', ')

/** As many as an index may name. */
const MANY = 990_000

const many: Readonly<Record<string, Readonly<Record<string, Uint8Array>>>> = {
  'one after the other': samplesInOneChunk(MANY, 512),
  'at one time': samplesInOneChunk(MANY, 0),
  'at one place': samplesAt(60, MANY, 1, 512),
}
/**
 * Tests that work and memory follow the size of the file, whatever one, two or three of the numbers in its index say.
 * @param videoCalls what is done with a video
 * @param photoCalls what is done with a motion photo in which it is
 */
export function absurdNumberTests(
  test: ReturnType<typeof suite>,
  videoCalls: Readonly<Record<string, Call>>,
  photoCalls: Readonly<Record<string, Call>> = {},
): void {
  for (const [form, video] of Object.entries(videos)) {
    const fields = numericFields(video)

    test(`${form}: each of its numbers, alone`, async () => {
      assert.ok(fields.length > 100, `${fields.length} numbers`)
      await inLittleMemory(async () => {
        // In `npm test` the forms other than the first try one value of each, in turn.
        const each = form === 'plain' ? ABSURD.length : caseCount(1, ABSURD.length)
        for (const [index, field] of fields.entries())
          for (let at = 0; at < each; at += 1)
            await checkWith(form, [[field, ABSURD[(index + at) % ABSURD.length] ?? 0n]])
      })
    })

    test(`${form}: two and three of them`, async () => {
      const change = fc.tuple(fc.constantFrom(...fields), fc.constantFrom(...ABSURD))
      await inLittleMemory(async () => {
        await assertProperty(
          fc.asyncProperty(fc.array(change, { minLength: 2, maxLength: 3 }), (changes) =>
            checkWith(form, changes),
          ),
          { numRuns: caseCount(300, 3000) },
        )
      })
    })
  }

  for (const [name, changed] of Object.entries(many)) {
    for (const handler of ['vide', 'soun'] as const) {
      test(`990,000 samples ${name} in a track ${handler}`, async () => {
        const padding = encodeBox('free', new Uint8Array(MANY))
        const video = concatBytes([
          withIndexBoxes(bare, handler, { ...changed, ctts: NOTHING, stss: NOTHING }),
          padding,
        ])
        await inLittleMemory(() => check(videoCalls, video, name))
      })
    }
  }

  test('an index of as many boxes as there are bytes for', async () => {
    const small = new Uint8Array(4 * 8 * 65_536).map((_, at) => [0, 0, 0, 8, 102, 114, 101, 101][at % 8] ?? 0)
    const whole = readBoxes(plain)?.find(({ type }) => type === 'moov')
    if (!whole) throw new Error('no index')
    const traks = Array.from({ length: 8 }, () => encodeBox('trak', small))
    const index = encodeBox('moov', whole.body, ...traks)
    await inLittleMemory(() => check(videoCalls, index, 'boxes'))
  })

  async function checkWith(form: string, changes: readonly Change[]): Promise<void> {
    const video = videos[form] ?? new Uint8Array()
    const what = `${form}: ${wordsOf(changes)}`
    await check(videoCalls, withNumbers(video, changes), what)
    if (form === 'plain') await check(photoCalls, withNumbers(motionPhoto, changes, clipAt), what)
  }

  /** Fails when the work has needed more memory than it may, of which the system keeps the maximum. */
  async function inLittleMemory(work: () => Promise<void>): Promise<void> {
    for (const form of Object.keys(videos)) await checkWith(form, [])
    const before = process.resourceUsage().maxRSS
    await work()
    const more = (process.resourceUsage().maxRSS - before) * 1024
    assert.ok(more < MOST_BYTES, `${more} bytes more`)
  }
}

function samplesInOneChunk(count: number, ticks: number) {
  const { stsz, stts } = samplesAt(60, count, 1, ticks)
  return { stsz, stts, stsc: tableBox('stsc', [1, count, 1]), stco: tableBox('stco', [60]) }
}
