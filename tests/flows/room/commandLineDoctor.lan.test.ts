import { chmod, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { startRelay, type TestRelay } from '#support/network/relay'
import { openPort } from '#support/process/openPort'
import { freePort } from '#support/process/serverProcess'
import { runRoomCommand, testCommands } from '#support/room/roomCommand'
import { startWorld, type TestWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('room doctor', { timeoutMs: 60_000 })

type Finding = {
  readonly check: string
  readonly state: string
  readonly text: string
  readonly hint?: string
}
type Diagnosis = { readonly canMeet: boolean; readonly ways: string[]; readonly findings: Finding[] }

const { makeFolder } = testCommands(test)
let relay: TestRelay
let world: TestWorld

test.before(async () => {
  relay = await startRelay()
  world = await startWorld({ announced: true, motd: 'Doctor World' })
})
test.after(async () => {
  await relay.close()
  await world.close()
})

async function diagnose(settings: Readonly<Record<string, string>> = {}) {
  const startedAt = performance.now()
  const { exit, stdout, stderr } = await runRoomCommand(['doctor', '--json'], {
    DATA_DIR: await makeFolder(),
    ROOM_PORT: String(await freePort()),
    ...settings,
  })
  assert.is(stderr, '')
  const diagnosis = JSON.parse(stdout) as Diagnosis
  const of = (check: string) => diagnosis.findings.filter((finding) => finding.check === check)
  return { exit, ...diagnosis, of, ms: performance.now() - startedAt }
}

test('it finds nodes, multicast, worlds, ports and folder, with what to do about each that fails', async () => {
  const refused = `tcp://127.0.0.1:${await freePort()}`
  const { exit, canMeet, ways, findings, of } = await diagnose({
    ROOM_NODES: [relay.urls.tcp, relay.urls.udp, relay.urls.ws, refused].join(','),
  })
  assert.equal([exit, canMeet, ways.sort()], [0, true, ['lan', 'nodes']])
  assert.equal(
    of('shared-node').map(({ state }) => state),
    ['ok', 'ok', 'ok', 'failed'],
  )
  assert.match(of('shared-node')[0]?.text ?? '', /a shared node, \d+(\.\d)? ms away$/)
  assert.match(of('shared-node')[3]?.text ?? '', /connection refused/)
  for (const check of ['node', 'data-folder', 'room-port', 'multicast']) {
    assert.equal(
      of(check).map(({ state }) => state),
      ['ok'],
      check,
    )
  }
  const heard = of('worlds').map(({ text }) => text)
  assert.ok(heard.includes(`world "Doctor World" on 127.0.0.1:${world.port}`), heard.join())
  assert.match(of('secrecy')[0]?.text ?? '', 'an ordinary room is not secret')
  assert.is(of('nat').length, 1)
  for (const { state, text, hint } of findings) if (state === 'failed') assert.ok(hint, text)
})

test('nothing holds it up: not a node that is silent, nor one that is no node', async () => {
  const silent = createServer()
  const port = await openPort(silent)
  try {
    const { ms, of, exit } = await diagnose({
      ROOM_NODES: `tcp://127.0.0.1:${port},udp://127.0.0.1:${port},ws://127.0.0.1:${port},tcp://192.0.2.1:1`,
    })
    assert.ok(ms < 60_000, `${ms} ms`)
    assert.ok(of('shared-node').every(({ state }) => state === 'failed'))
    assert.is(of('shared-node')[0]?.text, `tcp://127.0.0.1:${port}: the connection was closed`)
    // The LAN is left.
    assert.is(exit, 0)
  } finally {
    silent.close()
    silent.closeAllConnections()
  }
})

test('no interface and no node is exit code 3', async () => {
  const { exit, canMeet, of } = await diagnose({ ROOM_LAN_INTERFACES: 'nothing0' })
  assert.equal([exit, canMeet], [3, false])
  assert.is(of('multicast')[0]?.state, 'failed')
  assert.match(of('shared-node')[0]?.text ?? '', 'no shared node is configured')
})

test('a data folder that is a file is exit code 3, and said with what to do', async () => {
  const file = join(await makeFolder(), 'file')
  await writeFile(file, '')
  await chmod(file, 0o600)
  const { exit, of } = await diagnose({ DATA_DIR: file })
  assert.is(exit, 3)
  assert.match(of('data-folder')[0]?.text ?? '', 'DATA_DIR')
})

test('a port in use is a note, not a failure', async () => {
  const { exit, of } = await diagnose({ ROOM_PORT: String(world.port) })
  assert.is(exit, 0)
  assert.is(of('room-port')[0]?.state, 'note')
})

test('for people it is one sentence when all is well, and with --all every finding before it', async () => {
  const settings = { DATA_DIR: await makeFolder() }
  const [plain, full] = await Promise.all([
    runRoomCommand(['doctor', '--nodes', relay.urls.tcp], settings),
    runRoomCommand(['doctor', '--nodes', relay.urls.tcp, '--all'], { ...settings, LANG: 'zh_CN.UTF-8' }),
  ])
  assert.equal([plain.exit, full.exit], [0, 0])
  assert.match(
    plain.stdout,
    /^Looking.*\n\nAll is well: you can meet your friends .*on the local network.*\.\n$/,
  )
  assert.match(full.stdout, /^ok {6}127\.0\.0\.1 上的组播正常/m)
  assert.match(full.stdout, /一切正常：.*局域网.*。\n$/)
})

test.run()
