import { createDeferred } from '@lantern-room/base/async'
import { ROOM_ROUTES } from '#internal/room/api/roomRoutes'
import { createMemoryText } from '#support/room/memoryText'
import { type SimulatedRoom, simulatedRoomsOf } from '#support/room/simulatedRooms'
import { assert, suite } from '#support/runner/suite'
import { hasResolved } from '#support/values/hasResolved'
import { type OpenApi, operationsOf } from '../../../contract/http/openApi'

const test = suite('the room app')
const rooms = simulatedRoomsOf(test)

const INTERNAL = {
  error: 'Something went wrong here. Try again; if it stays so, tell the operator.',
  code: 'internal',
}

const send = ({ app }: SimulatedRoom, path: string, headers: Record<string, string>, method = 'GET') =>
  app(new Request(`http://127.0.0.1${path}`, { method, headers: { Host: '127.0.0.1', ...headers } }))

test('an unexpected error is answered with a fixed text, and logged', async () => {
  const room = rooms.open({ listMods: () => Promise.reject(new Error('ENOENT: /home/me/secret')) })
  const response = await room.ask('/room/invitation', { modsFolder: '/home/me' })
  assert.equal([response.status, await response.json()], [500, INTERNAL])
  assert.match(room.log.text(), 'ENOENT: /home/me/secret')
})

const LED = { 'Sec-Fetch-Mode': 'navigate', Accept: 'text/html,*/*;q=0.8' }

test('a browser is not led to an order, however its address is written', async () => {
  const room = rooms.open()
  const paths = ROOM_ROUTES.flatMap(({ contract, effect }) =>
    effect === undefined || effect === 'none'
      ? []
      : [contract.path, `${contract.path.slice(0, -1)}%${hexOfEnd(contract.path)}`],
  )
  for (const path of paths) {
    const page = await send(room, path, LED)
    assert.equal(
      [path, page.status, page.headers.get('Content-Type')],
      [path, 403, 'text/html; charset=utf-8'],
    )
    const { status, headers } = await send(room, path, { ...LED, Accept: 'application/json' })
    assert.equal([path, status, headers.get('Content-Type')], [path, 403, 'application/json'])
  }
  const post = await send(room, '/room/stop', { Referer: 'https://evil.example/' }, 'POST')
  assert.is(post.status, 403)
  assert.match(await post.text(), 'https://evil.example')
})

test('the document names each operation by its method and path, and says that a page may refuse it', async () => {
  const document = (await (await rooms.open().ask('/openapi.json')).json()) as OpenApi
  for (const { path, method, operation } of operationsOf(document)) {
    const types = Object.keys(operation.responses['403']?.content ?? {})
    assert.equal([method, path, types], [method, path, ['application/json', 'text/html']])
  }
  const ids = Object.fromEntries(
    operationsOf(document).map(({ path, operation }) => [path, operation.operationId]),
  )
  assert.is(ids['/'], 'getPage')
  assert.is(ids['/state/guesting'], 'getStateGuesting')
  assert.is(ids['/room/guests/{id}/kick'], 'postRoomGuestsIdKick')
  assert.is(ids['/openapi.json'], 'getOpenapiJson')
})

test('refused links are logged once a minute', async () => {
  const room = rooms.open()
  const warned = () => room.log.text().match(/ warn a link or a web page led a browser .*/g)
  for (let times = 0; times < 5; times += 1) await send(room, '/state/ide?x=U/SECRET', LED)
  assert.is(warned()?.length, 1)
  assert.match(warned()?.[0] ?? '', /: it was refused \{"path":"\/state\/ide"\}$/)
  await rooms.clock.advance(61_000)
  await send(room, '/nothing', { ...LED, 'Sec-Fetch-Site': 'cross-site' })
  assert.is(warned()?.length, 2)
})

function hexOfEnd(path: string): string {
  return path.charCodeAt(path.length - 1).toString(16)
}

for (const [path, order, written] of [
  ['guests/{id}/kick', {}, /"state":"removed"/],
  ['host/admission', { approval: true }, /"approval":true/],
  ['host/ports', { ports: [{ name: 'voice', udp: 24_454 }] }, /"voice"/],
  ['stop', {}, undefined],
] as const)
  test(`/room/${path} is answered when it is on the disk`, async () => {
    const store = createMemoryText()
    let disk = Promise.resolve()
    const keptRoom = {
      ...store,
      write: (text: string) => disk.then(() => store.write(text)),
      remove: () => disk.then(store.remove),
    }
    const [host, guest] = [rooms.open({ keptRoom }), rooms.open()]
    host.machine.openWorld(30_000)
    await guest.join(await host.host({ gamePort: 30_000, resume: true }))
    const { promise, resolve: goOn } = createDeferred<void>()
    disk = promise
    const id = host.roomState.view().players.at(1)?.machineId ?? ''
    const answer = host.ask(`/room/${path.replace('{id}', id)}`, order)
    const isAnswered = hasResolved(answer)
    await rooms.clock.advance(1000)
    assert.not(isAnswered())
    goOn()
    assert.is((await answer).status, 200)
    if (written) assert.match(store.text ?? '', written)
    else assert.is(store.text, undefined)
  })

test('a room that was joined by an invitation is told by its code, and which role is in the way of going back', async () => {
  const keptRoom = createMemoryText()
  const [host, guest] = [rooms.open(), rooms.open({ keptRoom })]
  host.machine.openWorld(30_000)
  const room = await host.host({ gamePort: 30_000 })
  const { link } = JSON.parse(await (await host.ask('/room/invitation', {})).text())
  await guest.ask('/room/guest/start', { roomCode: link, resume: 'ask' })
  await rooms.clock.advance(0)
  const { text } = keptRoom
  await guest.service.stop()
  keptRoom.text = text
  assert.equal(await (await guest.ask('/room/kept')).json(), { role: 'guest', roomCode: room })
  assert.is((await guest.ask('/room/resume', {})).status, 200)
  await rooms.clock.advance(0)
  const again = await guest.ask('/room/resume', {})
  assert.is(again.status, 409)
  assert.match(await again.text(), /"A room is being joined already: stop it first/)
})

test('going back to a room whose order named no launcher leaves the launcher that has set itself', async () => {
  const keptRoom = createMemoryText()
  const before = rooms.open({ keptRoom })
  await before.host({ waitForGame: false, resume: 'ask' })
  const { text } = keptRoom
  await before.service.stop()
  const after = rooms.open({ keptRoom: createMemoryText(text) })
  await after.ask('/config/launcher', { launcherCustomString: 'HMCL 3' })
  assert.is((await after.ask('/room/resume', {})).status, 200)
  assert.match(await (await after.ask('/config')).text(), /"launcherCustomString":"HMCL 3"/)
})

test('no invitation leads to a room that was closed while its world was asked', async () => {
  const host = rooms.open()
  host.machine.openWorld(30_000, { mute: true })
  const hosting = host.host({ gamePort: 30_000 })
  await rooms.clock.advance(5000)
  await hosting
  assert.is(host.roomState.view().stage, 'Host_Running')
  const asked = host.ask('/room/invitation', {})
  await rooms.clock.advance(100)
  await host.service.stop()
  await rooms.clock.advance(5000)
  assert.is((await asked).status, 409)
})

test.run()
