import type { RoomCodeProblem } from '@lantern-room/protocol'
import { describeProblem } from '@lantern-room/room/words'
import * as assert from 'uvu/assert'
import { nearlyAll } from '#support/values/misspellings'
import { fieldsOf, type OpenApi, operationsOf } from '../http/openApi'
import { got, NOBODYS_CODE, NOBODYS_PRIVATE_CODE, postJson, refused, stateOf } from './asking'
import type { RoomContract } from './roomContract'

/** One code for each thing that can be wrong with it. */
const WRONG_CODES: Readonly<Record<RoomCodeProblem, string>> = {
  empty: '  ',
  prefix: 'X/YNZE-U61D-2206-HXRG',
  length: 'U/YNZE-U61D-2206-HXR',
  groups: 'U/YNZEU61D22-06HXRG-00',
  character: 'U/YNZE-U61D-2206-HX?G',
  checksum: 'U/YNZE-U61D-2206-HXRH',
  'unsupported-format': 'ABCDE-FGHIJ-KLMNO-PQRST-UVWXY',
}

const VOICE = { name: 'voice', udp: 24_454 }
const WRONG_PORTS = [
  {},
  'voice',
  [7],
  [{ name: 'voice' }],
  [{ udp: 24_454 }],
  [{ name: ' ', udp: 24_454 }],
  [{ name: 'voice', udp: 0 }],
  [{ name: 'voice', udp: '24454' }],
  [VOICE, { name: 'voice', tcp: 24_454 }],
  [VOICE, { ...VOICE, name: 'other' }],
  Array.from({ length: 17 }, (_, at) => ({ name: `${at}`, tcp: 1000 + at })),
]

const WRONG_NUMBERS = [
  'none',
  8123,
  {},
  ...[-1, 0, 22, 80, 443, 1023, 4445, 5062, 5353, 24_445, 65_536, 1.5, '8123', true, null].map((port) => [
    port,
  ]),
  [8123, 22],
  Array.from({ length: 33 }, (_, at) => 2000 + at),
]

const nodes = (length: number) => Array.from({ length }, () => 'tcp://a')
const WRONG_NODES = ['tcp://a', [7], ['a'], ['tcp://a:70000'], {}, nodes(65)]

