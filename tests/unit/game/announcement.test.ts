import * as fc from 'fast-check'
import { decodeAnnouncement, encodeAnnouncement, isForwardText } from '#internal/game/announcement'
import { assert, suite } from '#support/runner/suite'
import { assertProperty } from '#support/values/assertProperty'
import { text } from '#support/values/bytes'

const test = suite('LAN announcement')

const read = (datagram: string) => decodeAnnouncement(text(datagram))

test('it is written byte for byte as the game does', () => {
  assert.equal(
    encodeAnnouncement({ motd: "Bob's world (Lantern Room 0.1.0)", port: 25565 }),
    text("[MOTD]Bob's world (Lantern Room 0.1.0)[/MOTD][AD]25565[/AD]"),
  )
})

test('what is written is UTF-8, without colours and control characters', () => {
  for (const [motd, written] of [
    ["Zoë's world", "Zoë's world"],
    ['小明 world', '小明 world'],
    ['🏰 keep', '🏰 keep'],
    ['§aGreen §lbold', 'Green bold'],
    ['two\r\nlines\0', 'two lines'],
    ['', ''],
  ] as const)
    assert.equal(encodeAnnouncement({ motd, port: 1 }), text(`[MOTD]${written}[/MOTD][AD]1[/AD]`))
})

test('a text cannot bring tags of its own along', () => {
  const motd = 'x[/MOTD][AD]1.2.3.4:666[/AD][motd] [ok] ［/MOTD］'
  const written = encodeAnnouncement({ motd, port: 25565 })
  assert.equal(decodeAnnouncement(written), {
    motd: 'x(/MOTD)(AD)1.2.3.4:666(/AD)(motd) [ok] ［/MOTD］',
    port: 25565,
  })
})

test('a long text is cut to 256 characters, and to what a game reads', () => {
  const sent = (motd: string) => decodeAnnouncement(encodeAnnouncement({ motd, port: 65_535 }))?.motd
  assert.is(sent('ab'.repeat(5000)), 'ab'.repeat(128))
  assert.is(sent('世'.repeat(300)), '世'.repeat(256))
  assert.is(sent('🏰'.repeat(300)), '🏰'.repeat(240))
  assert.ok(encodeAnnouncement({ motd: '🏰'.repeat(300), port: 65_535 }).length <= 1024)
})

test('the text under which Terracotta announces a forward is recognised, with its colours', () => {
  const motd = '§6§l双击进入陶瓦联机大厅（请保持陶瓦运行）'
  assert.ok(isForwardText(read(`[MOTD]${motd}[/MOTD][AD]25565[/AD]`)?.motd ?? ''))
  assert.not.ok(isForwardText('Alice - New World'))
})

test('what the game writes is read', () => {
  assert.equal(read('[MOTD]Alice - New World[/MOTD][AD]51234[/AD]'), {
    motd: 'Alice - New World',
    port: 51234,
  })
  assert.equal(read('[MOTD][/MOTD][AD]1[/AD]'), { motd: '', port: 1 })
  assert.equal(read('[MOTD]§6Gold §r世界[/MOTD] [AD] 65535 [/AD]...'), { motd: 'Gold 世界', port: 65535 })
})

test('of an address with a port only the port is believed', () => {
  for (const place of [
    '192.168.1.5:4000',
    '0.0.0.0:4000',
    '[fe80::1%eth0]:4000',
    'evil.example:4000',
    ':4000',
  ])
    assert.equal(read(`[MOTD]x[/MOTD][AD]${place}[/AD]`), { motd: 'x', port: 4000 })
})

for (const [what, datagram] of Object.entries({
  'port 0': '[MOTD]x[/MOTD][AD]0[/AD]',
  'a port above 65,535': '[MOTD]x[/MOTD][AD]65536[/AD]',
  'a port of six digits': '[MOTD]x[/MOTD][AD]025565[/AD]',
  'a negative port': '[MOTD]x[/MOTD][AD]-1[/AD]',
  'a port with a sign': '[MOTD]x[/MOTD][AD]+25565[/AD]',
  'a hexadecimal port': '[MOTD]x[/MOTD][AD]0x50[/AD]',
  'a port in other digits': '[MOTD]x[/MOTD][AD]２５５６５[/AD]',
  'an address alone': '[MOTD]x[/MOTD][AD]192.168.1.5[/AD]',
  'no port': '[MOTD]x[/MOTD][AD][/AD]',
  'no text': '[AD]25565[/AD]',
  'the tags the other way round': '[AD]25565[/AD][MOTD]x[/MOTD]',
  'an end of the text twice': '[MOTD]x[/MOTD][AD]1[/AD][/MOTD][AD]2[/AD]',
  'tags in small letters': '[motd]x[/motd][ad]25565[/ad]',
  nothing: '',
}))
  test(`refused: ${what}`, () => assert.is(read(datagram), undefined))

test('every truncation is refused', () => {
  const whole = text('[MOTD]Alice - World[/MOTD][AD]51234[/AD]')
  for (let length = 0; length < whole.length; length++)
    assert.is(decodeAnnouncement(whole.subarray(0, length)), undefined, `${length} bytes`)
})

test('2,048 bytes are read, one more is not', () => {
  const filled = (size: number) => text('[MOTD]x[/MOTD][AD]1[/AD]'.padEnd(size))
  assert.equal(decodeAnnouncement(filled(2048)), { motd: 'x', port: 1 })
  assert.is(decodeAnnouncement(filled(2049)), undefined)
})

test('a read text is one line of at most 256 characters, whatever was sent', () => {
  assertProperty(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      const datagram = Uint8Array.from([...text('[MOTD]'), ...bytes, ...text('[/MOTD][AD]7[/AD]')])
      const { motd } = decodeAnnouncement(datagram) ?? {}
      return motd === undefined || (motd.length <= 512 && !/[\p{Cc}§]/u.test(motd))
    }),
  )
})

test('any bytes are read or refused, never thrown at', () => {
  const sample = text('[MOTD]Alice - World[/MOTD][AD]51234[/AD]')
  assertProperty(
    fc.property(fc.nat(sample.length - 1), fc.nat(255), fc.uint8Array(), (at, byte, noise) => {
      const mutated = sample.slice()
      mutated[at] = byte
      for (const datagram of [mutated, noise]) {
        const world = decodeAnnouncement(datagram)
        if (world !== undefined) assert.ok(world.port >= 1 && world.port <= 65535)
      }
    }),
    { numRuns: 1000 },
  )
})

test('what is written is read again', () => {
  assertProperty(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 65535 }), (motd, port) => {
      const world = decodeAnnouncement(encodeAnnouncement({ motd, port }))
      assert.is(world?.port, port)
      assert.equal(decodeAnnouncement(encodeAnnouncement({ motd: world?.motd ?? '', port })), world)
    }),
    { numRuns: 100 },
  )
})

test('a name in GBK is left to the ping to tell', () => {
  const name = [0xce, 0xd2, 0xb5, 0xc4, 0xca, 0xc0, 0xbd, 0xe7]
  const bytes = [...text('[MOTD]Alex - '), ...name, ...text('[/MOTD][AD]4000[/AD]')]
  assert.equal(decodeAnnouncement(Uint8Array.from(bytes)), { motd: '', port: 4000 })
})

test.run()
