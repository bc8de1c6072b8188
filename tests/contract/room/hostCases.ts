import { connect } from 'node:net'
import * as assert from 'uvu/assert'
import { startMuteServer } from '#support/room/testWorld'
import { each } from '#support/values/each'
import { eventually } from '#support/values/until'
import {
  asLaunchersSee,
  got,
  hasShape,
  idIn,
  LAUNCHER_PROFILE_SHAPE,
  NOBODYS_CODE,
  postJson,
  ROOM_CODE,
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

/** Hosting, as launchers order it in either way. */
export function hostCases({ test, one, world }: RoomContract): void {
  const byQuery = (more = '') => one().send(`/state/scanning?gamePort=${world().port}${more}`)

  test('GET /state/scanning answers with the State record and opens a room', async () => {
    const before = await stateOf(one())
    const record = await got<State>(byQuery('&player=Alex'))
    hasShape(record, STATE_SHAPE)
    assert.is(record.state, 'host-scanning')
    assert.is(record.role, 'host')
    assert.match(record.room ?? '', ROOM_CODE)
    assert.ok(record.index > before.index)

    const open = await untilState(one(), 'host-ok')
    hasShape(open, STATE_SHAPE)
    assert.is(open.room, record.room)
    assert.ok(open.index > record.index)
    assert.equal([open.url, open.difficulty, open.exceptionType, open.error], [null, null, null, null])
    assert.is(open.profiles.length, 1)
    hasShape(open.profiles[0], LAUNCHER_PROFILE_SHAPE)
    const { machineId } = await got(one().send('/config'))
    const { version } = await got(one().send('/meta'))
    const vendor = `LanternRoom ${version}`
    const alex = { name: 'Alex', machineId: idIn(open.room, machineId), vendor, kind: 'HOST' }
    assert.equal(open.profiles, [asLaunchersSee(alex)])

    const status = await statusOf(one())
    hasShape(status, STATUS_SHAPE)
    assert.equal([status.state, status.role, status.roomCode], ['Host_Running', 'host', record.room])
    assert.equal([status.gamePort, status.error, status.errorCode], [world().port, null, null])
    assert.equal([status.stage, status.hint, status.players], [null, null, [alex]])
    hasShape(status.network, {
      privacy: 'string',
      nodes: 'array',
      mappings: 'array',
      friendRelay: 'object?',
      path: 'string?',
      relayedBy: 'string?',
      carrier: 'string?',
      latencyMs: 'integer?',
    })

    await told(postJson(one(), '/room/stop'), /^Stopped\.$/)
    const after = await stateOf(one())
    assert.ok(after.index > open.index)
    assert.equal([after.state, after.role, after.room, after.profiles], ['waiting', null, null, []])
  })

  test('a world that accepts connections and answers no ping can be hosted', async () => {
    const mute = await startMuteServer()
    try {
      await got<State>(one().send(`/state/scanning?gamePort=${mute.port}`))
      await untilState(one(), 'host-ok')
      const { gamePort, errorCode } = await statusOf(one())
      assert.equal([gamePort, errorCode], [mute.port, null])
    } finally {
      await mute.close()
    }
  })

  test('the room port of /meta is the one in use while a room is hosted', async () => {
    const wanted = 24_700
    await told(postJson(one(), '/room/host/start', { scaffoldingPort: wanted, waitForGame: false }), /opened/)
    await untilState(one(), 'host-ok')
    const { overlayPort } = await got(one().send('/meta'))
    assert.ok(Number(overlayPort) >= wanted && Number(overlayPort) < wanted + 20, String(overlayPort))
    // `c:ping` with two bytes of its own.
    const answer = await exchange(Number(overlayPort), '06633a70696e6700000002cafe')
    assert.is(answer, '0000000002cafe')
    await postJson(one(), '/room/stop')
    assert.is((await got(one().send('/meta'))).overlayPort, '24448')
  })

  test('POST /room/host/start takes every field', async () => {
    const order = {
      scaffoldingPort: 24_720,
      playerName: ' Alex\u0000\n ',
      launcherCustomString: 'HMCL 3.6',
      room: `come: ${NOBODYS_CODE.toLowerCase()} !`,
      gamePort: world().port,
      waitForGame: true,
      private: false,
      friendRelay: true,
      unknown: { fields: ['are', 'ignored'] },
    }
    await told(postJson(one(), '/room/host/start', order), /^The room is being opened;/)
    const { room, profiles } = await untilState(one(), 'host-ok')
    assert.is(room, NOBODYS_CODE)
    const { version } = await got(one().send('/meta'))
    assert.equal(each(profiles, 'name'), ['Alex'])
    assert.equal(each(profiles, 'vendor'), [`LanternRoom ${version} HMCL 3.6`])
    assert.is((await got(one().send('/config'))).launcherCustomString, 'HMCL 3.6')
    await postJson(one(), '/config/launcher', {})
  })

  test('every field of POST /room/host/start may be null or missing, and so may the body', async () => {
    const names = 'scaffoldingPort playerName launcherCustomString room gamePort private friendRelay'
    const nulls = Object.fromEntries(names.split(' ').map((name) => [name, null]))
    const headers = { 'Content-Type': 'application/json' }
    for (const order of [
      () => postJson(one(), '/room/host/start', { ...nulls, waitForGame: false }),
      () => postJson(one(), '/room/host/start', { waitForGame: false, playerName: '' }),
      () => postJson(one(), '/room/host/start', { ...nulls, waitForGame: null, gamePort: world().port }),
      () => postJson(one(), '/room/host/start'),
      () => one().send('/room/host/start', { method: 'POST', headers }),
    ]) {
      await told(order(), /opened/)
      const record = await stateOf(one())
      assert.match(record.room ?? '', ROOM_CODE)
      const { profiles, state } = await eventuallyHosted()
      if (state === 'host-ok') assert.equal(each(profiles, 'name'), ['Host'])
      await postJson(one(), '/room/stop')
    }
  })

  test('a room that waits for a world says so, and takes the one that is chosen', async () => {
    await postJson(one(), '/room/host/start', { playerName: 'Alex', gamePort: 1 })
    const waiting = await statusOf(one())
    assert.ok(['Host_Prepare', 'Host_GameDetecting'].includes(waiting.state), waiting.state)
    const chosen = postJson(one(), '/room/host/game', { gamePort: world().port })
    await told(chosen, /is used as soon as it answers/)
    await untilState(one(), 'host-ok')
    assert.is((await statusOf(one())).gamePort, world().port)
  })

  test('a room may be open before there is a world', async () => {
    await postJson(one(), '/room/host/start', { waitForGame: false, gamePort: 1 })
    await untilState(one(), 'host-ok')
    assert.is((await statusOf(one())).gamePort, 0)
    await postJson(one(), '/room/host/game', { gamePort: world().port })
    await eventually(
      () => statusOf(one()),
      ({ gamePort }) => gamePort === world().port,
    )
  })

  test('while a room is hosted, every order to start is a conflict, whatever code it has', async () => {
    await got(byQuery())
    const code = encodeURIComponent(NOBODYS_CODE)
    for (const order of [
      () => byQuery(),
      () => one().send(`/state/scanning?room=${code}`),
      () => one().send(`/state/guesting?room=${code}&player=Steve`),
      () => postJson(one(), '/room/host/start', {}),
      () => postJson(one(), '/room/guest/start', { roomCode: NOBODYS_CODE, launcherCustomString: 'no' }),
    ])
      await refused(order(), 409, /A room is being hosted already: stop it first/)
    // What is refused changes nothing.
    assert.is((await got(one().send('/config'))).launcherCustomString, null)
    await told(postJson(one(), '/room/retry'), /nothing to try again/)
    assert.is((await untilState(one(), 'host-ok')).role, 'host')
  })

  test('an invitation is a link and a QR code; it is read before joining, and orders take it as the code', async () => {
    await refused(postJson(one(), '/room/invitation'), 409, /No room is being hosted/)
    await postJson(one(), '/room/host/start', { gamePort: world().port, playerName: 'Alex' })
    const { room } = await untilState(one(), 'host-ok')
    const longName = `a-mod-${'x'.repeat(80)}`
    const invitation = await got<{ link: string; webLink: string | null; svg: string }>(
      postJson(one(), '/room/invitation', { mods: ['b', longName] }),
    )
    const chinese = Array.from({ length: 90 }, (_, at) => `农夫乐事的模组${at}`)
    const { link: shorter } = await got(postJson(one(), '/room/invitation', { mods: chinese }))
    assert.ok(String(shorter).length < 2000)
    assert.match(invitation.link, /^lantern-room:#1\.[\w-]+\.[\w-]+$/)
    assert.equal([invitation.webLink, invitation.svg.startsWith('<svg')], [null, true])
    const { svg } = await got(postJson(one(), '/room/invitation', { mods: ['b', longName], text: 'come' }))
    assert.ok(String(svg).length < invitation.svg.length, 'a shorter text')
    await refused(postJson(one(), '/room/invitation', { text: 'x'.repeat(1025) }), 400, /^text is too long/)
    const text = `come: ${invitation.link} !`
    const { nodes, mods, ...told } = await got<Record<string, unknown>>(
      postJson(one(), '/invitation', {
        invitation: text,
        gameVersion: '1.20',
        mods: [longName.toUpperCase(), 'B'],
      }),
    )
    assert.equal(told, {
      roomCode: room,
      gameVersion: '1.21.4',
      name: 'Alex',
      differences: ['gameVersion'],
      missingMods: [],
      extraMods: [],
    })
    assert.equal([nodes, (mods as { count: number }).count], [[], 2])
    await postJson(one(), '/room/stop')
    await postJson(one(), '/room/host/start', { room: text, waitForGame: false })
    assert.is((await stateOf(one())).room, room)
    const read = (text: string) => postJson(one(), '/invitation', { invitation: text })
    await refused(read(invitation.link.slice(0, -3)), 400, /^invitation: The invitation is damaged/)
    await refused(read('hello'), 400, /^invitation: /)
    const inFolder = { invitation: text, modsFolder: '/nonexistent/mods' }
    await refused(postJson(one(), '/invitation', inFolder), 400, /^modsFolder: There is no such folder/)
  })

  test('extra ports are shown, replaced while hosting, and refused without a host', async () => {
    const ports = [{ name: ' voice ', udp: 24_454, tcp: null }]
    await postJson(one(), '/room/host/start', { gamePort: world().port, ports })
    await untilState(one(), 'host-ok')
    const shown = async () => ((await statusOf(one())) as unknown as { ports: unknown }).ports
    const voice = { name: 'voice', tcp: null, udp: 24_454, localTcp: null, localUdp: 24_454 }
    assert.equal(await shown(), [voice])
    await told(postJson(one(), '/room/host/ports', { ports: [] }), /within seconds/)
    assert.equal(await shown(), [])
    await postJson(one(), '/room/stop')
    await refused(postJson(one(), '/room/host/ports', { ports }), 409, /No room is being hosted/)
  })

  test('GET /state/ide stops, as some launchers call it', async () => {
    await got(byQuery())
    const record = await got<State>(one().send('/state/ide'))
    hasShape(record, STATE_SHAPE)
    assert.equal([record.state, record.role, record.room], ['waiting', null, null])
  })

  test('a stop is quick in every stage, and the next room begins at once', async () => {
    for (const delay of [0, 0, 1, 5, 20, 60, 200]) {
      const { room } = await got<State>(byQuery())
      await new Promise((resolve) => setTimeout(resolve, delay))
      const startedAt = performance.now()
      const stopping = postJson(one(), '/room/stop')
      // The race: not even waiting for the stop.
      const again = delay === 20 ? await byQuery() : undefined
      await told(stopping, /^(Stopped|Nothing was running)\.$/)
      assert.ok(performance.now() - startedAt < 20_000, `${performance.now() - startedAt} ms`)
      if (again?.status === 200) {
        const next = await untilState(one(), 'host-ok')
        assert.is.not(next.room, room)
        await postJson(one(), '/room/stop')
      }
      assert.is((await stateOf(one())).state, 'waiting')
    }
  })

  test('GET /log holds what happened, without the secret half of any code', async () => {
    const { room } = await got<State>(byQuery('&player=Alex'))
    await untilState(one(), 'host-ok')
    await one().send(`/state/guesting?room=${encodeURIComponent(room ?? '')}`)
    const response = await one().send('/log?fetch=true')
    assert.is(response.status, 200)
    assert.match(response.headers.get('Content-Type') ?? '', /^text\/plain\b/)
    const text = await response.text()
    const [first, second, third, fourth] = room?.slice(2).split('-') ?? []
    assert.ok(text.includes(`${first}-${second}`), 'the room is named by its network')
    for (const secret of [`${third}-${fourth}`, `${third}${fourth}`]) assert.not.ok(text.includes(secret))
    for (const line of text.trim().split('\n'))
      assert.match(line, /^\d{4}-\d\d-\d\dT[\d:.]+Z (debug|info|warn|error) \S/)
    assert.is(await (await one().send('/log')).text().then((all) => all.startsWith(text.slice(0, 40))), true)
  })

  /** Hosted, or waiting for a world of somebody. */
  async function eventuallyHosted(): Promise<State> {
    for (let tries = 0; ; tries++) {
      const record = await stateOf(one())
      if (record.state === 'host-ok' || tries === 20) return record
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}

/** @returns what a TCP port answers to these bytes, both as hex */
function exchange(port: number, hex: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(hex, 'hex')))
    socket.once('error', reject)
    socket.once('data', (bytes) => {
      resolve(bytes.toString('hex'))
      socket.destroy()
    })
  })
}
