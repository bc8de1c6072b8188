import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { openFileSource } from '#core/adapters/files/fileSource'
import { writeOutput } from '#core/adapters/files/outputFile'
import { addVerdict, readGivenVerdict } from '#core/media/trial/verdicts'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { rejectedRefusal } from '#support/values/failures'
import { openTrialFolder } from '../../../../local-runner/trial/trialFolder'
import { sampleTrial } from '../../media/trial/sampleTrial'

const test = suite("a trial's folder")

const { trial } = sampleTrial()
let path = ''
const open = (at = path, signal = new AbortController().signal) =>
  openTrialFolder(at, { openPhoto: openFileSource, writeOutput }, signal)
const verdict = (model: string) =>
  readGivenVerdict({ variant: 'no-mpf', model, gallery: 'Photos', outcome: 'still' })

test.before.each(async () => {
  path = await makeTempFolder('trial-folder')
})
test.after.each(() => removeFolders(path))

test('an empty folder, and one that is not there, hold nothing', async () => {
  for (const at of [path, join(path, 'none')]) {
    const folder = open(at)
    assert.equal([await folder.readTrial(), await folder.readVerdicts()], [undefined, []])
  }
})

test('the index is read back; one of another program is refused', async () => {
  const folder = open()
  await folder.write('trial.json', new TextEncoder().encode(JSON.stringify(trial)))
  assert.equal(await folder.readTrial(), trial)
  await writeFile(join(path, 'trial.json'), '{}')
  assert.match((await rejectedRefusal(folder.readTrial())).detail, /trial\.json.*--out/)
})

test('verdicts that come at once are all kept, and no other file is left', async () => {
  const folder = open()
  const models = Array.from({ length: 8 }, (_, i) => `phone ${i}`)
  await Promise.all(
    models.map((model) => folder.updateVerdicts((old) => addVerdict(old, verdict(model), trial, 0))),
  )
  assert.equal(
    (await open().readVerdicts()).map(({ model }) => model),
    models,
  )
  assert.equal(await readdir(path), ['verdicts.json'])
})

test('a change that is refused, or that the end of the program interrupts, leaves the file as it is', async () => {
  const ending = new AbortController()
  const folder = open(path, ending.signal)
  await folder.updateVerdicts((old) => addVerdict(old, verdict('a'), trial, 0))
  const before = await readFile(join(path, 'verdicts.json'))
  const refuse = () => {
    throw new Error('refused')
  }
  const fails = (change: Parameters<typeof folder.updateVerdicts>[0]) =>
    folder.updateVerdicts(change).then(
      () => false,
      () => true,
    )
  assert.ok(await fails(refuse))
  ending.abort()
  assert.ok(await fails((old) => addVerdict(old, verdict('b'), trial, 0)))
  assert.equal(await readFile(join(path, 'verdicts.json')), before)
  assert.equal(await readdir(path), ['verdicts.json'])
})