/** Orders that take a body. */
const BODIES = ['/room/host/start', '/room/guest/start', '/room/host/game', '/config/launcher']
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** What is wrong with an order is said by the name of its field, and nothing happens. */
export function inputCases({ test, one }: RoomContract): void {
  const nothingHappened = async () => assert.is((await stateOf(one())).state, 'waiting')

  for (const [problem, code] of Object.entries(WRONG_CODES) as [RoomCodeProblem, string][])
    test(`a room code with the problem "${problem}" is refused with what to do about it`, async () => {
      const inQuery = encodeURIComponent(code)
      const said = describeProblem(problem)
      for (const order of [
        () => one().send(`/state/guesting?room=${inQuery}`),
        () => one().send(`/state/scanning?room=${inQuery}`),
        () => postJson(one(), '/room/host/start', { room: code }),
      ])
        assert.is(await refused(order(), 400), `room: ${said}`)
      const join = postJson(one(), '/room/guest/start', { roomCode: code })
      assert.is(await refused(join, 400), `roomCode: ${said}`)
      await nothingHappened()
    })

  test('whether to carry for friends is true or false, in the order of a host as of a guest', async () => {
    for (const [path, order] of [
      ['/room/host/start', {}],
      ['/room/guest/start', { roomCode: NOBODYS_CODE }],
    ] as const) {
      for (const field of ['friendRelay', 'direct']) {
        const said = await refused(postJson(one(), path, { ...order, [field]: 'on' }), 400)
        assert.is(said, `${field} must be true or false.`)
      }
      await nothingHappened()
    }
  })

  test('a code of one kind with an order for the other is refused by the name of the field', async () => {
    const words = /^private: room is the code of (an open|a private) room; leave one of the two out\.$/
    for (const order of [
      { room: NOBODYS_CODE, private: true },
      { room: NOBODYS_PRIVATE_CODE, private: false },
    ])
      await refused(postJson(one(), '/room/host/start', order), 400, words)
    await nothingHappened()
  })

  test('a missing room code is said to be missing', async () => {
    await refused(one().send('/state/guesting'), 400, /^room is missing\.$/)
    await refused(one().send('/state/guesting?player=Steve'), 400, /^room is missing\.$/)
    await refused(postJson(one(), '/room/guest/start', {}), 400, /^roomCode is missing\.$/)
    await refused(postJson(one(), '/room/guest/start', { roomCode: null }), 400, /^roomCode must be text\.$/)
    await refused(postJson(one(), '/room/guest/start'), 400, /roomCode|body/)
    await nothingHappened()
  })

  test('a port for the world on this machine is one that a host may get', async () => {
    for (const localPort of [0, 80, 4445, 5062, 65_536, '25570', 1.5, [25_570]]) {
      const order = { roomCode: NOBODYS_CODE, localPort }
      await refused(postJson(one(), '/room/guest/start', order), 400, /^localPort must be a port from 1024/)
    }
    await nothingHappened()
  })

  test('a value of the wrong type or size is refused by the name of its field', async () => {
    const wrong: readonly (readonly [string, string, readonly unknown[]])[] = [
      ['/room/host/start', 'scaffoldingPort', [1024, 0, -1, 65536, 1.5, '13448', true, {}, []]],
      ['/room/host/start', 'gamePort', [0, -1, 65536, 1.5, '25565', [25565]]],
      ['/room/host/start', 'playerName', [7, {}, [], true, 'x'.repeat(257)]],
      ['/room/host/start', 'launcherCustomString', [7, {}, 'x'.repeat(129), 'a\tb']],
      ['/room/host/start', 'room', [7, {}, ['U/YNZE-U61D-2206-HXRG'], 'x'.repeat(4097)]],
      ['/room/host/start', 'waitForGame', [1, 'false', {}]],
      ['/room/host/start', 'private', [1, 'true', {}]],
      ['/room/host/start', 'resume', [1, 'true', {}]],
      ['/room/host/start', 'nodes', WRONG_NODES],
      ['/config/nodes', 'nodes', [undefined, 'none', ...WRONG_NODES, ['wg://a:1'], nodes(9)]],
      ['/room/host/start', 'ports', WRONG_PORTS],
      ['/room/host/ports', 'ports', [undefined, null, ...WRONG_PORTS]],
      ['/room/guest/ports', 'keepPorts', [undefined, null, ...WRONG_NUMBERS]],
      ['/room/guest/start', 'roomCode', [7, {}, [NOBODYS_CODE], 'x'.repeat(4097)]],
      ['/room/host/game', 'gamePort', [undefined, null, 0, '1', 70_000]],
    ]
    for (const [path, field, values] of wrong)
      for (const value of values)
        await refused(
          postJson(one(), path, { [field]: value }),
          400,
          new RegExp(`^${field}[\\w.]* (must|is) \\w`),
        )
    for (const field of ['playerName', 'launcherCustomString', 'wait', 'resume']) {
      const order = { roomCode: NOBODYS_CODE, [field]: 7 }
      await refused(postJson(one(), '/room/guest/start', order), 400, new RegExp(`^${field} must \\w`))
    }
    for (const keepPorts of WRONG_NUMBERS) {
      const order = { roomCode: NOBODYS_CODE, keepPorts }
      await refused(
        postJson(one(), '/room/guest/start', order),
        400,
        /^keepPorts[\w.]* must be a (port|list)/,
      )
    }
    for (const port of ['', '0', '65536', '-1', '1.5', '1e3', 'x', '123456'])
      await refused(one().send(`/state/scanning?gamePort=${port}`), 400, /^gamePort must be a port/)
    await refused(one().send('/state/scanning?player=a&player=b'), 400, /^player must be given once\.$/)
    for (const wrong of ['', '?peaceful=', '?peaceful=false', '?peaceful=1', '?peaceful=true&peaceful=true'])
      await refused(one().send(`/panic${wrong}`), 400, /^peaceful must be true/)
    for (const wrong of ['', '1', 'TRUE'])
      await refused(one().send(`/log?fetch=${wrong}`), 400, /^fetch must be true or false/)
    await nothingHappened()
  })

  test('a field whose name is nearly that of another is refused with the other, in orders and addresses', async () => {
    const document = await got<OpenApi>(one().send('/openapi.json'))
    for (const { path, method, operation } of operationsOf(document)) {
      // Asked without an upgrade, the feed refuses everything.
      if (path === '/ws') continue
      const at = path.replaceAll(/\{\w+\}/g, 'a'.repeat(64))
      const inAddress = (operation.parameters ?? [])
        .filter((one) => one.in === 'query')
        .map(({ name }) => name)
      for (const [name, wrong] of nearlyAll(inAddress)) {
        const said = await refused(one().send(`${at}?${wrong}=1`), 400)
        assert.match(
          said,
          new RegExp(`^There is no field ".+"\\. Did you mean ${name}\\?`),
          `${path} ${wrong}`,
        )
      }
      const inBody = method === 'POST' ? fieldsOf(document, operation.requestBody?.content) : []
      for (const [name, wrong] of nearlyAll(inBody)) {
        const said = await refused(postJson(one(), at, { [wrong]: true }), 400)
        assert.match(
          said,
          new RegExp(`^There is no field ".+"\\. Did you mean ${name}\\?`),
          `${path} ${wrong}`,
        )
      }
    }
    const ports = [{ name: 'voice', tcp: 24_454, upd: 24_454 }]
    await refused(postJson(one(), '/room/host/start', { ports }), 400, /Did you mean udp\?/)
    await nothingHappened()
  })

  test('another spelling beside the right field is passed over only where both say the same', async () => {
    const order = { roomCode: 'no code', wait: true }
    await refused(postJson(one(), '/room/guest/start', { ...order, Wait: true }), 400, /^roomCode: /)
    await refused(postJson(one(), '/room/guest/start', { ...order, Wait: false }), 400, /Did you mean wait\?/)
  })

  test('the rules of a room are refused where they would be missed without a word', async () => {
    for (const rule of ['private=true', 'approval=true', 'allowed=Steve'])
      await refused(
        one().send(`/state/scanning?player=a&${rule}`),
        400,
        /is a field of POST \/room\/host\/start/,
      )
    await nothingHappened()
  })

  test('a body that is no JSON object is refused', async () => {
    for (const path of [...BODIES, '/config/nodes']) {
      for (const body of ['{', '{"playerName":"a"', 'no', '\u0000', '{"a":1}}', "{'a':1}"])
        await refused(postJson(one(), path, body), 400, /JSON/)
      for (const body of ['[]', '"x"', '7', 'null', 'true'])
        await refused(postJson(one(), path, body), 400, /JSON object/)
    }
    await nothingHappened()
  })

  test('a body of another type is refused, not passed over', async () => {
    const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', '']
    for (const path of BODIES) {
      for (const type of types) {
        const headers = type === '' ? {} : { 'Content-Type': type }
        await refused(one().send(path, { method: 'POST', body: '{}', headers }), 415, /application\/json/)
      }
      await refused(one().send(path, { method: 'POST', body: ['{', '}'] }), 415)
    }
    await nothingHappened()
  })

  test('JSON with a charset, in pieces, and with keys that mean something elsewhere is read', async () => {
    const answer = await one().send('/config/launcher', {
      method: 'POST',
      body: ['{"launcherCustom', 'String":"ÄÖ","__proto__":{"x":1},', '"constructor":null}'],
      headers: { 'Content-Type': 'Application/JSON; charset=utf-8' },
    })
    assert.is(answer.status, 200, await answer.text())
    await postJson(one(), '/config/launcher', {})
  })

  test('a body over 64 KiB is refused, whether or not its length is told', async () => {
    const piece = 'x'.repeat(16 * 1024)
    const huge = JSON.stringify({ launcherCustomString: piece.repeat(5) })
    for (const path of ['/room/host/start', '/room/guest/start', '/config/launcher']) {
      await refused(postJson(one(), path, huge), 413, /65536 bytes/)
      const pieces = ['{"launcherCustomString":"', piece, piece, piece, piece, piece, '"}']
      await refused(one().send(path, { method: 'POST', body: pieces, headers: JSON_TYPE }), 413)
    }
    const fits = JSON.stringify({ more: 'x'.repeat(64 * 1024 - 12) })
    assert.is(fits.length, 64 * 1024 - 1)
    assert.is((await postJson(one(), '/config/launcher', fits)).status, 200)
  })
}
