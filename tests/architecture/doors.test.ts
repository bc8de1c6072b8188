import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { assert, suite } from '#support/runner/suite'

const run = promisify(execFile)
const test = suite('doors of packages', { timeoutMs: 120_000 })

const deep = '@lantern-room/mp4/movie/boxes'
const source = `import { readBoxes } from '${deep}'\nconsole.log(readBoxes)\n`

test('Node refuses an import past them and names what is not exported', async () => {
  const error = await failureOf('node', ['--input-type=module', '--eval', source])
  assert.match(error, /ERR_PACKAGE_PATH_NOT_EXPORTED/)
  assert.match(error, /'\.\/movie\/boxes' is not defined by "exports" in .*mp4\/package\.json/)
})

test('esbuild refuses it', async () => {
  const error = await inFolder(async (folder) => {
    await writeFile(join(folder, 'deep.ts'), source)
    return failureOf('node_modules/.bin/esbuild', [
      join(folder, 'deep.ts'),
      '--bundle',
      '--outfile=/dev/null',
    ])
  })
  assert.match(error, /The path "\.\/movie\/boxes" is not exported by package "@lantern-room\/mp4"/)
})

test('TypeScript refuses it', async () => {
  const error = await inFolder(async (folder) => {
    await writeFile(join(folder, 'deep.ts'), source)
    const settings = { extends: '../../tsconfig.json', include: ['deep.ts'], exclude: [] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    return failureOf('node_modules/.bin/tsc', ['--noEmit', '-p', folder])
  })
  assert.match(error, /TS2307: Cannot find module '@lantern-room\/mp4\/movie\/boxes'/)
})

/** A folder below the project's own, so that its packages are found from there. */
async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp('dist/doors-')
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function failureOf(program: string, args: readonly string[]): Promise<string> {
  const failure: unknown = await run(program, [...args]).catch((error: unknown) => error)
  assert.ok(failure instanceof Error, `${program} refused nothing`)
  const { stdout, stderr } = failure as Error & { stdout: string; stderr: string }
  return stdout + stderr
}

test.run()
