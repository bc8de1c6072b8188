import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '#support/media/prepared'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { endInstance } from '../../../../local-runner/room/endInstance'

const test = suite('ending the room service that runs')

let folder = ''
let child: ChildProcess | undefined
test.before.each(async () => {
  folder = await makeTempFolder('instance')
  await mkdir(join(folder, 'room'))
})
test.after.each(async () => {
  child?.kill('SIGKILL')
  await removeFolders(folder)
})

/** A service that answers as ours does. It tells on standard output what it was asked; `POST /shutdown` ends it with 7. */
const SERVICE = `
const [state] = process.argv.slice(1)
const server = require('node:http').createServer(({ method, url }, response) => {
  response.end(JSON.stringify(url === '/meta' ? { networkVersion: '1', runId: 'abc' } : { state }))
  if (url === '/shutdown' && method === 'POST') response.on('close', () => process.exit(7))
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
`

/** @param runId as it is recorded */
async function start(state: string, runId = 'abc') {
  const started = spawn(process.execPath, ['-e', SERVICE, state], { stdio: ['ignore', 'pipe', 'inherit'] })
  child = started
  const ended = once(started, 'exit')
  const port = Number(String((await once(started.stdout, 'data'))[0]))
  const record = JSON.stringify({ port, pid: started.pid, runId })
  await writeFile(join(folder, 'room', 'instance.json'), record)
  return { port, ended }
}

test('no service, no port', async () => {
  assert.is(await endInstance(folder), undefined)
})

test('one that waits is asked to end', async () => {
  const { port, ended } = await start('waiting')
  assert.is(await endInstance(folder), port)
  assert.equal(await ended, [7, null])
})

test('one in a room is ended without being asked', async () => {
  const { port, ended } = await start('host-ok')
  assert.is(await endInstance(folder), port)
  assert.not.equal((await ended)[0], 7)
})

test('one whose process is not surely known goes on', async () => {
  await start('waiting', 'another run')
  assert.is(await codeOf(endInstance(folder)), 'unavailable')
  assert.is(child?.exitCode, null)
})

test.run()
