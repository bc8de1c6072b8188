import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createDeferred } from '#core/async/deferred'
import { ServiceError } from '#core/errors'
import type { TrialView } from '#core/media/trial/trialApp'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { equalBytes } from '#support/values/equalBytes'
import { userFiles } from '../../../../local-runner/cli/compose'
import { runTrial } from '../../../../local-runner/cli/runTrial'
import type { TrialCommand } from '../../../../local-runner/cli/trialCommand'
import { fakeCommand } from './fakeCommand'

// With real files and a real server, and without ffmpeg. With it: tests/flows/commandLineTrial.test.ts.

const test = suite('the command motion-photo trial')

let folder = ''
const path = (...names: string[]) => join(folder, ...names)

test.before.each(async () => {
  folder = await makeTempFolder('run-trial')
  await writeFile(path('a.gif'), 'GIF89a')
})
test.after.each(() => removeFolders(folder))

const trialOf = (changes: Partial<Extract<TrialCommand, { kind: 'trial' }>> = {}): TrialCommand => ({
  kind: 'trial',
  input: path('a.gif'),
  folder: path('trial'),
  start: 0,
  cover: undefined,
  origin: { metadata: 'date', capturedAt: undefined, timeZone: undefined },
  page: undefined,
  isQuiet: false,
  ...changes,
})

/** Starts the command; `says` resolves with the first match on standard output or standard error. */
function start(command: TrialCommand, lanAddresses: readonly string[] = []) {
  const { dependencies } = fakeCommand({ files: userFiles, tools: { encodeHevc: async () => undefined } })
  const ending = new AbortController()
  const text = { stdout: '', stderr: '' }
  const waiting: { pattern: RegExp; found: (match: string) => void }[] = []
  const write = (name: keyof typeof text) => ({
    write(more: string) {
      text[name] += more
      for (const { pattern, found } of waiting) {
        const [match] = pattern.exec(text[name]) ?? []
        if (match !== undefined) found(match)
      }
    },
  })
  const trial = { ...dependencies.trial, lanAddresses: () => lanAddresses }
  const io = { stdout: write('stdout'), stderr: write('stderr'), signal: ending.signal }
  return {
    text,
    says(pattern: RegExp) {
      const { promise, resolve } = createDeferred<string>()
      waiting.push({ pattern, found: resolve })
      return promise
    },
    end: () => ending.abort(new Error('ended')),
    code: runTrial(command, { ...dependencies, trial }, io),
  }
}

const PAGE = { host: '127.0.0.1', port: 0 }
const verdict = JSON.stringify({ variant: 'no-mpf', model: 'Pixel 9', gallery: 'Photos', outcome: 'plays' })

test('the folder is printed, and beside it how many photos are new and what was left out', async () => {
  const first = start(trialOf())
  assert.is(await first.code, 0)
  assert.is(first.text.stdout, `${path('trial')}\n`)
  const lines = first.text.stderr.split('\n')
  assert.is(lines[0], 'Making the photos')
  assert.match(lines[1] ?? '', /^2\d photos written, 0 there already$/)
  assert.ok(lines.includes('left out: hevc. This ffmpeg cannot encode HEVC.'), first.text.stderr)
  const second = start(trialOf({ isQuiet: true }))
  assert.equal([await second.code, second.text], [0, { stdout: `${path('trial')}\n`, stderr: '' }])
})

test('the help is printed, and no trial is made', async () => {
  const { code, text } = start({ kind: 'trial help' })
  assert.is(await code, 0)
  assert.match(text.stdout, /^motion-photo trial: .*--no-serve/s)
  assert.equal(await readdir(folder), ['a.gif'])
})

test('the page shows the photos and keeps verdicts, until it is ended', async () => {
  const served = start(trialOf({ page: PAGE }))
  const found = served.says(/http:\S+(?=\n)/)
  await served.says(/Ctrl-C ends it/)
  const url = await found
  assert.match(served.text.stderr, /Open this on a phone.*[▀▄█]/s)
  const view = (await (await fetch(new URL('trial', url))).json()) as TrialView
  const file = view.variants[0]?.file ?? ''
  const sent = new Uint8Array(await (await fetch(new URL(`files/${file}`, url))).arrayBuffer())
  equalBytes(sent, await readFile(path('trial', file)))
  await rm(path('trial', file))
  const gone = await fetch(new URL(`files/${file}`, url))
  assert.equal([gone.status, (await gone.text()).includes('Start the trial again')], [404, true])
  const headers = { 'Content-Type': 'application/json' }
  const kept = await fetch(new URL('verdicts', url), { method: 'POST', headers, body: verdict })
  assert.is(kept.status, 200, await kept.clone().text())
  served.end()
  assert.is(await served.code, 0)
  assert.match(served.text.stderr, /Stopped\. The verdicts are kept in the folder\.\n$/)
  assert.is(await fetch(url).then(String, () => 'closed'), 'closed')
  const table = start({ kind: 'trial table', folder: path('trial') })
  assert.is(await table.code, 0)
  assert.match(table.text.stdout, /\| Pixel 9 \| – \| Photos \| `no-mpf` \|/)
})

test('without a host it is served in private networks, or on this machine where there is none', async () => {
  for (const [addresses, says] of [
    [[], /^This machine is in no private network: only it can open the page\.\n$/],
    [['127.0.0.1'], /^$/],
  ] as const) {
    const served = start(trialOf({ page: { host: undefined, port: 0 }, isQuiet: true }), addresses)
    assert.match(await served.says(/http:\S+(?=\n)/), 'http://127.0.0.1:')
    served.end()
    await served.code
    assert.match(served.text.stderr, says)
  }
})

test('verdicts that cannot be read are refused before there is a page', async () => {
  await mkdir(path('trial'))
  await writeFile(path('trial', 'verdicts.json'), '{}')
  const { code, text } = start(trialOf({ page: PAGE }))
  const refused = await code.catch((error: unknown) => error)
  assert.ok(refused instanceof ServiceError && refused.code === 'invalid-request', String(refused))
  assert.match(refused.detail, /verdicts\.json/)
  assert.not.match(text.stdout, /http:/)
})

test('a folder without a trial has no table', async () => {
  const refused = await start({ kind: 'trial table', folder }).code.catch((error: unknown) => error)
  assert.ok(refused instanceof ServiceError && refused.code === 'not-found', String(refused))
  assert.match(refused.detail, folder)
})
