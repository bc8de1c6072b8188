import { createDeferred } from '#core/async/deferred'
import type { RoomRoute } from '#core/room/api/http/roomRoute'
import { createRoomApp } from '#core/room/api/roomApp'
import { ROOM_ROUTES } from '#core/room/api/roomRoutes'
import { readRoomConfig } from '#core/room/config'
import { createSettings } from '#core/room/service/kept/settings'
import { createFeed } from '#core/room/service/state/feed'
import { createRoomState } from '#core/room/service/state/roomState'
import { createFakeClock } from '#support/network/fakeClock'
import { createMemoryText } from '#support/room/memoryText'
import { simulatedRoomsOf } from '#support/room/simulatedRooms'
import { assert, suite } from '#support/runner/suite'
import { hasResolved } from '#support/values/hasResolved'
import { type OpenApi, operationsOf } from '../../../contract/http/openApi'

const test = suite('the room app')
const rooms = simulatedRoomsOf(test)

/** An app of these routes whose use cases fail with a text that must stay inside. */
function appOf(routes: readonly RoomRoute[]) {
  const logged: unknown[] = []
  const warned: unknown[] = []
  const fail = () => {
    throw new Error('ENOENT: /home/me/secret')
  }
  const clock = createFakeClock()
  const app = createRoomApp(
    {
      service: {
        host: fail,
        join: fail,
        stop: fail,
        close: fail,
        retry: fail,
        chooseGame: fail,
        shareOnly: fail,
        guests: fail,
        kept: async () => undefined,
      },
      roomState: createRoomState({ feed: createFeed('run'), clock }),
      games: { servers: fail, status: fail },
      localServices: fail,
      portGuard: { isOwn: fail, guard: fail, refuse: fail },
      listMods: async () => [],
      invite: fail,
      keeper: { left: fail },
      savedRooms: { list: fail, forget: fail, restore: fail },
      checkRoom: fail,
      settings: createSettings({
        product: 'P',
        version: '1',
        config: { nodes: ['tcp://a:1'], nodesFrom: 'environment' },
      }),
      config: readRoomConfig({}),
      meta: {
        version: '1.2.3',
        compileTimestamp: '2026-01-01T00:00:00.000Z',
        networkVersion: 'n',
        targetTuple: 'a-b-c-d',
        targetArch: 'a',
        targetVendor: 'b',
        targetOS: 'c',
        contractVersion: '1.1',
        runId: 'run',
        targetEnv: 'd',
      },
      machineId: '0'.repeat(32),
      roomPort: () => 13_448,
      checkNode: fail,
      doctor: async () => fail(),
      report: async () => fail(),
      page: { html: '', styleHash: '', scriptHash: '' },
      shutDown: fail,
      clock,
      log: {
        debug() {},
        info() {},
        warn: (...entry) => void warned.push(entry),
        error: (...entry) => void logged.push(entry),
        text: fail,
      },
    },
    routes,
  )
  const send = (path: string, { headers = {}, ...init }: RequestInit = {}) =>
    app(
      new Request(`http://127.0.0.1${path}`, {
        ...init,
        headers: { Host: '127.0.0.1', ...Object.fromEntries(new Headers(headers)) },
      }),
    )
  return { send, logged, warned, clock }
}

const INTERNAL = {
  error: 'Something went wrong here. Try again; if it stays so, tell the operator.',
  code: 'internal',
}

for (const [path, method] of [
  ['/state/guesting?room=U/YNZE-U61D-2206-HXRG', 'GET'],
  ['/room/host/start', 'POST'],
  ['/game/servers', 'GET'],
  ['/network/servers', 'GET'],
  ['/log', 'GET'],
  ['/shutdown', 'POST'],
] as const) {
  test(`${method} ${path} answers an unexpected error with a fixed text, and logs it`, async () => {
    const { send, logged } = appOf(ROOM_ROUTES)
    const response = await send(path, { method })
    assert.equal([response.status, await response.json()], [500, INTERNAL])
    assert.match(JSON.stringify(logged), 'ENOENT: /home/me/secret')
  })
}

const LED = { 'Sec-Fetch-Mode': 'navigate', Accept: 'text/html,*/*;q=0.8' }

test('a browser is not led to an order, however its address is written', async () => {
  const { send } = appOf(ROOM_ROUTES)
  const paths = ROOM_ROUTES.flatMap(({ contract, effect }) =>
    effect === undefined || effect === 'none'
      ? []
      : [contract.path, `${contract.path.slice(0, -1)}%${hexOfEnd(contract.path)}`],
  )
  for (const path of paths) {
    const page = await send(path, { headers: LED })
    assert.equal(
      [path, page.status, page.headers.get('Content-Type')],
      [path, 403, 'text/html; charset=utf-8'],
    )
    const { status, headers } = await send(path, { headers: { ...LED, Accept: 'application/json' } })
    assert.equal([path, status, headers.get('Content-Type')], [path, 403, 'application/json'])
  }
  const post = await send('/room/stop', { method: 'POST', headers: { Referer: 'https://evil.example/' } })
  assert.is(post.status, 403)
  assert.match(await post.text(), 'https://evil.example')
})

test('the document names each operation by its method and path, and says that a page may refuse it', async () => {
  const { send } = appOf(ROOM_ROUTES)
  const document = (await (await send('/openapi.json')).json()) as OpenApi
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
  const { send, warned, clock } = appOf(ROOM_ROUTES)
  for (let times = 0; times < 5; times += 1) await send('/state/ide?x=U/SECRET', { headers: LED })
  assert.equal(warned, [
    ['a link or a web page led a browser to the room service: it was refused', { path: '/state/ide' }],
  ])
  await clock.advance(61_000)
  await send('/nothing', { headers: { ...LED, 'Sec-Fetch-Site': 'cross-site' } })
  assert.is(warned.length, 2)
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

test.run()
