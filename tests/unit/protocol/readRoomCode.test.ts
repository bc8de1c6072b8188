import { type RoomCodeProblem, readRoomCode } from '#internal/protocol/readRoomCode'
import { checkedCode, generatePrivateRoomCode, generateRoomCode } from '#internal/protocol/roomCode'
import { assert, suite } from '#support/runner/suite'

const test = suite('room codes as people type them')

const CODE = 'U/YNZE-U61D-2206-HXRG'
const PRIVATE = 'L/0123-4567-89AB-CDEH'
/** With an L, which a small l may stand for. */
const WITH_L = 'U/L1AB-CDEF-GHJK-MN17'
const SIXTEEN = 'YNZEU61D2206HXRG'

const WAYS: readonly (readonly [text: string, code?: string])[] = [
  // Without the prefix, or with another mark after it.
  ['YNZE-U61D-2206-HXRG'],
  ['U YNZE-U61D-2206-HXRG'],
  ['UYNZE-U61D-2206-HXRG'],
  ['U:YNZE-U61D-2206-HXRG'],
  ['U//YNZE-U61D-2206-HXRG'],
  ['U\\YNZE-U61D-2206-HXRG'],
  ['U、YNZE-U61D-2206-HXRG'],
  ['u / ynze - u61d - 2206 - hxrg'],
  ['/YNZE-U61D-2206-HXRG'],
  // Without hyphens, or with others.
  [`U/${SIXTEEN}`],
  [SIXTEEN],
  ['U/YNZE U61D 2206 HXRG'],
  ['YNZE U61D 2206 HXRG'],
  ['U/YNZE_U61D_2206_HXRG'],
  ['U/YNZE.U61D.2206.HXRG'],
  ['U/YNZE/U61D/2206/HXRG'],
  ['U/YNZE,U61D,2206,HXRG'],
  ['U/YNZE—U61D—2206—HXRG'],
  ['U/YNZE——U61D——2206——HXRG'],
  ['U/YNZE–U61D–2206–HXRG'],
  ['U/YNZE−U61D−2206−HXRG'],
  ['U/YNZE‑U61D‑2206‑HXRG'],
  ['U/YNZE·U61D·2206·HXRG'],
  ['U/YNZE--U61D--2206--HXRG'],
  ['U/YNZEU-61D2-206HX-RG'],
  ['U/YN-ZE-U6-1D-22-06-HX-RG'],
  ['U / Y N Z E - U 6 1 D - 2 2 0 6 - H X R G'],
  // Broken lines, spaces, and marks around it.
  ['U/YNZE-U61D-\n2206-HXRG'],
  ['U/\nYNZE-U61D-2206-HXRG'],
  ['U/YNZE-U6\n1D-2206-HXRG'],
  ['YNZE\nU61D\n2206\nHXRG'],
  ['  U/YNZE-U61D-2206-HXRG\t\r\n'],
  ['U/YNZE\u00A0U61D\u00A02206\u00A0HXRG'],
  ['U/YNZE\u3000U61D\u30002206\u3000HXRG'],
  ['U/YNZE-U61D-\u200B2206-\u00ADHXRG'],
  ['**U/YNZE-U61D-2206-HXRG**'],
  ['🎮 YNZE-U61D-2206-HXRG 🎮'],
  // As a part of an address.
  ['U%2FYNZE-U61D-2206-HXRG'],
  ['U%252FYNZE%252DU61D%252D2206%252DHXRG'],
  ['U%2FYNZE%20U61D%202206%20HXRG'],
  ['http://127.0.0.1:5062/state/guesting?room=U%2FYNZE-U61D-2206-HXRG&player=Steve'],
  // Full width, other alphabets, and what looks alike.
  ['Ｕ／ＹＮＺＥ－Ｕ６１Ｄ－２２０６－ＨＸＲＧ'],
  ['ＹＮＺＥ　Ｕ６１Ｄ　２２０６　ＨＸＲＧ'],
  ['U∕YNZE-U61D-2206-HXRG'],
  ['U⁄YNZE-U61D-2206-HXRG'],
  ['u/ynze-u6id-22o6-hxrg'],
  ['U/YNZE-U6lD-2206-HXRG'],
  ['ynze-u6ld-22o6-hxrg'],
  ['U/УNZЕ-U61D-22О6-НХRG'],
  ['U/ΥΝΖΕ-U61D-22Ο6-ΗΧRG'],
  ['U/YNZE-U61D-22Ø6-HXRG'],
  // Inside a message.
  ['code: YNZE-U61D-2206-HXRG, come!'],
  ['房间码：YNZE-U61D-2206-HXRG'],
  ['快来U/YNZE U61D 2206 HXRG一起玩'],
  ['快来U/YNZEU61D2206HXRG一起玩'],
  ['my room is U/YNZE_U61D_2206_HXRG today'],
  ['my room is YNZEU61D2206HXRG today'],
  ['join U/ YNZE - U61D - 2206 - HXRG please'],
  ['> join me at U/YNZE-U61D-\n> 2206-HXRG please'],
  ['код: U/YNZE-U61D-2206-HXRG'],
  ['not U/YNZE-U61D-2206-HXRH but U/YNZE-U61D-2206-HXRG'],
  ['YNZE-U61D-2206-HXRG YNZE-U61D-2206-HXRG'],
  // Of a private room.
  ['0123-4567-89AB-CDEH', PRIVATE],
  ['l/0123456789abcdeh', PRIVATE],
  ['L 0123 4567 89ab cdeh', PRIVATE],
  ['L_o123_4567_89AB_CDEH', PRIVATE],
  [WITH_L.toLowerCase(), WITH_L],
]

