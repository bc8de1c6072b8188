import { once } from 'node:events'
import { connect } from 'node:net'
import { readRoomConfig } from '#core/room/config'
import { createMemoryNetwork } from '#support/network/memoryNetwork'
import { openRoom } from '#support/room/openRoom'
import { assert, suite } from '#support/runner/suite'
import { type Listening, listen } from '../../../../local-runner/listen'
import { createWebSocketFeed } from '../../../../local-runner/room/webSocketFeed'

// What each wrong handshake is answered with. The feed itself: tests/contract/room/feed*.test.ts.

const test = suite('handshakes of the feed')

const { roomNetwork } = createMemoryNetwork()
let listening: Listening
let close: () => Promise<void>

test.before(async () => {
  const room = openRoom(roomNetwork)
  const feed = createWebSocketFeed({ ...room, config: readRoomConfig({}) })
  listening = await listen(
    room.app,
    { host: '127.0.0.1', port: 0, name: 'ROOM_PORT' },
    { onUpgrade: feed.onUpgrade },
  )
  close = async () => {
    feed.close()
    listening.cut()
    await listening.close()
    await room.close()
  }
})
test.after(() => close())

const GOOD = {
  Host: '127.0.0.1',
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

const wrong: readonly (readonly [string, Readonly<Record<string, string>>, string?])[] = [
  ['no key', { 'Sec-WebSocket-Key': '' }],
  ['a key that is none', { 'Sec-WebSocket-Key': 'secret' }],
  ['another version', { 'Sec-WebSocket-Version': '12' }],
  ['a list of protocols that is none', { 'Sec-WebSocket-Protocol': ',,' }],
  ['another method', {}, 'POST'],
]
for (const [name, headers, method = 'GET'] of wrong) {
  test(`a handshake with ${name} is refused in our own words`, async () => {
    const [head, body = ''] = await send(method, { ...GOOD, ...headers })
    assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.equal(JSON.parse(body), {
      error:
        'This is not a valid handshake of a WebSocket: it needs GET, "Upgrade: websocket", "Sec-WebSocket-Version: 13" and a Sec-WebSocket-Key.',
      code: 'invalid-request',
    })
  })
}

test('another path is not found', async () => {
  const [head, body = ''] = await send('GET', GOOD, '/other')
  assert.match(head, /^HTTP\/1\.1 404 /)
  assert.equal(JSON.parse(body), { error: 'WebSockets are at /ws only.', code: 'not-found' })
})

test('a right one is accepted', async () => {
  const [head] = await send('GET', GOOD)
  assert.match(head, /^HTTP\/1\.1 101 /)
  assert.match(head, /Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=/i)
})

/** @returns head and body of the answer; of an accepted one the first bytes only */
async function send(
  method: string,
  headers: Readonly<Record<string, string>>,
  path = '/ws',
): Promise<readonly [string, string | undefined]> {
  const socket = connect(listening.port, '127.0.0.1').setEncoding('latin1')
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  let text = ''
  socket.on('data', (part) => {
    text += part
    if (text.startsWith('HTTP/1.1 101')) socket.destroy()
  })
  await once(socket, 'close')
  const [head = '', body] = text.split('\r\n\r\n')
  return [head, body]
}

test.run()
