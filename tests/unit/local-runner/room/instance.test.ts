import { spawnSync } from 'node:child_process'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openPort } from '#support/process/openPort'
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

test('it is found with its token, in a file that nobody else can read, until it is forgotten', async () => {
  assert.is(await findInstance(folder), undefined)
  for (const token of ['secret', undefined]) {
    await recordInstance(folder, { port }, { token, runId: undefined })
    assert.equal(await findInstance(folder), { port, token, pid: undefined })
  }
  assert.equal(asked, ['Bearer secret', ''])
  if (process.platform !== 'win32')
    assert.is((await stat(join(folder, 'room', 'instance.json'))).mode & 0o777, 0o600)
  await forgetInstance(folder)
  assert.equal(await readdir(join(folder, 'room')), [])
})

test('its process is told only when the service answers with the run that was recorded', async () => {
  await recordInstance(folder, { port }, { token: undefined, runId: 'abc' })
  assert.is((await findInstance(folder))?.pid, process.pid)
  await recordInstance(folder, { port }, { token: undefined, runId: 'of one that crashed' })
  assert.equal(await findInstance(folder), { port, token: undefined, pid: undefined })
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
  const { port: closed } = await new Promise<AddressInfo>((resolve) => {
    const other = createServer().listen(0, '127.0.0.1', () => {
      const address = other.address() as AddressInfo
      other.close(() => resolve(address))
    })
  })
  for (const content of ['', '{', '[]', { port: '5062' }, { port: 70_000 }, { port: closed }]) {
    await record(content)
    assert.is(await findInstance(folder), undefined, JSON.stringify(content))
  }
  await record({ port, pid: 1 })
  await forgetInstance(folder)
  assert.equal(await readdir(join(folder, 'room')), ['instance.json'])
})

test.run()
