import { spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { openPort } from '#support/process/openPort'
import { freePort } from '#support/process/serverProcess'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { assert, suite } from '#support/runner/suite'
import { findInstance, forgetInstance, recordInstance } from '../../../../local-runner/room/instance'

const test = suite('finding the room service that runs')

let folder = ''
let server: Server
let asked: string[] = []
let port = 0

test.before.each(async () => {
  folder = await makeTempFolder('instance')
  await mkdir(join(folder, 'room'))
  asked = []
  server = createServer(({ headers }, response) => {
    asked.push(headers.authorization ?? '')
    response.end(JSON.stringify({ networkVersion: '1', runId: 'abc' }))
  })
  port = await openPort(server)
})
test.after.each(async () => {
  server.close()
  await removeFolders(folder)
})

const record = (content: object | string) =>
  writeFile(
    join(folder, 'room', 'instance.json'),
    typeof content === 'string' ? content : JSON.stringify(content),
  )

test('its process is told only when the service answers with the run that was recorded', async () => {
  await recordInstance(folder, { port }, { token: undefined, runId: 'abc' })
  assert.is((await findInstance(folder))?.pid, process.pid)
  await recordInstance(folder, { port }, { token: undefined, runId: 'of one that crashed' })
  assert.equal(await findInstance(folder), { port, token: undefined, pid: undefined })
})

test('a copy of the folder does not lead to the service that runs with the original', async () => {
  await recordInstance(folder, { port }, { token: undefined, runId: 'abc' })
  const copy = join(folder, 'copy')
  await cp(join(folder, 'room'), join(copy, 'room'), { recursive: true })
  assert.equal([(await findInstance(folder))?.port, await findInstance(copy)], [port, undefined])
})

test('the port of a service that has ended gets no token', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  await record({ port, pid, token: 'secret' })
  assert.is(await findInstance(folder), undefined)
  assert.equal(asked, [])
  await record({ port, pid })
  assert.equal(
    await findInstance(folder),
    { port, token: undefined, pid: undefined },
    'it may run where pids are counted apart',
  )
})

test('records that cannot be read, or lead nowhere, are none; another instance keeps its own', async () => {
  for (const content of ['', '{', '[]', { port: '5062' }, { port: 70_000 }, { port: await freePort() }]) {
    await record(content)
    assert.is(await findInstance(folder), undefined, JSON.stringify(content))
  }
  await record({ port, pid: 1 })
  await forgetInstance(folder)
  assert.equal(await readdir(join(folder, 'room')), ['instance.json'])
})

test.run()
