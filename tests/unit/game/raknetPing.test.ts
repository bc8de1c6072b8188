import { raknetPing } from '#internal/game/raknetPing'
import { assert, suite } from '#support/runner/suite'

const test = suite('RakNet’s unconnected ping')

const MAGIC = '00ffff00fefefefefdfdfdfd12345678'
const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'))
const pong = (text: string, magic = MAGIC) => {
  const length = Buffer.byteLength(text).toString(16).padStart(4, '0')
  return hex(`1c${'00'.repeat(8)}${'11'.repeat(8)}${magic}${length}${Buffer.from(text).toString('hex')}`)
}

test('the ping is id, time, message id and client id', () => {
  assert.equal(raknetPing.request(), hex(`01${'00'.repeat(8)}${MAGIC}${'00'.repeat(8)}`))
})

test('a pong tells name and version', () => {
  const text = 'MCPE;Caves\\; and more;766;1.21.50;0;20;1;Bedrock level;Survival;1;19132;19133;'
  assert.equal(raknetPing.read(pong(text)), {
    by: 'raknet',
    motd: 'Caves\\; and more',
    version: '1.21.50',
    onlinePlayers: 0,
    maxPlayers: 20,
  })
})

test('control characters of the name are left out', () => {
  assert.is(raknetPing.read(pong('MCPE;a\u001bb;1;1'))?.motd, 'ab')
})

test('anything else is undefined', () => {
  for (const bytes of [
    hex(''),
    hex('1c'),
    pong('HTTP;x;1;1'),
    pong('MCPE;x;1;1', '11'.repeat(16)),
    raknetPing.request(),
    pong('MCPE;x').subarray(0, 30),
  ]) {
    assert.is(raknetPing.read(bytes), undefined)
  }
})

test.run()
