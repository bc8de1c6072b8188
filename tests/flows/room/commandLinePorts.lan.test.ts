import { connect, createServer } from 'node:net'
import { closingOfEachTest } from '#support/process/closing'
import { openPort } from '#support/process/openPort'
import { testCommands } from '#support/room/roomCommand'
import { startWorld } from '#support/room/testWorld'
import { assert, suite } from '#support/runner/suite'

const test = suite('room join: ports of the host', { timeoutMs: 60_000 })

const { keep, add } = closingOfEachTest(test)
const { start: startIn, makeFolder } = testCommands(test)

async function start(args: readonly string[], settings: Readonly<Record<string, string>> = {}) {
  return startIn(args, { DATA_DIR: await makeFolder(), ...settings })
}

/** A port of this machine that no game uses, and whose number is free. */
async function freeNumber(): Promise<number> {
  for (let port = 27_100; ; port += 1) {
    const server = createServer()
    const isFree = await openPort(server, '127.0.0.1', port).catch(() => 0)
    server.close()
    if (isFree !== 0) return port
  }
}

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    add(async () => void socket.destroy())
  })
}

test('a port is shown with the reason for its number, and keeps the host’s when the player says so', async () => {
  const world = keep(await startWorld({ announced: true }))
  const port = await freeNumber()
  const share = `map=${port}/tcp,web=80/tcp`
  const host = await start(['host', '--share', share, '--game-port', String(world.port)])
  const [code] = await host.said(/U\/\w{4}(-\w{4}){3}/)
  const guest = await start(['join', code, '--name', 'Steve'])
  const [, local] = await guest.said(
    new RegExp(
      `Shared: map, TCP 127.0.0.1:(\\d+) \\(${port} at the host: only numbers of games .*keep ${port} and Enter`,
    ),
  )
  await guest.said(
    /Shared: web, TCP 127.0.0.1:\d+ \(80 at the host: this computer needs that number itself\)/,
  )
  assert.ok(await isOpen(Number(local)))
  assert.is(await isOpen(port), false)

  guest.child.stdin.write('keep 80\nkeep\n')
  await guest.said(/80: no host gets this number here/)
  await guest.said(/keep PORT uses a number of the host/)
  guest.child.stdin.write(`keep ${port}\n`)
  await guest.said(new RegExp(`Shared: map, TCP 127.0.0.1:${port}\\n`))
  assert.ok(await isOpen(port))

  const chinese = await start(['join', code, '--keep-ports', String(port)], { LC_ALL: 'zh_CN.UTF-8' })
  await chinese.said(
    new RegExp(`已共享：map，TCP 127.0.0.1:\\d+（房主的端口 ${port}：这个端口号已被本机其他程序占用）`),
  )
  await chinese.said(/已共享：web，TCP 127.0.0.1:\d+（房主的端口 80：这个端口号由本机系统或本程序保留）/)
})

test('numbers that no host gets are refused before anything is joined', async () => {
  for (const word of ['443', '0', '65536', '-1', '5353', 'all', '']) {
    const refused = await start(['join', 'U/0000-0000-0000-0000', `--keep-ports=8123,${word}`])
    assert.is(await refused.ended, 2)
    assert.match(refused.stderr(), /--keep-ports: each must be a port from 1024 to 65535/)
  }
})

test.run()
