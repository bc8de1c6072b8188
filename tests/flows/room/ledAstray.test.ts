import { createServer, type Server } from 'node:http'
import { connect } from 'node:net'
import { OUTGOING_HEADERS } from '@lantern-room/base/network'
import { createHostIdentity, readRoomCode } from '@lantern-room/protocol'
import { createInvitation } from '@lantern-room/protocol/invitation'
import { openPort, openSocketServer } from '#support/process/openPort'
import { makeTempFolder, removeFolders } from '#support/process/tempFolder'
import { runRoomCommand } from '#support/room/roomCommand'
import { type RoomProcess, startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'

const test = suite('lists and invitations that lead a room service astray', { timeoutMs: 180_000 })

const CODE = 'U/YNZE-U61D-2206-HXRG'
/** Orders of the room service that need no body. */
const ORDERS = [
  `/state/scanning?player=x&room=${CODE}`,
  '/state/ide',
  '/panic?peaceful=true',
  `/state/guesting?room=${CODE}`,
]

type Health = { readonly problem: string | null; readonly status: string }

/** A list of nodes at this machine, whose owner answers as he likes, and a service beside it that nobody may ask. */
async function openSite(
  answer: (path: string, victim: string) => { readonly status: number; readonly text: string },
) {
  const asked: string[] = []
  let connections = 0
  const victim: Server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.end('tcp://127.0.0.1:1')
  })
  victim.on('connection', () => {
    connections += 1
  })
  const victimPort = await openPort(victim)
  const list = createServer((request, response) => {
    const { status, text } = answer(request.url ?? '', `127.0.0.1:${victimPort}`)
    if (status < 300) response.end(text)
    else response.writeHead(status, { location: text }).end()
  })
  const port = await openPort(list)
  return {
    url: `http://127.0.0.1:${port}`,
    victimPort,
    /** Requests and connections that the service beside it has had. */
    had: () => [asked, connections] as const,
    close() {
      for (const server of [victim, list]) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}

async function health(room: RoomProcess): Promise<readonly Health[]> {
  return (await room.ask('/network/servers')).body.servers as readonly Health[]
}

for (const status of [301, 302, 303, 307, 308])
  test(`a list that redirects with ${status} to the room service itself orders nothing there`, async () => {
    let service = ''
    const site = await openSite((path) => ({ status, text: `${service}${ORDERS[Number(path.slice(1))]}` }))
    const nodes = ORDERS.map((_, at) => `${site.url}/${at}`).join(',')
    const room = await startRoomProcess({ settings: { ROOM_NODES: nodes } })
    service = room.url
    for (const { problem } of await health(room))
      assert.match(problem ?? '', /^not asked: it leads to 127\.0\.0\.1, which is this computer/)
    const { state, roomCode } = await room.status()
    assert.equal([state, roomCode], ['Idle', null])
    await room.close()
    site.close()
  })

test('entries, lists inside lists and redirects of a typed list ask nothing of this machine, and the doctor says so', async () => {
  const site = await openSite((path, victim) => {
    if (path === '/moved') return { status: 302, text: `http://localhost:${victim.split(':')[1]}/moved` }
    const texts: Readonly<Record<string, string>> = {
      '/entries': `tcp://${victim} udp://${victim} ws://${victim} tcp://localhost:${victim.split(':')[1]} tcp://[::ffff:127.0.0.1]:1024`,
      '/nested': `http://${victim}/list http://[::1]:80/list`,
    }
    return { status: 200, text: texts[path] ?? '' }
  })
  const folder = await makeTempFolder('astray')
  const { stdout } = await runRoomCommand(
    [
      'doctor',
      '--json',
      '--nodes',
      ['/entries', '/nested', '/moved'].map((path) => site.url + path).join(','),
    ],
    { DATA_DIR: folder },
  )
  const { findings } = JSON.parse(stdout) as { findings: { id: string; text: string; hint: string | null }[] }
  const refused = findings.filter(({ id }) => id === 'shared-node-refused')
  assert.is(refused.length, 3, stdout)
  for (const { text, hint } of refused) {
    assert.match(text, /not asked: it leads to .*, which is this computer itself/)
    assert.match(hint ?? '', /Remove it from the settings/)
  }
  assert.equal(site.had(), [[], 0])
  await removeFolders(folder)
  site.close()
})

test('an invitation sends nothing to this machine or into its network but by tcp and udp, at no retry', async () => {
  const site = await openSite(() => ({ status: 200, text: '' }))
  const port = site.victimPort
  const { code } = readRoomCode(CODE)
  assert.ok(code)
  const nodes = [
    `ws://127.0.0.1:${port}/cgi-bin/reboot?now=1`,
    `ws://127.0.0.1:${port}`,
    `wss://localhost:${port}`,
    `tcp://127.0.0.1:${port}`,
    `udp://127.0.0.1:${port}`,
    `https://127.0.0.1:${port}/list`,
    'ws://192.168.1.1/cgi-bin/reboot?now=1',
    'ws://20.0.0.1/cgi-bin/reboot?now=1',
  ]
  const { link } = createInvitation(
    {
      room: code,
      nodes: [...nodes, `http://127.0.0.1:${port}/list`],
      gameVersion: undefined,
      mods: undefined,
      name: 'Eve',
    },
    createHostIdentity(new Uint8Array(32).fill(7), code),
    undefined,
  )
  const room = await startRoomProcess()
  const { status } = await room.ask('/room/guest/start', { roomCode: link })
  assert.is(status, 200)
  type Nodes = {
    readonly network: {
      readonly nodes: readonly { readonly url: string; readonly problem: string | null }[]
    } | null
  }
  const read = async () => ((await room.status()) as unknown as Nodes).network?.nodes ?? []
  const shown = await eventually(
    read,
    (all) => all.length === nodes.length && all.every(({ problem }) => problem !== null),
  )
  for (const { problem, url } of shown) assert.match(problem ?? '', /^not asked: /, url)
  // Until then each has been retried after 0.5, 1, 2 and 4 s.
  await room.until('Error')
  assert.equal(site.had(), [[], 0])
  await room.close()
  site.close()
})

test('what this program sends is refused by its room service and its media API, over http and as a WebSocket', async () => {
  const room = await startRoomProcess()
  for (const path of ORDERS) {
    const response = await fetch(room.url + path, { headers: OUTGOING_HEADERS })
    assert.is(response.status, 403)
    assert.match(
      ((await response.json()) as { error: string }).error,
      /comes from this program itself.*nothing was done/,
    )
  }
  const upgrade = await rawUpgrade(new URL(room.url).port)
  assert.match(upgrade, /^HTTP\/1\.1 403 /)
  assert.is((await room.status()).state, 'Idle')
  await room.close()
})

function rawUpgrade(port: string): Promise<string> {
  const lines = Object.entries(OUTGOING_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise((resolve) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.once('data', (bytes) => {
      resolve(bytes.toString())
      socket.destroy()
    })
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n${lines.join('')}\r\n`,
    )
  })
}

test('a typed node at this machine and in its network is asked as before', async () => {
  let asked = 0
  const node = await openSocketServer(() => {
    asked += 1
  })
  const room = await startRoomProcess({
    settings: { ROOM_NODES: `tcp://127.0.0.1:${node.port},ws://localhost:${node.port}/x?y` },
  })
  for (const { problem } of await health(room)) assert.not.match(problem ?? '', /not asked/)
  assert.is(asked, 2)
  await room.close()
  await node.close()
})

test.run()
