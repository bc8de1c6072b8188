import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ServiceError } from '#core/errors'
import { VARIANT_IDS } from '#core/media/trial/variants'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { userFiles } from '../../../../local-runner/cli/compose'
import { makeTrial } from '../../../../local-runner/cli/makeTrial'
import type { Tools, UserFiles } from '../../../../local-runner/cli/motionPhotoDependencies'
import type { TrialOrder } from '../../../../local-runner/cli/trialCommand'
import { UsageError } from '../../../../local-runner/commandLine/readArguments'
import { otherClip } from '../../media/trial/sampleTrial'
import { fakeCommand } from './fakeCommand'

// With real files, and without ffmpeg. With it: tests/flows/commandLineTrial.test.ts.

const test = suite('making the photos of a trial')

const TAKEN_AT = { unixMs: Date.UTC(2024, 4, 6, 7, 8, 9), offsetMinutes: 120 }

let folder = ''
const path = (...names: string[]) => join(folder, ...names)
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

test.before.each(async () => {
  folder = await makeTempFolder('make-trial')
  await writeFile(path('a.gif'), 'GIF89a of one')
})
test.after.each(() => removeFolders(folder))

/** Makes the trial of `a.gif` in `trial`, with an encoder for HEVC. */
async function make(
  changes: Partial<TrialOrder> = {},
  {
    files = {},
    tools = {},
    signal = new AbortController().signal,
  }: { files?: Partial<UserFiles>; tools?: Partial<Tools>; signal?: AbortSignal } = {},
) {
  const { dependencies, did, stillOpen } = fakeCommand({
    files: { ...userFiles, ...files },
    tools: { encodeHevc: async () => otherClip, ...tools },
  })
  const order: TrialOrder = {
    input: path('a.gif'),
    folder: path('trial'),
    start: 0,
    cover: undefined,
    origin: { metadata: 'date', capturedAt: TAKEN_AT, timeZone: undefined },
    ...changes,
  }
  const made = await makeTrial(order, dependencies, signal).catch((error: unknown) => error)
  assert.is(stillOpen(), 0, 'every work folder is removed')
  return { made, usesTools: did.includes('open tools') }
}

async function makeWell(...args: Parameters<typeof make>) {
  const { made, usesTools } = await make(...args)
  if (made instanceof Error || typeof made !== 'object' || made === null) throw made
  return { ...(made as Awaited<ReturnType<typeof makeTrial>>), usesTools }
}

test('each photo is in the folder with its hash and the time it was taken, and what is left out is said', async () => {
  const { trial, written, kept } = await makeWell()
  assert.equal(
    trial.left_out.map(({ id }) => id),
    ['silence', 'longer'],
  )
  assert.equal(
    trial.variants.map(({ id }) => id),
    VARIANT_IDS.filter((id) => id !== 'silence' && id !== 'longer'),
  )
  assert.equal([written, kept], [trial.variants.length, 0])
  for (const { file, bytes, sha256: hash } of trial.variants) {
    const content = await readFile(path('trial', file))
    assert.equal([content.length, sha256(content)], [bytes, hash], file)
    assert.is((await stat(path('trial', file))).mtimeMs, TAKEN_AT.unixMs)
  }
  assert.equal(JSON.parse(await readFile(path('trial', 'trial.json'), 'utf8')), trial)
  assert.is((await readdir(path('trial'))).length, trial.variants.length + 1)
  assert.equal(trial.source, { name: 'a.gif', bytes: 13, sha256: sha256(Buffer.from('GIF89a of one')) })
  assert.is(trial.software, 'Lantern Room 1.2.3')
})

test('a second run writes nothing, and needs no ffmpeg', async () => {
  const first = await makeWell()
  const { trial, written, kept, usesTools } = await makeWell()
  assert.equal([trial, written, kept, usesTools], [first.trial, 0, first.trial.variants.length, false])
})

test('a photo that is damaged or gone is made again, and no other', async () => {
  const { trial } = await makeWell()
  const [first, second] = trial.variants
  await writeFile(path('trial', first?.file ?? ''), 'damaged')
  await rm(path('trial', second?.file ?? ''))
  const again = await makeWell()
  assert.equal([again.written, again.kept, again.trial], [2, trial.variants.length - 2, trial])
})

test('other settings make other photos, an ffmpeg without HEVC leaves that out', async () => {
  const { trial } = await makeWell()
  const other = await makeWell({ origin: { metadata: 'none', capturedAt: undefined, timeZone: undefined } })
  assert.ok(other.usesTools && other.written > 0)
  assert.not.equal(other.trial.settings, trial.settings)
  const lacking = await makeWell(
    { folder: path('lacking') },
    { tools: { encodeHevc: async () => undefined } },
  )
  assert.equal(lacking.trial.left_out[0], { id: 'hevc', reason: 'This ffmpeg cannot encode HEVC.' })
})

test('the trial of another file is left alone', async () => {
  await makeWell()
  const before = await readFile(path('trial', 'trial.json'))
  await writeFile(path('b.gif'), 'GIF89a of another')
  const { made, usesTools } = await make({ input: path('b.gif') })
  assert.ok(made instanceof ServiceError && made.code === 'invalid-request', String(made))
  assert.match(made.detail, /the trial of another file, a\.gif.*--out/)
  assert.is(usesTools, false)
  equalBytes(await readFile(path('trial', 'trial.json')), before)
})

test('what is wrong with the order is told before there are tools', async () => {
  const wrong = await make({ start: -1 })
  assert.instance(wrong.made, UsageError)
  const gone = await make({ input: path('none.gif') })
  assert.ok(gone.made instanceof ServiceError && gone.made.code === 'not-found')
  assert.match(gone.made.detail, /none\.gif: /)
  assert.equal([wrong.usesTools, gone.usesTools], [false, false])
})

test('interrupted, it leaves no index, and goes on where it was', async () => {
  const stopping = new AbortController()
  const why = new Error('interrupted')
  let count = 0
  const writeOutput: UserFiles['writeOutput'] = async (...args) => {
    await userFiles.writeOutput(...args)
    count += 1
    if (count === 3) stopping.abort(why)
  }
  const { made } = await make({}, { files: { writeOutput }, signal: stopping.signal })
  assert.is(made, why)
  assert.is((await readdir(path('trial'))).length, 3)
  const { written, kept } = await makeWell()
  assert.equal([kept, written > 3], [3, true])
})

test('of a step that fails nothing is written, and the file is named', async () => {
  const { made } = await make(
    {},
    {
      tools: {
        preparePreview: async () => {
          throw new ServiceError('out-of-range', 'range_start must lie inside the video.')
        },
      },
    },
  )
  assert.match(String(made), /a\.gif: --start must lie/)
  assert.equal(await readdir(folder), ['a.gif'])
})
