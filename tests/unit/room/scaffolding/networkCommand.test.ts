import type { RoomCaller } from '#core/room/scaffolding/commands'
import { NETWORK_COMMAND, networkCommand } from '#core/room/scaffolding/networkCommand'
import { assert, suite } from '#support/runner/suite'

const test = suite('the command that tells the secret of the network')

const caller: RoomCaller = { memberId: '1', signal: new AbortController().signal }
const secret = new Uint8Array(32).fill(9)
const PROOF = new Uint8Array(32).fill(1)

test('who is in the room is told the secret, once there is one; others get an empty answer', async () => {
  for (const [isInside, drawn, expected] of [
    [true, secret, secret],
    [true, undefined, new Uint8Array(0)],
    [false, secret, new Uint8Array(0)],
  ] as const) {
    const shown: unknown[] = []
    const prove = (...args: unknown[]) => {
      shown.push(args)
      return isInside
    }
    const commands = networkCommand({ prove }, () => drawn)
    assert.equal(await commands[NETWORK_COMMAND]?.(PROOF, caller), { status: 0, data: expected })
    assert.equal(shown, [[PROOF, caller]])
  }
})

test('a proof of another size is refused', async () => {
  const commands = networkCommand({ prove: () => true }, () => secret)
  for (const size of [0, 31, 33]) {
    const answer = await commands[NETWORK_COMMAND]?.(new Uint8Array(size), caller)
    assert.is(answer?.status, 255)
  }
})

test.run()
