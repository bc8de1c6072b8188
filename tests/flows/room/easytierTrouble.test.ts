import { setTimeout as sleep } from 'node:timers/promises'
import { type RoomCode, readRoomCode } from '@lantern-room/protocol'
import { memberArgs } from '#support/easytier/hosts'
import { startCore } from '#support/easytier/program'
import { canRun, print, WHY_NOT } from '#support/easytier/report'
import { PAIRS, type Testbed, withTestbed } from '#support/easytier/testbed'
import { waitForRoute } from '#support/easytier/waitForRoute'
import { openLine } from '#support/namespaces/line'
import { openNetworkOf } from '#support/room/openNetworkOf'
import { type RoomProcess, startRoomProcess } from '#support/room/roomProcess'
import { assert, suite } from '#support/runner/suite'
import { eventually } from '#support/values/until'

const test = suite('Rooms with the real program: trouble', { timeoutMs: 150_000 })
const withReal = test.skipUnless(canRun, WHY_NOT)
/** A test with machines of its own. */
const onTestbed = (name: string, act: (testbed: Testbed) => Promise<void>) =>
  withReal(name, () => withTestbed(act))

for (const pair of PAIRS) {
  onTestbed(
    `${pair.title}: a relayed connection outlives a restart of the real shared node`,
    async (testbed) => {
      const node = await testbed.startNode('a real shared node')
      await testbed.net.part('host', 'guest')
      const host = await testbed.host(pair.host)
      const guest = await testbed.guest(pair.guest, host)
      await letIn(host.service?.())
      const line = testbed.keep(await openLine(guest.port, testbed.net.guest.inside))
      await node.kill()
      await sleep(1000)
      await node.restart()
      const startedAt = performance.now()
      const again = testbed.workers.guest.run({ do: 'firstEcho', port: guest.port, limitMs: 60_000 })
      again.catch(() => undefined)
      await line.goesOn(60_000)
      const figures = { 'the old connection goes on after': performance.now() - startedAt }
      print(`${pair.title}, node restarts, relayed`, { ...figures, 'a new one works after': await again })
    },
  )

  onTestbed(
    `${pair.title}: a direct connection does not notice that the shared node goes`,
    async (testbed) => {
      const node = await testbed.startNode('a real shared node')
      const host = await testbed.host(pair.host)
      const guest = await testbed.guest(pair.guest, host)
      await waitForRoute(host, guest, ({ cost }) => cost === 'p2p')
      await letIn(host.service?.())
      const line = testbed.keep(await openLine(guest.port, testbed.net.guest.inside))
      await node.kill()
      const startedAt = performance.now()
      await line.goesOn(5000)
      const figures = { 'two echoes after': performance.now() - startedAt }
      await sleep(3000)
      await line.goesOn(5000)
      await node.restart()
      print(`${pair.title}, node goes, direct`, figures)
    },
  )

  onTestbed(`${pair.title}: the host is killed and returns, the guest does nothing`, async (testbed) => {
    await testbed.startNode('a real shared node')
    const host = await testbed.host(pair.host)
    const guest = await testbed.guest(pair.guest, host)
    await host.kill()
    await sleep(2000)
    const echo = { do: 'firstEcho', port: guest.port, limitMs: 60_000 } as const
    const again = testbed.workers.guest.run(echo)
    const startedAt = performance.now()
    await host.restart()
    await again
    print(`${pair.title}, host restarts`, { 'the world answers again after': performance.now() - startedAt })
  })

  onTestbed(`${pair.title}: the guest is killed and comes again`, async (testbed) => {
    await testbed.startNode('a real shared node')
    const host = await testbed.host(pair.host)
    const guest = await testbed.guest(pair.guest, host)
    await guest.kill()
    const { firstEchoMs } = await testbed.guest(pair.guest, host)
    print(`${pair.title}, guest restarts`, { 'first echo after': firstEchoMs })
  })
}

onTestbed(
  'our guest with a wrong second half is told so, by a shared node and by the host itself',
  async (testbed) => {
    await testbed.startNode('a real shared node')
    const host = await testbed.host('real', { flags: ['--listeners', 'tcp://0.0.0.0:11020'] })
    for (const node of [testbed.nodeUrl(), `tcp://${testbed.net.host.address}:11020`]) {
      const settings = { ROOM_LAN_INTERFACES: '', ROOM_NODES: node }
      const guest = testbed.keep(await startRoomProcess({ inside: testbed.net.guest.inside, settings }))
      await guest.join(anotherSecret(host.room).text, 'Steve')
      const took = await guest.until('Error', 30_000)
      const { errorCode, error, hint } = await guest.status()
      assert.is(errorCode, 'wrong-room')
      assert.ok(took < 12_000, `${took} ms`)
      print(`our guest, a wrong secret ("${error} ${hint}")`, { 'told after': took })
      await guest.close()
    }
  },
)

