import { readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { makeReport } from '@lantern-room/room'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { listening, runRoomCommand, testCommands } from '#support/room/roomCommand'
import { openDirectTarget } from '#support/room/roomTargets'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'
import { type OpenApi, problemBy } from '../../contract/http/openApi'

const test = suite('room report', { timeoutMs: 120_000 })

const TOKEN = 'a-token-of-the-tests.0123456789'
const { start, makeFolder } = testCommands(test)
let folder = ''
let world: TestWorld
let document: OpenApi

test.before(async () => {
  world = await startWorld()
  const service = await openDirectTarget(createMemoryNetwork().roomNetwork)
  document = (await (await service.send('/openapi.json')).json()) as OpenApi
  await service.stop()
})
test.after(() => world.close())
test.before.each(async () => {
  folder = await makeFolder()
})

type Report = ReturnType<typeof makeReport>

/** @throws AssertionError when it is not as the document of the service says */
function asReport(text: string): Report {
  const report: unknown = JSON.parse(text)
  assert.is(problemBy(document, 'Report', report), undefined)
  return report as Report
}

async function reportTo(file: string): Promise<{ readonly report: Report; readonly text: string }> {
  const path = join(folder, file)
  const { exit, stdout, stderr } = await runRoomCommand(['report', '--output', path], { DATA_DIR: folder })
  assert.equal([exit, stderr], [0, ''])
  assert.match(stdout, /is written/)
  const text = await readFile(path, 'utf8')
  if (process.platform !== 'win32') assert.is((await stat(path)).mode & 0o077, 0)
  return { report: asReport(text), text }
}

test('of a service that runs, and after it was killed, it has what went on and no secret', async () => {
  const running = start(['serve'], { DATA_DIR: folder, ROOM_API_TOKEN: TOKEN })
  const { url } = await listening(running)
  const headers = { Authorization: `Bearer ${TOKEN}` }
  await fetch(`${url}/state/scanning?player=Alex&gamePort=${world.port}`, { headers })
  const room = await hostedRoom(url, headers)
  assert.is((await fetch(`${url}/report`)).status, 401)

  const live = await reportTo('live.json')
  assert.is(live.report.status?.state, 'Host_Running')
  assert.is(live.report.settings.hasToken, true)
  running.child.kill('SIGKILL')
  await running.ended
  const dead = await reportTo('dead.json')
  assert.is(dead.report.status, null)
  for (const { report, text } of [live, dead]) {
    assert.ok(report.doctor.findings.length > 5)
    assert.ok(
      report.log.some((entry) => / info hosting /.test(entry)),
      report.log.join('\n'),
    )
    assert.ok(!report.log.some((entry) => entry.includes('"route":"/state"')), 'polls are no lines')
    for (const secret of [room.slice(12), TOKEN, homedir()]) {
      assert.is(text.indexOf(`${secret}`), -1, secret)
    }
  }
})

test('a user whose own folder is the root, as in many containers, tells no more', async () => {
  const { url } = await listening(start(['serve'], { DATA_DIR: folder, HOME: '/', USERPROFILE: 'C:\\' }))
  await fetch(`${url}/state/scanning?player=Alex&gamePort=${world.port}`)
  const room = await hostedRoom(url, {})
  const text = await (await fetch(`${url}/report`)).text()
  assert.ok(text.includes(`${room.slice(0, 12)}****-****`))
  assert.is(text.indexOf(room.slice(12)), -1)
})

test('a file that cannot be written is said with what to do', async () => {
  const path = join(folder, 'there', 'is', 'no', 'such', 'folder.json')
  const { exit, stderr } = await runRoomCommand(['report', '--output', path], { DATA_DIR: folder })
  assert.is(exit, 3)
  assert.match(stderr, /--output/)
})

test('without a log on disk it is made all the same, on standard output', async () => {
  const { exit, stdout } = await runRoomCommand(['report', '--output', '-'], {
    DATA_DIR: folder,
    ROOM_LOG_FILE_BYTES: '0',
  })
  assert.is(exit, 0)
  assert.equal(asReport(stdout).log, [])
})

/** Asks until the room is open. @returns its code */
async function hostedRoom(url: string, headers: Record<string, string>): Promise<string> {
  const look = async () =>
    (await (await fetch(`${url}/state`, { headers })).json()) as { state: string; room: string }
  return (await eventually(look, ({ state }) => state === 'host-ok')).room
}

test.run()
