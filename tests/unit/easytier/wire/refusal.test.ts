import { decodePacket } from '#internal/easytier/wire/packet'
import { decodeRefusal, encodeRefusal, REFUSALS } from '#internal/easytier/wire/refusal'
import { assert, suite } from '#support/runner/suite'

const test = suite('why a shared node closes a connection')

test('a refusal is a packet of its own type, from and to nobody', () => {
  const header = '0000000000000000f100010009000000'
  assert.is(Buffer.from(encodeRefusal('node-full')).toString('hex'), `${header}6e6f64652d66756c6c`)
})

test('each is read as it was written; cut, changed and other packets are none', () => {
  for (const why of REFUSALS) {
    const bytes = encodeRefusal(why)
    assert.is(refusalIn(bytes), why)
    for (let size = 0; size < bytes.length; size += 1)
      assert.is(refusalIn(bytes.subarray(0, size)), undefined)
    assert.is(refusalIn(bytes.with(8, 2)), undefined)
    assert.is(refusalIn(bytes.with(-1, 0xff)), undefined)
  }
})

function refusalIn(bytes: Uint8Array) {
  const packet = decodePacket(bytes)
  return packet && decodeRefusal(packet)
}

test.run()
