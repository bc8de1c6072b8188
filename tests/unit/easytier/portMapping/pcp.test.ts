import { decodePcp, encodeAnnounceRequest, encodePcpMapRequest } from '#internal/easytier/portMapping/pcp'
import { assert, suite } from '#support/runner/suite'

const test = suite('PCP: requests and answers')

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
const CLIENT = '00000000000000000000ffffc0a80107'
const NONCE = '0102030405060708090a0b0c'

test('requests are those of RFC 6887', () => {
  assert.is(hex(encodeAnnounceRequest('192.168.1.7')), `0200000000000000${CLIENT}`)
  const map = {
    client: '192.168.1.7',
    nonce: NONCE,
    transport: 'udp',
    localPort: 4000,
    externalPort: 4001,
    lifetimeS: 600,
  } as const
  assert.is(
    hex(encodePcpMapRequest(map)),
    `0201000000000258${CLIENT}${NONCE}110000000fa00fa100000000000000000000ffff00000000`,
  )
})

test('answers are read: a mapping, an announcement, a refusal', () => {
  const address = '00000000000000000000ffff14000001'
  const answer = `02810000000002580000004d${'00'.repeat(12)}${NONCE}060000000fa00fa1${address}`
  assert.equal(decodePcp(Buffer.from(answer, 'hex')), {
    kind: 'mapping',
    nonce: NONCE,
    transport: 'tcp',
    localPort: 4000,
    address: '20.0.0.1',
    externalPort: 4001,
  })
  const announcement = Buffer.from(`02800000000000000000004d${'00'.repeat(12)}`, 'hex')
  assert.equal(decodePcp(announcement), { kind: 'announce' })
  announcement[3] = 3
  assert.equal(decodePcp(announcement), { kind: 'refusal', code: 3 })
})

test('everything else is no answer', () => {
  const whole = Buffer.from(`0281${'00'.repeat(58)}`, 'hex')
  for (const damaged of [
    Buffer.alloc(0),
    whole.subarray(0, 23),
    whole.subarray(0, 59),
    // No protocol that we know.
    whole,
    // A request, another version, another opcode.
    Buffer.from(`0201${'00'.repeat(58)}`, 'hex'),
    Buffer.from(`0181${'00'.repeat(58)}`, 'hex'),
    Buffer.from(`0282${'00'.repeat(58)}`, 'hex'),
    Buffer.concat([whole, Buffer.alloc(1100)]),
  ]) {
    assert.is(decodePcp(damaged), undefined)
  }
})

test.run()
