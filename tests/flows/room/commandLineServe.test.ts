import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { closingOfEachTest } from '#support/process/closing'
import { openSocketServer } from '#support/process/openPort'
import { freePort } from '#support/process/serverProcess'
import { listening, type RoomCommand, testCommands } from '#support/room/roomCommand'
import { assert, suite } from '#support/runner/suite'

const test = suite('room serve', { timeoutMs: 60_000 })
const onPosix = test.skipUnless(process.platform !== 'win32', 'there are no signals')

const { keep } = closingOfEachTest(test)
const { start, makeFolder } = testCommands(test)
let folder = ''

test.before.each(async () => {
  folder = await makeFolder()
})

function serve(args: readonly string[] = [], settings: Readonly<Record<string, string>> = {}): RoomCommand {
  return start(['serve', ...args], { DATA_DIR: folder, ...settings })
}

test('it says in one line of JSON where it listens, writes the same to the port file, and removes that at the end', async () => {
  const portFile = join(folder, 'port.json')
  const command = serve(['--port-file', portFile])
  const said = await listening(command)
  assert.is(said.url, `http://127.0.0.1:${said.port}`)
  assert.is(said.pid, command.child.pid)
  assert.is((await fetch(`${said.url}/meta`)).status, 200)
  assert.equal(JSON.parse(await readFile(portFile, 'utf8')), said)
  assert.equal((await readdir(folder)).sort(), ['port.json', 'room'])
  const { exit, ms } = await command.stop('SIGTERM')
  assert.is(exit, 0)
  command.isPrompt(ms)
  assert.is(command.stdout().trim().split('\n').length, 1)
  assert.equal(await readdir(folder), ['room'])
})

test('--hmcl: the file has the port; a second start hands over that of the first and ends; a third takes over', async () => {
  const files = ['one', 'two', 'three'].map((name) => join(folder, `${name}.http`))
  const portIn = async (file = '') => JSON.parse(await readFile(file, 'utf8')) as { port: number }
  const [one, two, three] = files
  const startHmcl = (file = '') => start(['--hmcl', file], { DATA_DIR: folder })
  const running = startHmcl(one)
  const { port } = await listening(running)
  assert.equal(await portIn(one), { port })
  const second = startHmcl(two)
  assert.is(await second.ended, 0)
  assert.equal(await portIn(two), { port })
  assert.is(second.stdout(), '')
  assert.is((await fetch(`http://127.0.0.1:${port}/meta`)).status, 200)
  running.child.kill('SIGKILL')
  await running.ended
  const last = startHmcl(three)
  const third = await listening(last)
  assert.equal(await portIn(three), { port: third.port })
  await last.stop('SIGTERM')
  assert.equal((await readdir(join(folder, 'room'))).sort(), ['host-secret', 'logs', 'machine-id'])
})

test('--hmcl with a file that cannot be written ends with one sentence, also for a second start', async () => {
  const path = join(folder, 'no', 'such', 'http')
  for (const hasFirst of [false, true]) {
    if (hasFirst) await listening(serve())
    const command = start(['--hmcl', path], { DATA_DIR: folder })
    assert.is(await command.ended, 3)
    assert.match(command.stderr(), /^room: The port file .* cannot be written\.$/m)
  }
})

test('a port file that another instance has written since is left alone', async () => {
  const portFile = join(folder, 'port.json')
  const command = serve(['--port-file', portFile])
  await listening(command)
  await writeFile(portFile, 'of another one\n')
  await command.stop('SIGTERM')
  assert.is(await readFile(portFile, 'utf8'), 'of another one\n')
})

test('a port that is taken gives way to the next free one', async () => {
  const port = await freePort()
  keep(await openSocketServer(() => {}, port))
  const said = await listening(serve(['--port', String(port)]))
  assert.ok(said.port > port && said.port <= port + 100, `${said.port} after ${port}`)
})

