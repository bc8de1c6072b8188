import { createLanAnnouncer } from '@lantern-room/adapters/lan'
import { createSystemClock } from '@lantern-room/adapters/system'
import * as assert from 'uvu/assert'
import { freePort } from '#support/process/serverProcess'
import { GAME_SENDER } from '#support/room/gameSender'
import { startMuteServer } from '#support/room/testWorld'
import { each } from '#support/values/each'
import { silentLog } from '#support/values/testLog'
import { until } from '#support/values/until'
import { got, hasShape, postJson, refused, type State, stateOf, statusOf, told } from './asking'
import { GUARD, type RoomContract } from './roomContract'

/** Connections of one probe: the modern ping, the legacy one, and the plain connect. */
const PROBES = 3

/** What can be asked while no role runs: the records, the settings, the games of the LAN. */
export function idleCases({ test, one, guarded, world }: RoomContract): void {
  const set = (launcher: unknown) => postJson(one(), '/config/launcher', launcher)

  test('GET /meta tells versions and platform, and nothing else', async () => {
    const meta = await got(one().send('/meta'))
    hasShape(meta, {
      version: 'string',
      compileTimestamp: 'time',
      networkVersion: 'string',
      overlayPort: 'string',
      targetTuple: 'string',
      targetArch: 'string',
      targetVendor: 'string',
      targetOS: 'string',
      targetEnv: 'string',
      contractVersion: 'string',
      runId: 'string',
    })
    const { targetTuple, targetArch, targetVendor, targetOS, targetEnv } = meta
    assert.is(targetTuple, [targetArch, targetVendor, targetOS, targetEnv].filter(Boolean).join('-'))
    assert.is(meta.overlayPort, '24448')
  })

  test('GET /state while idle is waiting, with every field there', async () => {
    const { index, ...rest } = await stateOf(one())
    assert.ok(Number.isInteger(index) && index >= 0)
    assert.equal(rest, {
      state: 'waiting',
      role: null,
      room: null,
      profileIndex: 0,
      profiles: [],
      url: null,
      difficulty: null,
      profile_index: 0,
      exceptionType: null,
      type: null,
      error: null,
    })
  })

  test('GET /room/status while idle is Idle, with an empty list of players', async () => {
    const { lastUpdate, ...rest } = await statusOf(one())
    assert.match(lastUpdate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(rest, {
      state: 'Idle',
      role: null,
      error: null,
      roomCode: null,
      private: null,
      approval: null,
      allowed: null,
      players: [],
      gamePort: 0,
      errorCode: null,
      stage: null,
      hint: null,
      hintCode: null,
      network: null,
      ports: [],
      guests: [],
      connections: [],
    })
  })

  test('nothing to stop and nothing to try again are answers, not errors', async () => {
    await told(postJson(one(), '/room/stop'), /^Nothing was running\.$/)
    await told(postJson(one(), '/room/retry'), /^There is nothing to try again\.$/)
    assert.is((await got<State>(one().send('/state/ide'))).state, 'waiting')
    await refused(postJson(one(), '/room/host/game', { gamePort: 25565 }), 409, /No room is being hosted/)
  })

  test('GET /config shows the settings', async () => {
    const config = await got(one().send('/config'))
    assert.match(String(config.machineId), /^[0-9a-f]{32}$/)
    const { machineId: _, ...rest } = config
    assert.equal(rest, {
      launcherCustomString: null,
      scaffoldingPort: 24448,
      heartbeatMs: 300,
      direct: true,
      portMapping: true,
      friendRelay: false,
      friendRelayBytesPerSecond: 1_000_000,
      private: false,
      approval: false,
      allowed: [],
      nodes: [],
      nodesFrom: 'environment',
      lanInterfaces: ['127.0.0.1'],
    })
  })

  test('the launcher custom string is kept, and cleared by null, nothing or ""', async () => {
    const custom = async () => (await got(one().send('/config'))).launcherCustomString
    for (const cleared of [{ launcherCustomString: null }, {}, { launcherCustomString: '' }, undefined]) {
      await told(set({ launcherCustomString: 'HMCL 3.6', more: 1 }), /is set\.$/)
      assert.is(await custom(), 'HMCL 3.6')
      await told(set(cleared), /^The launcher custom string is/)
      assert.is(await custom(), null, JSON.stringify(cleared))
    }
  })

  test('the launcher custom string has at most 128 printable characters', async () => {
    const longest = '启'.repeat(128)
    await told(set({ launcherCustomString: longest }), /set/)
    for (const wrong of ['x'.repeat(129), 'a\nb', 'a\u0000', '\u202Eabc', 7, true, {}, ['x']])
      await refused(set({ launcherCustomString: wrong }), 400, /^launcherCustomString must/)
    assert.is((await got(one().send('/config'))).launcherCustomString, longest)
    await postJson(one(), '/config/launcher', {})
  })

  test('worlds of the LAN are listed; only one that answers a ping is verified', async () => {
    const closed = await freePort()
    const mute = await startMuteServer()
    const name = `world of ${process.pid} at ${one().url}`
    const stopping = new AbortController()
    const announcer = createLanAnnouncer(
      {
        interfaces: ['127.0.0.1'],
        clock: createSystemClock(),
        log: silentLog(),
      },
      GAME_SENDER,
    )
    const announcing = [world().port, closed, mute.port].map((port) =>
      announcer.announce({ motd: name, port }, stopping.signal),
    )
    try {
      const listed = async () => {
        const { servers, count } = await got<{ servers: Record<string, unknown>[]; count: number }>(
          one().send('/game/servers'),
        )
        assert.is(count, servers.length)
        return servers.filter(({ motd }) => motd === name)
      }
      await until('all are probed', async () => {
        const ours = await listed()
        const areAllProbed = mute.connections() >= PROBES && ours.some(({ isVerified }) => isVerified)
        return areAllProbed && ours.length === 3
      })
      // The result of the last connect arrives a moment after the connection.
      await new Promise((resolve) => setTimeout(resolve, 200))
      const found = await listed()
      const byPort = (port: number) => found.find(({ endPoint }) => endPoint === `127.0.0.1:${port}`)
      const shared = { motd: name, local: true, announced: true, edition: 'java' }
      assert.equal(byPort(world().port), {
        ...shared,
        endPoint: `127.0.0.1:${world().port}`,
        isVerified: true,
        version: '1.21.4',
        onlinePlayers: 1,
        maxPlayers: 8,
      })
      for (const port of [closed, mute.port])
        assert.equal(byPort(port), {
          ...shared,
          endPoint: `127.0.0.1:${port}`,
          isVerified: false,
          version: null,
          onlinePlayers: null,
          maxPlayers: null,
        })
      const status = await got(one().send('/game/status'))
      hasShape(status, { totalServers: 'integer', verifiedServers: 'integer', timestamp: 'time' })
      assert.ok(Number(status.totalServers) >= 3 && Number(status.verifiedServers) >= 1)
      assert.ok(Number(status.totalServers) - Number(status.verifiedServers) >= 2)
    } finally {
      stopping.abort()
      await Promise.all([...announcing, mute.close()])
    }
  })

  test('POST /config/nodes sets the nodes of the next rooms, and null those that were configured', async () => {
    const shown = async () => (await got(one().send('/config'))).nodes
    const from = async () => (await got(one().send('/config'))).nodesFrom
    const nodes = ['TCP://127.0.0.1:9', 'https://127.0.0.1/list', 'tcp://127.0.0.1:9']
    await told(postJson(one(), '/config/nodes', { nodes }), /^The next room uses these shared nodes/)
    assert.equal(await shown(), ['tcp://127.0.0.1:9', 'https://127.0.0.1:443/list'])
    assert.is(await from(), 'client')
    await postJson(one(), '/config/nodes', { nodes: ['tcp://127.0.0.1:9'] })
    const { servers } = await got<{ servers: { port: number }[] }>(one().send('/network/servers'))
    assert.equal(each(servers, 'port'), [9])
    await told(postJson(one(), '/config/nodes', { nodes: null }), /shared nodes/)
    assert.equal([await shown(), await from()], [[], 'environment'])
  })

  test('GET /network/servers lists the shared nodes and their health', async () => {
    assert.equal(await got(one().send('/network/servers')), { servers: [] })
    const { servers } = await got<{ servers: Record<string, unknown>[] }>(
      guarded().send('/network/servers', { headers: { Authorization: `Bearer ${GUARD.token}` } }),
    )
    for (const server of servers)
      hasShape(server, {
        hostname: 'string',
        port: 'integer',
        protocol: 'string',
        status: 'string',
        latencyMs: 'integer?',
        problem: 'string',
      })
    const lines = servers.map(({ hostname, port, protocol, status }) =>
      [hostname, port, protocol, status].join(' '),
    )
    assert.equal(lines, ['127.0.0.1 9 tcp failed', '::1 9 ws failed'])
  })

  test('GET / is the room page, which no other page can frame and which runs no script but its own', async () => {
    const response = await one().send('/')
    assert.is(response.status, 200)
    assert.match(response.headers.get('Content-Type') ?? '', /^text\/html\b/)
    const policy = response.headers.get('Content-Security-Policy') ?? ''
    assert.match(policy, /(^|; )frame-ancestors 'none'/)
    assert.match(policy, /(^|; )default-src 'none'/)
    assert.not.match(policy, /unsafe/)
    assert.is(response.headers.get('Set-Cookie'), null)
    assert.match(await response.text(), /<!doctype html>[\s\S]*<title>Lantern Room<\/title>/i)
  })
}
