import * as assert from 'uvu/assert'
import type { RoomTarget } from '#support/room/roomTargets'
import { each } from '#support/values/each'
import {
  asLaunchersSee,
  got,
  hasShape,
  idIn,
  NOBODYS_CODE,
  postJson,
  refused,
  STATE_SHAPE,
  STATUS_SHAPE,
  type State,
  stateOf,
  statusOf,
  told,
  untilState,
} from './asking'
import type { RoomContract } from './roomContract'

/** Joining, and what becomes of it. */
export function guestCases({ test, one, other, world }: RoomContract): void {
  /** @returns the code of a room that `one` hosts */
  const hosted = async (): Promise<string> => {
    await one().send(`/state/scanning?player=Alex&gamePort=${world().port}`)
    return (await untilState(one(), 'host-ok')).room ?? ''
  }

  test('an invitation leads into the room like its code', async () => {
    await hosted()
    const { link } = await got<{ link: string }>(postJson(one(), '/room/invitation', {}))
    await told(postJson(other(), '/room/guest/start', { roomCode: link }), /being joined/)
    await untilState(other(), 'guest-ok')
    const { gamePort } = await statusOf(other())
    assert.is(await world().echoThrough(gamePort, 'hello'), 'hello')
  })

  test('GET /state/guesting answers with the State record and leads into the world', async () => {
    const room = await hosted()
    const query = `room=${encodeURIComponent(room.toLowerCase().replaceAll('-', '_'))}&player=Steve`
    const record = await got<State>(other().send(`/state/guesting?${query}`))
    hasShape(record, STATE_SHAPE)
    assert.equal([record.state, record.role, record.room], ['guest-connecting', 'guest', room])
    assert.is(record.difficulty, 'UNKNOWN')
    assert.is(record.url, null)

    const joined = await untilState(other(), 'guest-ok')
    hasShape(joined, STATE_SHAPE)
    assert.is(joined.difficulty, null)
    const status = await statusOf(other())
    hasShape(status, STATUS_SHAPE)
    assert.equal([status.state, status.role, status.roomCode], ['Guest_Running', 'guest', room])
    // The number of the world's port is taken on this machine, by the world itself.
    assert.is(joined.url, `127.0.0.1:${status.gamePort}`)
    assert.is.not(status.gamePort, world().port)
    assert.is(await world().echoThrough(status.gamePort, 'hello'), 'hello')

    const configOf = (target: RoomTarget) => got(target.send('/config'))
    const ids = each(await Promise.all([one(), other()].map(configOf)), 'machineId')
    const { version } = await got(one().send('/meta'))
    const vendor = `LanternRoom ${version}`
    const players = [
      { name: 'Alex', machineId: idIn(room, ids[0]), vendor, kind: 'HOST' },
      { name: 'Steve', machineId: idIn(room, ids[1]), vendor, kind: 'LOCAL' },
    ]
    assert.equal(joined.profiles, players.map(asLaunchersSee))
    const seen = await stateOf(one())
    assert.equal(each(seen.profiles, 'name'), ['Alex', 'Steve'])
    assert.equal(each(seen.profiles, 'kind'), ['HOST', 'GUEST'])
    assert.ok(seen.profileIndex >= 1, 'a player came, the state stayed')

    await refused(postJson(other(), '/room/host/game', { gamePort: 1 }), 409, /No room is being hosted/)
    for (const order of [
      () => other().send('/state/scanning'),
      () => other().send(`/state/guesting?room=${encodeURIComponent(room)}`),
      () => postJson(other(), '/room/host/start'),
      () => postJson(other(), '/room/guest/start', { roomCode: room }),
    ])
      await refused(order(), 409, /A room is being joined already: stop it first/)

    await told(postJson(other(), '/room/stop'), /^Stopped\.$/)
    assert.equal([(await stateOf(other())).state, (await stateOf(other())).url], ['waiting', null])
  })

  test('POST /room/guest/start needs the code alone', async () => {
    const roomCode = await hosted()
    const order = { roomCode, playerName: null, launcherCustomString: null, unknown: 1 }
    await told(postJson(other(), '/room/guest/start', order), /^The room is being joined;/)
    const { profiles } = await untilState(other(), 'guest-ok')
    assert.equal(each(profiles, 'name'), ['Alex', 'Guest'])
  })

  test('a launcher that names itself when it joins is shown by its name to everyone', async () => {
    const roomCode = await hosted()
    const order = { roomCode, playerName: '  Стив ', launcherCustomString: 'PCL 2.8' }
    await postJson(other(), '/room/guest/start', order)
    await untilState(other(), 'guest-ok')
    const { profiles } = await stateOf(one())
    assert.equal([profiles[1]?.name, profiles[1]?.vendor.endsWith(' PCL 2.8')], ['Стив', true])
    await postJson(other(), '/config/launcher', {})
  })

  test('a room that nobody hosts is an exception with a code, the stage and a hint', async () => {
    await got(other().send(`/state/guesting?room=${encodeURIComponent(NOBODYS_CODE)}`))
    const failed = await untilState(other(), 'exception', 120_000)
    hasShape(failed, STATE_SHAPE)
    assert.equal([failed.role, failed.room, failed.exceptionType], ['guest', NOBODYS_CODE, 0])
    assert.match(failed.error ?? '', /^Nobody hosts this room\.$/)
    const status = await statusOf(other())
    hasShape(status, STATUS_SHAPE)
    assert.equal([status.state, status.errorCode, status.error], ['Error', 'host-not-found', failed.error])
    assert.match(status.stage ?? '', /^Guest_(NetworkStarting|DiscoveringCenter)$/)
    assert.match(status.hint ?? '', /^Ask your friend .*\.$/)

    await told(postJson(other(), '/room/retry'), /^Trying again\.$/)
    const again = await untilState(other(), 'exception', 120_000)
    assert.ok(again.index > failed.index)
    assert.is(again.room, NOBODYS_CODE)
    await told(postJson(other(), '/room/stop'), /./)
    const after = await stateOf(other())
    assert.equal([after.state, after.error, after.exceptionType], ['waiting', null, null])
    await told(postJson(other(), '/room/retry'), /nothing to try again/)
  })
}