test('it ends when the process that it was told to watch ends', async () => {
  const parent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  const command = serve(['--parent-pid', String(parent.pid)])
  await listening(command)
  await sleep(700)
  assert.is(command.child.exitCode, null)
  parent.kill('SIGKILL')
  assert.is(await command.ended, 0)
  assert.match(command.stderr(), `process ${parent.pid} has ended`)
})

test('a process to watch that is gone already ends it at once', async () => {
  const parent = spawn(process.execPath, ['-e', ''])
  await once(parent, 'close')
  assert.is(await serve(['--parent-pid', String(parent.pid)]).ended, 0)
})

test('with --exit-with-stdin it lives as long as standard input is open', async () => {
  const command = serve(['--exit-with-stdin'])
  await listening(command)
  command.child.stdin.write('whatever is written is not read\n')
  await sleep(300)
  assert.is(command.child.exitCode, null)
  command.child.stdin.end()
  assert.is(await command.ended, 0)
})

test('without it the end of standard input means nothing', async () => {
  const command = serve()
  const { url } = await listening(command)
  command.child.stdin.end()
  await sleep(300)
  assert.is((await fetch(`${url}/meta`)).status, 200)
})

for (const signal of ['SIGINT', 'SIGHUP'] as const) {
  onPosix(`${signal} stops a running room in less than two seconds`, async () => {
    const command = serve()
    const { url } = await listening(command)
    await fetch(`${url}/state/scanning?player=Alex`)
    const { exit, ms } = await command.stop(signal)
    assert.is(exit, 0)
    command.isPrompt(ms)
  })
}

onPosix('a client that does not read keeps nobody waiting', async () => {
  const command = serve()
  const { port } = await listening(command)
  const slow = connect(port, '127.0.0.1')
  slow.on('error', () => {})
  slow.write('POST /room/host/start HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n')
  slow.write('Content-Type: application/json\r\n\r\n{')
  await sleep(200)
  const { exit, ms } = await command.stop('SIGTERM')
  slow.destroy()
  assert.is(exit, 0)
  command.isPrompt(ms)
})

test('the token of the environment is asked of everybody, and no flag takes one', async () => {
  const command = serve([], { ROOM_API_TOKEN: 'correct-horse' })
  const { url } = await listening(command)
  assert.is((await fetch(`${url}/meta`)).status, 401)
  const headers = { Authorization: 'Bearer correct-horse' }
  assert.is((await fetch(`${url}/meta`, { headers })).status, 200)
  await command.stop('SIGTERM')
  const typed = serve(['--token', 'correct-horse'])
  assert.is(await typed.ended, 2)
  assert.match(typed.stderr(), 'ROOM_API_TOKEN')
  assert.not.match(typed.stderr(), 'correct-horse')
})

test('every setting is a flag, and stronger than its variable', async () => {
  const data = join(folder, 'elsewhere')
  await mkdir(data)
  const command = serve(
    [
      ...['--data-dir', data, '--scaffolding-port', '24000', '--heartbeat-ms', '777', '--direct', 'off'],
      ...['--nodes', 'tcp://127.0.0.1:9', '--allowed-origins', 'https://launcher.example', '--private'],
      ...['--stun', '', '--lan-interfaces', '127.0.0.1', '--log-level', 'error', '--port', '0'],
    ],
    { SCAFFOLDING_PORT: '25000', ROOM_HEARTBEAT_MS: '888' },
  )
  const { url } = await listening(command)
  const config = (await (await fetch(`${url}/config`)).json()) as Record<string, unknown>
  assert.equal([config.scaffoldingPort, config.heartbeatMs], [24_000, 777])
  assert.equal([config.direct, config.private], [false, true])
  assert.equal([config.nodes, config.lanInterfaces], [['tcp://127.0.0.1:9'], ['127.0.0.1']])
  const headers = { Origin: 'https://launcher.example' }
  assert.is((await fetch(`${url}/meta`, { headers })).status, 200)
  assert.equal(await readdir(data), ['room'])
  assert.is(command.stderr(), '')
})

test.run()