for (const [text, code = CODE] of WAYS) {
  test(`"${text}" is read`, () => assert.is(readRoomCode(text).code?.text, code))
}

const UNREAD: readonly (readonly [text: string, problem: RoomCodeProblem])[] = [
  ['A'.repeat(10_000), 'length'],
  [`U/${'A'.repeat(10_000)}`, 'length'],
  [`U/${'YNZE-'.repeat(2000)}`, 'length'],
  ['l'.repeat(10_000), 'length'],
  ['U/YNZE-U61D-2206-HXRG-ABCD', 'length'],
  ['YNZE-U61D-2206-HXRG-ABCD', 'prefix'],
  ['come play with them in my new world', 'prefix'],
  ['the responsibilities of a host', 'prefix'],
  ['U/YNZEU61D2206HXRH', 'checksum'],
  ['YNZE-U61D-2206-HXRH', 'checksum'],
  ['see YNZE-U61D-2206-HXRH or YNZE-U61D-2206-HXRJ', 'checksum'],
]

for (const [text, problem] of UNREAD) {
  test(`"${text.slice(0, 60)}" is not: ${problem}`, () => {
    const startedAt = performance.now()
    assert.equal(readRoomCode(text), { problem })
    assert.ok(performance.now() - startedAt < 1000)
  })
}

test('two codes without a prefix are not chosen between, and neither is one that fits both kinds of room', () => {
  assert.equal(readRoomCode('YNZE-U61D-2206-HXRG or G4J1-JZUE-TVUE-XBUB'), { problem: 'prefix' })
  const both = '0000-0000-0000-0000'
  assert.equal(readRoomCode(both), { problem: 'prefix' })
  assert.is(readRoomCode(`L ${both}`).code?.text, `L/${both}`)
})

test('without prefix and hyphens every code is read as what it is, or not at all', () => {
  let read = 0
  for (let count = 0; count < 2000; count++) {
    const { text } = count % 2 === 0 ? generateRoomCode() : generatePrivateRoomCode()
    const { code, problem } = readRoomCode(text.slice(2).replaceAll('-', '').toLowerCase())
    const characters = text.slice(2).replaceAll('-', '')
    const isBoth = checkedCode('U', characters) && checkedCode('L', characters)
    if (isBoth) assert.is(problem, 'prefix')
    else assert.is(code?.text, text)
    if (code) read++
  }
  assert.ok(read > 1600, `${read}`)
})

test.run()
