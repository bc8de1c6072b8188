import { BYE_COMMAND, createGoodbye } from '#internal/protocol/scaffolding/goodbye'
import { HostAdmission } from '#internal/protocol/scaffolding/players/hostAdmission'
import { createHostDecisions } from '#internal/protocol/scaffolding/players/hostDecisions'
import { createPlayerRegistry } from '#internal/protocol/scaffolding/players/registry'
import { createScaffoldingServer } from '#internal/protocol/scaffolding/server'
import { encodePlayer } from '#internal/protocol/scaffolding/wire/commands'
import { encodeRequest } from '#internal/protocol/scaffolding/wire/frames'
import { createFakeClock, settle } from '#support/network/fakeClock'
import { streamPair } from '#support/network/streamPair'
import { assert, suite } from '#support/runner/suite'
import { createPrng } from '#support/values/prng'
import { HOST } from '../hosted'
import { OPEN_SERVER } from '../openPolicy'

const test = suite('random members', { timeoutMs: 180_000 })

const FRAMES = 40_000
const MEMBERS = 24
/** Few, so that members take each other's. */
const IDS = 120

test('40,000 random frames of members, and answers of the host, break no rule of the room', async () => {
  const room = openRoom()
  const { random, clock } = room
  for (let sent = 0; sent < FRAMES; ) {
    const kind = random(100)
    if (kind < 4) room.connect()
    else if (kind < 6) room.disconnect()
    else if (kind < 7) room.replaceMember()
    else if (kind < 9) room.control()
    else if (kind < 20) await clock.advance(random(2000))
    else {
      sent += 10
      for (let count = 0; count < 10; count += 1) room.send()
    }
    await settle()
    room.checkRules()
  }
  await room.close()
})

function openRoom() {
  const prng = createPrng(20_261_122)
  const { bytes } = prng
  const random = (below: number) => Math.floor(prng.next() * below)
  const clock = createFakeClock()
  const stop = new AbortController()
  const gone = new Set<string>()
  const members = Array.from({ length: MEMBERS }, (_, at) => `member ${at}`)
  const connections: { readonly stream: ReturnType<typeof streamPair>[0]; readonly memberId: string }[] = []
  const served: Promise<void>[] = []
  const serving = new Set<unknown>()
  const problems: string[] = []
  const note = (message: string) => void problems.push(message)
  let lastMember = MEMBERS
  const registry = createPlayerRegistry({
    host: HOST,
    clock,
    isConnected: (memberId) => !gone.has(memberId),
    onChange: () => checkOwners(),
    signal: stop.signal,
  })
  const goodbye = createGoodbye({ registry, isRemoved: () => false, clock })
  const admission = HostAdmission.open({
    registry,
    decisions: createHostDecisions({ needsApproval: false, allowed: [] }),
    memberOf: () => undefined,
    addressOf: () => undefined,
    clock,
  })
  const server = createScaffoldingServer({
    ...OPEN_SERVER,
    registry,
    admission,
    gamePort: () => (random(4) === 0 ? undefined : 25_565),
    onGamePort: () => () => {},
    clock,
    log: { debug() {}, info() {}, warn() {}, error: note },
    extraCommands: goodbye.commands,
    signal: stop.signal,
  })
  const anyId = () => (random(30) === 0 ? HOST.machineId : `id-${random(IDS)}`)
  let longest = 0
  /** Whose each player was after the last change. */
  let owners = new Map<string, string | undefined>()

  return { random, clock, connect, disconnect, replaceMember, control, send, checkRules, close }

  function connect(): void {
    const [stream, far] = streamPair({ capacity: 1024 * 1024 })
    const memberId = members[random(MEMBERS)] ?? ''
    const connection = { stream, memberId }
    connections.push(connection)
    void stream.closed.then(() => connections.splice(connections.indexOf(connection), 1))
    serving.add(stream)
    served.push(server.serve(far, memberId).finally(() => serving.delete(stream)))
    void drain(stream)
  }

  function disconnect(): void {
    connections[random(connections.length || 1)]?.stream.destroy()
  }

  /** A member goes, and returns as another one. */
  function replaceMember(): void {
    const at = random(MEMBERS)
    gone.add(members[at] ?? '')
    for (const { stream, memberId } of [...connections]) if (memberId === members[at]) stream.destroy()
    members[at] = `member ${lastMember}`
    lastMember += 1
  }

  function control(): void {
    const acts = [
      () => admission.approve(anyId()),
      () => admission.refuse(anyId()),
      () => admission.remove(anyId()),
      () => admission.setPolicy({ needsApproval: random(2) === 0, allowed: random(2) ? [] : [anyId()] }),
    ]
    try {
      acts[random(acts.length)]?.()
    } catch (error) {
      assert.match(String(error), /player|guest|id/i)
    }
  }

  function send(): void {
    const stream = connections[random(connections.length || 1)]?.stream
    void stream?.write(frame()).catch(() => undefined)
  }

  function frame(): Uint8Array {
    const encoder = new TextEncoder()
    const player = encodePlayer({ name: `n${random(9)}`, machineId: anyId(), vendor: '' })
    switch (random(8)) {
      case 0:
        return encodeRequest({ kind: BYE_COMMAND, body: encoder.encode(anyId()) })
      case 1:
        return encodeRequest({ kind: 'c:player_profiles_list', body: bytes(random(9)) })
      case 2:
        return encodeRequest({ kind: 'c:server_port', body: encoder.encode('now') })
      case 3:
        return random(20) === 0
          ? bytes(1 + random(20))
          : encodeRequest({ kind: 'c:ping', body: bytes(random(40)) })
      default:
        return encodeRequest({ kind: 'c:player_ping', body: player })
    }
  }

  function checkRules(): void {
    const players = registry.list()
    const ids = players.map(({ machineId }) => machineId)
    assert.equal([players[0]?.kind, players[0]?.machineId], ['HOST', HOST.machineId])
    assert.ok(players.slice(1).every(({ kind }) => kind === 'GUEST'))
    assert.is(new Set(ids).size, ids.length, 'a player twice')
    assert.ok(ids.length <= 64 && serving.size <= 64, `${ids.length} ${serving.size}`)
    const perMember = new Map<string, number>()
    for (const id of ids.slice(1)) {
      const member = registry.memberOf(id) ?? ''
      assert.ok(member, 'a player of nobody')
      perMember.set(member, (perMember.get(member) ?? 0) + 1)
    }
    assert.ok(Math.max(0, ...perMember.values()) <= 4, 'a member with more than its share')
    longest = Math.max(longest, ids.length)
    assert.equal(problems, [])
  }

  /** A player that stays on the list is no other member's unless its own has gone. */
  function checkOwners(): void {
    const next = new Map(registry.list().map(({ machineId }) => [machineId, registry.memberOf(machineId)]))
    for (const [id, member] of next) {
      const before = owners.get(id)
      if (before !== undefined && before !== member && !gone.has(before))
        problems.push(`${id} of ${before} was taken by ${member}`)
    }
    owners = next
  }

  async function close(): Promise<void> {
    stop.abort()
    for (const { stream } of [...connections]) stream.destroy()
    await Promise.all(served)
    await clock.advance(120_000)
    assert.equal([serving.size, clock.timers], [0, 0])
    assert.ok(longest > 40, `at most ${longest} players`)
  }
}

async function drain(stream: { read(): Promise<unknown> }): Promise<void> {
  try {
    while (await stream.read());
  } catch {
    // The stream broke.
  }
}

test.run()