for (const [what, ...flags] of [
  ['chacha20', '--encryption-algorithm', 'chacha20'],
  ['xor', '--encryption-algorithm', 'xor'],
  ['no encryption', '--disable-encryption', 'true'],
]) {
  for (const isDirect of [true, false]) {
    const path = isDirect ? 'directly' : 'through a shared node'
    onTestbed(
      `a real host with ${what}, ${path}: our guest is told that the friend encrypts otherwise`,
      async (testbed) => {
        await testbed.startNode('our relay')
        if (!isDirect) await testbed.net.part('host', 'guest')
        const host = await testbed.host('real', { flags })
        const settings = { ROOM_LAN_INTERFACES: '', ROOM_NODES: testbed.nodeUrl() }
        const guest = testbed.keep(await startRoomProcess({ inside: testbed.net.guest.inside, settings }))
        await guest.join(host.room.text, 'Steve')
        const took = await guest.until('Error', 90_000)
        const { errorCode, hintCode, error } = await guest.status()
        assert.equal([errorCode, hintCode], ['host-unreachable', 'other-encryption'])
        assert.match(String(error), /encrypts in another way/)
        print(`a real host with ${what}, ${path}`, { 'told after': took })
        await guest.close()
      },
    )
  }
}

onTestbed(
  'a real host comes back with chacha20: our guest, which waits for it, is told so',
  async (testbed) => {
    await testbed.startNode('our relay')
    const host = await testbed.host('real')
    const settings = { ROOM_LAN_INTERFACES: '', ROOM_NODES: testbed.nodeUrl() }
    const guest = testbed.keep(await startRoomProcess({ inside: testbed.net.guest.inside, settings }))
    await guest.ask('/room/guest/start', { roomCode: host.room.text, playerName: 'Steve', wait: true })
    await guest.until('Guest_Running')
    await host.kill()
    await guest.until('Guest_Reconnecting')
    await host.restart(['--encryption-algorithm', 'chacha20'])
    const took = await guest.until('Error', 90_000)
    const { errorCode, hintCode } = await guest.status()
    assert.equal([errorCode, hintCode], ['host-unreachable', 'other-encryption'])
    print('a real host comes back with chacha20', { 'told after': took })
    await guest.close()
  },
)

onTestbed(
  'a real guest with a wrong second half stays out of our room, and others get in',
  async (testbed) => {
    await testbed.startNode('our relay')
    const host = await testbed.host('ours')
    const { inside } = testbed.net.other
    const forward = `tcp://127.0.0.1:25565/10.144.144.1:${host.gamePort}`
    const wrong = memberArgs(anotherSecret(host.room), {
      nodes: [testbed.nodeUrl()],
      flags: ['--enable-kcp-proxy', '--port-forward', forward, '--ipv4', '10.144.144.9'],
    })
    const stranger = await startCore(inside, wrong)
    testbed.add(stranger.kill)
    const knocking = testbed.workers.other.run({ do: 'firstEcho', port: 25_565, limitMs: 10_000 })
    await knocking.then(
      () => assert.unreachable('it came in'),
      (error: Error) => assert.match(error.message, /an echo comes back/),
    )
    const guest = await testbed.guest('real', host)
    print('a real guest beside one with a wrong secret', { 'first echo after': guest.firstEchoMs })
  },
)

/** Our host lets in the guest, which no launcher registers: otherwise its connections end when it is out of sight. */
async function letIn(host: RoomProcess | undefined): Promise<void> {
  if (!host) return
  const listed = async () => (await host.status()).guests.find(({ state }) => state === 'unregistered')
  const guest = await eventually(listed, (one) => one !== undefined, { ms: 40_000, everyMs: 250 })
  assert.is((await host.ask(`/room/guests/${guest?.id}/approve`, {})).status, 200)
}

/** A valid code of the same network with another secret. */
function anotherSecret(room: RoomCode): RoomCode {
  const { name, secret } = openNetworkOf(room.text)
  for (let number = 0; number < 1000; number += 1) {
    const { code } = readRoomCode(`${room.text.slice(0, -3)}${String(number).padStart(3, '0')}`)
    if (!code) continue
    const other = openNetworkOf(code.text)
    if (other.name === name && other.secret !== secret) return code
  }
  throw new Error('there is none')
}

test.run()
