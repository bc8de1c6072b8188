import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createFfmpeg } from '@lantern-room/adapters/ffmpeg'
import { withoutCharacterSets } from '#internal/adapters/ffmpeg/characterSets'
import { runProcess } from '#internal/adapters/process/processRunner'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { workerPath } from '#support/process/workerPath'
import { assert, suite } from '#support/runner/suite'

const test = suite('what ffmpeg finds of character sets')
const onLinux = test.skipUnless(process.platform === 'linux', 'only Linux loads character sets from files')
const { signal } = new AbortController()
let folder = ''

test.before(async () => {
  folder = await makeTempFolder('character-sets')
})
test.after(() => removeFolders(folder))

onLinux('a list of files that do not exist, in a folder that nobody else can write', async () => {
  const { GCONV_PATH = '' } = await withoutCharacterSets()
  const lines = (await readFile(join(GCONV_PATH, 'gconv-modules'), 'utf8')).trimEnd().split('\n')
  assert.ok(lines.includes('module ISO_6937// INTERNAL none 1'))
  assert.ok(lines.includes('module ISO-8859-15// INTERNAL none 1'))
  for (const line of lines) assert.match(line, /^module [A-Z0-9_-]+\/\/ INTERNAL none 1$/)
  assert.is(await stat(join(GCONV_PATH, 'none.so')).catch(() => undefined), undefined)
  assert.is((await stat(GCONV_PATH)).mode & 0o777, 0o700)
  assert.is((await withoutCharacterSets()).GCONV_PATH, GCONV_PATH, 'one folder serves all runs')
})

onLinux('a folder that was cleaned away is made again', async () => {
  const { GCONV_PATH = '' } = await withoutCharacterSets()
  await removeFolders(GCONV_PATH)
  const again = (await withoutCharacterSets()).GCONV_PATH ?? ''
  assert.is(dirname(again), dirname(GCONV_PATH))
  assert.ok((await stat(join(again, 'gconv-modules'))).isFile())
})

onLinux('ffmpeg is told of it beside its limit of memory', async () => {
  const program = join(folder, 'ffmpeg')
  await writeFile(program, '#!/bin/sh\necho "$GCONV_PATH|$MALLOC_ARENA_MAX|$*"\n')
  await chmod(program, 0o755)
  const { stdout } = await createFfmpeg({ path: program }).run({
    args: ['-i', 'x y'],
    timeoutMs: 60_000,
    signal,
  })
  const { GCONV_PATH } = await withoutCharacterSets()
  assert.is(new TextDecoder().decode(stdout), `${GCONV_PATH}|2|-hide_banner -nostdin -i x y\n`)
})

onLinux('an environment arrives as it is, whatever is in it', async () => {
  const value = `a 'b' "c" $HOME \`id\` \\ ; exit 3\nd`
  const { exitCode, stdout } = await runProcess({
    file: '/bin/sh',
    args: ['-c', 'printf %s "$ODD"'],
    timeoutMs: 60_000,
    signal,
    memoryLimitBytes: 2 ** 30,
    environment: { ODD: value },
  })
  assert.is(exitCode, 0)
  assert.is(new TextDecoder().decode(stdout), value)
})

onLinux(
  'nothing is left of it when the process ends, and where it cannot be made ffmpeg runs all the same',
  async () => {
    const script = join(folder, 'asks.mjs')
    const bundle = pathToFileURL(workerPath('unit/adapters/ffmpeg/characterSetsWorker')).href
    await writeFile(script, `import ${JSON.stringify(bundle)}`)
    const place = join(folder, 'temporary')
    await mkdir(place)
    const ask = async (TMPDIR: string) => {
      const { stdout, stderr } = await runProcess({
        file: process.execPath,
        args: [script],
        timeoutMs: 60_000,
        signal,
        memoryLimitBytes: 2 ** 40,
        environment: { TMPDIR },
      })
      return new TextDecoder().decode(stdout) || stderr
    }
    const made = await ask(place)
    assert.is(dirname(made), place)
    assert.is(await stat(made).catch(() => undefined), undefined)
    assert.is(await ask(script), '/nonexistent')
  },
)

test.run()
