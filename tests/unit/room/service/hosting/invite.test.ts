import { createHostIdentity, generateRoomCode } from '@lantern-room/protocol'
import { readInvitation } from '@lantern-room/protocol/invitation'
import { createInvite } from '#internal/room/service/hosting/invite'
import type { RoomView } from '#internal/room/service/state/roomView'
import { assert, suite } from '../../../../support/runner/suite'

const test = suite('inviting to the hosted room')

const room = generateRoomCode()
const HOSTING: Partial<RoomView> = {
  role: 'host',
  stage: 'Host_Running',
  room: room.text,
  players: [{ name: 'Alex', machineId: 'a', vendor: 'X', kind: 'HOST' }],
  gamePort: 4000,
  network: {
    privacy: 'open',
    nodes: [{ url: 'tcp://n:1', state: 'connected', latencyMs: 1, problem: undefined }],
    mappings: [],
    path: undefined,
    difficulty: undefined,
  },
}
const inviteIn = (view: Partial<RoomView>) =>
  createInvite({
    roomState: { view: () => view as RoomView },
    probeHere: async () => undefined,
    identityOf: (code) => createHostIdentity(new Uint8Array(32).fill(1), code),
    page: undefined,
    stopping: new AbortController().signal,
  })
const game = { gameVersion: undefined, mods: undefined }

test('nodes that have failed are left out, unless all have', async () => {
  const node = (url: string, state: 'connected' | 'failed') => ({
    url,
    state,
    latencyMs: 1,
    problem: undefined,
  })
  const told = async (nodes: readonly ReturnType<typeof node>[]) => {
    const network = HOSTING.network && { ...HOSTING.network, nodes }
    const read = readInvitation((await inviteIn({ ...HOSTING, network: network ?? null })(game))?.link ?? '')
    return typeof read === 'object' && read.nodes
  }
  assert.equal(await told([node('tcp://n:1', 'connected'), node('udp://m:2', 'failed')]), ['tcp://n:1'])
  assert.equal(await told([node('tcp://n:1', 'failed'), node('udp://m:2', 'failed')]), [
    'tcp://n:1',
    'udp://m:2',
  ])
})

test.run()
