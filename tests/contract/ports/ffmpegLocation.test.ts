import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { locateFfmpeg } from '@lantern-room/adapters/ffmpeg'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { rejectedRefusal } from '#support/values/failures'
import { refusal } from './expected'

const test = suite('where ffmpeg is found')
let folder = ''
type Places = NonNullable<Parameters<typeof locateFfmpeg>[1]>
const nowhere: Places = {
  layer: '/nowhere/ffmpeg',
  packaged: async () => undefined,
  command: 'no-such-ffmpeg',
}

test.before(async () => {
  folder = await makeTempFolder('location')
})
test.after(() => removeFolders(folder))

/** A program that answers like an ffmpeg. */
async function program(name: string, options: { version?: string; encoders?: string; exit?: number } = {}) {
  const { version = `ffmpeg version ${name} Copyright`, exit = 0 } = options
  const { encoders = ' V....D libx264   H.264' } = options
  const path = join(folder, name)
  const script = `case "$*" in *-encoders*) echo "${encoders}";; *-version*) echo "${version}"; echo more;; esac; exit ${exit}`
  await writeFile(path, `#!/bin/sh\n${script}\n`)
  await chmod(path, 0o755)
  return path
}

test('the configured one is first, then the layer, then the package, then the path', async () => {
  const [configured, layer, packaged, command] = await Promise.all(
    ['configured', 'layer', 'packaged', 'command'].map((name) => program(name)),
  )
  const places = { layer: `${layer}`, packaged: async () => packaged, command: `${command}` }
  const found = async (...args: Parameters<typeof locateFfmpeg>) => (await locateFfmpeg(...args)).version
  assert.match(await found(configured, places), /configured/)
  assert.match(await found(undefined, places), /version layer Copyright$/)
  assert.match(await found(undefined, { ...places, layer: '/nowhere' }), /packaged/)
  const gone = { ...places, layer: '/nowhere', packaged: async () => '/gone' }
  assert.match(await found(undefined, gone), /command/)
  assert.match(await found(undefined, { ...nowhere, command: `${command}` }), /command/)
})

test('one that does not run, is not ffmpeg or cannot encode H.264 is passed over', async () => {
  const good = await program('good')
  const bad = [
    await program('failing', { exit: 1 }),
    await program('other', { version: 'avconv 12' }),
    await program('noEncoder', { encoders: ' V..... libopenh264 H.264' }),
    join(folder, 'notExecutable'),
    folder,
  ]
  await writeFile(join(folder, 'notExecutable'), 'x')
  for (const layer of bad)
    assert.is((await locateFfmpeg(undefined, { ...nowhere, layer, command: good })).path, good)
})

test('a configured one that does not work is an error, whatever else there is', async () => {
  const good = await program('good')
  const cases = [
    [join(folder, 'missing'), /^FFMPEG_PATH names a file that does not exist\./],
    ['no-such-ffmpeg', /^FFMPEG_PATH names a file that does not exist\./],
    [await program('failing', { exit: 1 }), /^FFMPEG_PATH names a program that does not run as ffmpeg\./],
    [await program('other', { version: 'avconv 12' }), /does not run as ffmpeg/],
    [folder, /does not run as ffmpeg/],
    [
      await program('noEncoder', { encoders: 'libopenh264' }),
      /^The ffmpeg that FFMPEG_PATH names was built without libx264\./,
    ],
  ] as const
  for (const [path, sentence] of cases) {
    const locating = locateFfmpeg(path, { ...nowhere, layer: good })
    const { detail, cause } = await rejectedRefusal(locating, 'unavailable')
    assert.match(detail, sentence)
    assert.not.match(detail, new RegExp(folder))
    assert.ok(cause instanceof Error)
  }
})

test('when there is none, the error says what was tried and how to get one', async () => {
  const text = async (places: Partial<Places>) => {
    const error = await locateFfmpeg(undefined, { ...nowhere, ...places }).catch((reason) => reason)
    assert.is(error.code, 'unavailable')
    const tried = ['FFMPEG_PATH', '/opt/bin/ffmpeg', 'ffmpeg-static', 'PATH']
    for (const word of [...tried, 'apt-get install ffmpeg', 'brew'])
      assert.ok(error.detail.includes(word), word)
    return error.detail
  }
  assert.match(await text({}), /^No ffmpeg was found \(/)
  const failing = await program('failing', { exit: 1 })
  assert.match(await text({ layer: failing }), /^The ffmpeg that was found does not run/)
  assert.match(await text({ layer: await program('noEncoder', { encoders: 'x' }) }), /built without libx264/)
})

test('the one of this machine is found, and the packages that could bring one are optional', async () => {
  const { path, version } = await locateFfmpeg(process.env.FFMPEG_PATH)
  assert.match(version, /^ffmpeg version/)
  assert.ok(path !== '')
  const error = await refusal(locateFfmpeg('/nowhere', nowhere), 'unavailable')
  assert.ok(error.cause instanceof Error)
})

test.run()
