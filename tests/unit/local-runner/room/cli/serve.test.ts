import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { codeOf } from '#support/media/prepared'
import { capturedOutput } from '#support/process/capturedOutput'
import { openPort } from '#support/process/openPort'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { parseRoomCommand } from '../../../../../local-runner/room/cli/parseRoomCommand'
import { serve } from '../../../../../local-runner/room/cli/serve'
import { testProgram } from './testProgram'

// As a process, with signals: tests/flows/room/commandLineServe.test.ts.

const test = suite('room serve')

let folder = ''
const path = (name: string) => join(folder, name)

test.before.each(async () => {
  folder = await makeTempFolder('serve')
  await mkdir(path('room'))
})
test.after.each(async () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal)
  await removeFolders(folder)
})

/** Runs the command in this process, on loopback. */
function run(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  const command = parseRoomCommand(['serve', ...args], folder)
  if (command.kind !== 'serve') throw new Error(command.kind)
  const quiet = { ROOM_NODES: '', ROOM_STUN: '', ROOM_PORT: '0' }
  return serve(command, testProgram(folder, { ...quiet, ...settings }))
}

/** Ends the service once the file is there. @returns what the file said */
async function endWhenWritten(name: string) {
  for (;;) {
    const text = await readFile(path(name), 'utf8').catch(() => undefined)
    if (text !== undefined) {
      const { port } = JSON.parse(text)
      const answer = await fetch(`http://127.0.0.1:${port}/shutdown`, {
        method: 'POST',
        headers: { Connection: 'close' },
      })
      assert.is(answer.status, 200)
      return { text, port: Number(port) }
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

const isThere = (name: string) =>
  readFile(path(name)).then(
    () => true,
    () => false,
  )

/** A service that runs with this data folder, as its record says. */
async function withRunning(work: (port: number) => Promise<void>, token?: string): Promise<void> {
  const server = createServer((_, response) =>
    response.end(JSON.stringify({ networkVersion: '1', state: 'waiting' })),
  )
  const port = await openPort(server)
  const record = JSON.stringify({ port, pid: process.pid, token })
  await writeFile(path('room/instance.json'), record)
  try {
    await work(port)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test('while it listens, both port files say where; standard output says it in the form of the first', async () => {
  const { result, stdout, stderr } = await capturedOutput(() =>
    Promise.all([run(['--port-file', 'port.json', '--hmcl', 'hmcl.http']), endWhenWritten('hmcl.http')]),
  )
  const [code, { text, port }] = result
  assert.equal([code, text], [0, JSON.stringify({ port })])
  assert.equal(JSON.parse(stdout), {
    event: 'listening',
    url: `http://127.0.0.1:${port}`,
    port,
    pid: process.pid,
  })
  assert.match(stderr, /^asked to stop$/m)
  assert.equal([await isThere('port.json'), await isThere('hmcl.http')], [false, false])
})

test('a second start for a launcher hands over the port of the first, and ends', async () => {
  await withRunning(async (port) => {
    const { result, stdout, stderr } = await capturedOutput(() => run(['--hmcl', 'hmcl.http']))
    assert.equal([result, stdout], [0, ''])
    assert.is(stderr, `The room service runs already, on port ${port}.\n`)
    assert.equal(JSON.parse(await readFile(path('hmcl.http'), 'utf8')), { port })
    assert.is(await codeOf(run(['--hmcl', 'no/such/folder.http'])), 'unavailable')
  })
})

test('one with a token is not handed over, since the launcher knows none', async () => {
  await withRunning(async (port) => {
    const { result } = await capturedOutput(() =>
      Promise.all([run(['--hmcl', 'hmcl.http']), endWhenWritten('hmcl.http')]),
    )
    assert.is(result[0], 0)
    assert.is.not(result[1].port, port)
  }, 'correct-horse')
})

test('--replace ends the one that runs, or is refused where that is not sure', async () => {
  await withRunning(async () => {
    assert.is(await codeOf(run(['--replace'])), 'unavailable')
  })
})

test('a port file that cannot be written ends it, and nothing is left open', async () => {
  const { result } = await capturedOutput(() => codeOf(run(['--port-file', 'no/such/folder.json'])))
  assert.equal([result, await isThere('room/instance.json')], ['unavailable', false])
})

test.run()
