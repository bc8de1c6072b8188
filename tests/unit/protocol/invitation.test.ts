import {
  createInvitation,
  differencesOf,
  missingModsOf,
  modListOf,
  modNameOf,
  readInvitation,
} from '#internal/protocol/invitation'
import { generatePrivateRoomCode, generateRoomCode } from '#internal/protocol/roomCode'
import { createHostIdentity } from '#internal/protocol/scaffolding/identity'
import { assert, suite } from '#support/runner/suite'

const test = suite('invitations')

const room = generateRoomCode()
const identity = createHostIdentity(new Uint8Array(32).fill(7), room)
const CONTENT = {
  room,
  nodes: ['tcp://node.example.com:11010'],
  gameVersion: '1.21.4',
  mods: modListOf(['Sodium', 'Lithium']),
  name: '阿力 🏮',
}
const PAGE = 'https://play.example.com/join'

for (const kind of ['link', 'webLink'] as const) {
  test(`the ${kind} says all that was put in, also inside other text`, () => {
    const text = `Come and play!\n${createInvitation(CONTENT, identity, PAGE)[kind]}\nSee you.`
    assert.equal(readInvitation(text), { ...CONTENT, hostKey: identity.publicKey })
  })
}

test('what is not known may be missing, and private codes travel as well', () => {
  const code = generatePrivateRoomCode()
  const { link, webLink } = createInvitation(
    { room: code, nodes: [], gameVersion: undefined, mods: undefined, name: undefined },
    createHostIdentity(new Uint8Array(32).fill(8), code),
    undefined,
  )
  assert.is(webLink, undefined)
  const read = readInvitation(link)
  assert.ok(typeof read === 'object')
  assert.equal(
    [read.room.text, read.nodes, read.gameVersion, read.mods, read.name],
    [code.text, [], undefined, undefined, undefined],
  )
})

test('nodes and https lists travel, http lists are left out: a link must not send a GET into the LAN', () => {
  const nodes = [
    'tcp://node.example.com:11010',
    'udp://node.example.com:11010',
    'ws://node.example.com:80',
    'wss://node.example.com:443',
    'https://node.example.com:443/list',
  ]
  const lan = ['http://192.168.1.1:80/reboot', 'HTTP://router.lan/', 'http://[fe80::1]:80/x']
  const { link } = createInvitation({ ...CONTENT, nodes: [...lan, ...nodes] }, identity, undefined)
  assert.equal(readInvitation(link), { ...CONTENT, nodes, hostKey: identity.publicKey })
})

test('a node whose address has what cannot be shown is left out', () => {
  const strange = ['\u001B[31m', '\u009B31m', '\u202E', '\uD800'].map(
    (text) => `tcp://node.example.com:1/${text}`,
  )
  const { link } = createInvitation(
    { ...CONTENT, nodes: [...strange, ...CONTENT.nodes] },
    identity,
    undefined,
  )
  assert.equal(readInvitation(link), { ...CONTENT, hostKey: identity.publicKey })
})

test('a mod has one name in every version, as far as its file tells', () => {
  for (const [file, name] of [
    ['sodium-fabric-0.5.8+mc1.20.4.jar', 'sodium-fabric'],
    ['[钠] sodium-fabric-mc1.20.1-0.5.3.jar', 'sodium-fabric'],
    ['【JEI】jei-1.20.1-forge-15.2.0.27.JAR', 'jei'],
    ['Xaeros_Minimap_24.0.3_Fabric_1.20.jar', 'Xaeros_Minimap'],
    ['Create 0.5.1f.jar', 'Create'],
    ['appliedenergistics2-forge-15.0.1.jar', 'appliedenergistics2-forge'],
    ['OptiFine.jar', 'OptiFine'],
    ['1.20.jar', '1.20'],
  ] as const)
    assert.is(modNameOf(file), name)
})

test('what each side lacks is named, unless the names are too long for a link', () => {
  const own = modListOf(['lithium', 'jei'])
  const lacking = (mods: ReturnType<typeof modListOf>) => {
    const read = readInvitation(createInvitation({ ...CONTENT, mods }, identity, undefined).link)
    assert.ok(typeof read === 'object')
    assert.equal([read.mods?.count, read.mods?.digest], [mods.count, mods.digest])
    return missingModsOf(read.mods, own)
  }
  assert.equal(lacking(CONTENT.mods), { here: ['sodium'], there: ['jei'] })
  assert.equal(lacking(modListOf([])), { here: [], there: ['jei', 'lithium'] })
  assert.is(lacking(modListOf(Array.from({ length: 100 }, (_, at) => `a-long-name-${at}`))), undefined)
  // Three bytes each: so many would be too long for a QR code, and for an order to join.
  assert.is(lacking(modListOf(Array.from({ length: 90 }, (_, at) => `农夫乐事的模组${at}`))), undefined)
  assert.is(
    lacking(modListOf(Array.from({ length: 450 }, (_, at) => String.fromCodePoint(0x4e00 + at)))),
    undefined,
  )
})

test('a text without an invitation is none', () => {
  for (const text of ['', room.text, 'https://example.com/#1', 'join me']) {
    assert.is(readInvitation(text), undefined)
  }
})

test('one that is cut or changed anywhere, or of another version, is damaged', () => {
  const { link } = createInvitation(CONTENT, identity, undefined)
  const at = link.indexOf('.') + 5
  const other = link[at] === 'A' ? 'B' : 'A'
  for (const text of [
    link.slice(0, -4),
    link.slice(0, at),
    `${link.slice(0, at)}${other}${link.slice(at + 1)}`,
    link.replace('#1.', '#2.'),
    'lantern-room:',
  ]) {
    assert.is(readInvitation(text), 'damaged')
  }
})

test('mods are compared by their set, whatever order and case', () => {
  const own = modListOf([' lithium', 'SODIUM', 'sodium'])
  assert.equal(own, CONTENT.mods)
  assert.equal(differencesOf(CONTENT, { gameVersion: '1.21.4', mods: own }), [])
  assert.equal(differencesOf(CONTENT, { gameVersion: '1.20', mods: modListOf(['iris']) }), [
    'gameVersion',
    'mods',
  ])
  assert.equal(differencesOf(CONTENT, { gameVersion: undefined, mods: undefined }), [])
})

test.run()
