import { ServiceError } from '#core/errors'
import { assert, suite } from '#support/runner/suite'
import { runBatch } from '../../../../local-runner/cli/runBatch'
import { fakeCommand, VIDEO } from './fakeCommand'

const test = suite('motion photos of several videos')
const videoOf = (name: string) => ({ ...VIDEO, input: `/videos/${name}.gif`, output: `/photos/${name}.jpg` })

/** @param refusals by the name of the video */
async function run(
  names: readonly string[],
  refusals: Readonly<Record<string, Error>> = {},
  {
    change = {},
    signal = new AbortController().signal,
  }: { change?: Partial<typeof VIDEO>; signal?: AbortSignal } = {},
) {
  const text = { stdout: '', stderr: '' }
  const { dependencies, did, stillOpen } = fakeCommand({
    files: {
      async checkOutput(path) {
        const refusal = Object.entries(refusals).find(([name]) => path.endsWith(`/${name}.jpg`))
        if (refusal) throw refusal[1]
      },
    },
  })
  const code = await runBatch(
    { folder: '/photos', videos: names.map((name) => ({ ...videoOf(name), ...change })) },
    dependencies,
    {
      stdout: { write: (more: string) => (text.stdout += more) },
      stderr: { write: (more: string) => (text.stderr += more) },
      signal,
    },
  )
  return { code, did, open: stillOpen(), ...text }
}

const THERE = new ServiceError('conflict', 'It is there already.')
const DAMAGED = new ServiceError('invalid-request', 'It is damaged.')

test('one after the other is made, with one search for ffmpeg', async () => {
  const { code, did, open, stdout, stderr } = await run(['a', 'b'])
  assert.equal([code, open], [0, 0])
  assert.equal(did, ['make /photos', 'open tools', 'write /photos/a.jpg', 'write /photos/b.jpg'])
  assert.is(stdout, '/photos/a.jpg\n/photos/b.jpg\n')
  assert.is(stderr, '[1/2] a.gif: a.jpg\n[2/2] b.gif: b.jpg\n2 made, 0 there already, 0 refused\n')
})

test('what is there stays, and what is refused does not end the others', async () => {
  const { code, did, stdout, stderr } = await run(['a', 'b', 'c'], { a: THERE, b: DAMAGED })
  assert.equal([code, stdout], [1, '/photos/c.jpg\n'])
  assert.match(stderr, /^\[1\/3\] a\.gif: is there already\n\[2\/3\] b\.gif: .*It is damaged\.\n/)
  assert.match(stderr, /\n1 made, 1 there already, 1 refused\n$/)
  assert.is(did.filter((step) => step === 'open tools').length, 1)
  assert.equal((await run(['a'], { a: THERE })).did, ['make /photos'], 'ffmpeg is not needed')
})

test('quiet says only what was refused; JSON names the video', async () => {
  const quiet = await run(['a', 'b'], { a: DAMAGED }, { change: { quiet: true } })
  assert.match(quiet.stderr, /^\[1\/2\] a\.gif: [^\n]*\n$/)
  const { stdout } = await run(['a'], {}, { change: { json: true } })
  const { input, output } = JSON.parse(stdout)
  assert.equal([input, output], ['/videos/a.gif', '/photos/a.jpg'])
})

test('what would end every other video ends the batch', async () => {
  const lacking = new ServiceError('unavailable', 'There is no ffmpeg.')
  const why = new Error('interrupted')
  const bug = new TypeError('bug')
  const thrownBy = (work: Promise<unknown>) => work.catch((thrown: unknown) => thrown)
  assert.is(await thrownBy(run(['a'], { a: bug })), bug)
  assert.is(await thrownBy(run(['a'], { a: DAMAGED }, { signal: AbortSignal.abort(why) })), why)
  const ended = await thrownBy(run(['a', 'b'], { a: lacking }))
  assert.is(ended instanceof ServiceError && ended.code, 'unavailable')
})

test.run()
