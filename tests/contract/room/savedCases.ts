import * as assert from 'uvu/assert'
import { got, NOBODYS_CODE, postJson, refused, stateOf, statusOf, told, untilState } from './asking'
import type { RoomContract } from './roomContract'

type Saved = {
  readonly rooms: readonly {
    readonly id: string
    readonly role: string
    readonly roomCode: string
    readonly name: string | null
    readonly lastOpen: string
  }[]
  readonly damaged: number
}

/** Rooms of before, and a guest who waits for one. */
export function savedCases({ test, one, other, guarded, world }: RoomContract): void {
  const opened = async () => {
    await postJson(one(), '/room/host/start', { gamePort: world().port, resume: 'ask' })
    await untilState(one(), 'host-ok')
    return statusOf(one())
  }
  const saved = () => got<Saved>(one().send('/room/saved'))

  test('rooms whose orders said so are listed, opened with the same code, and forgotten', async () => {
    await refused(guarded().send('/room/saved'), 401)
    await postJson(one(), '/room/host/start', { gamePort: world().port })
    await untilState(one(), 'host-ok')
    await postJson(one(), '/room/stop')
    assert.equal(await saved(), { rooms: [], damaged: 0 })

    const order = { gamePort: world().port, resume: 'ask', approval: true, playerName: 'Alex' }
    await postJson(one(), '/room/host/start', order)
    const { room } = await untilState(one(), 'host-ok')
    const [entry] = (await saved()).rooms
    const { id = '', lastOpen = '', ...rest } = entry ?? {}
    assert.equal(rest, { role: 'host', roomCode: room, name: 'A test world' })
    assert.ok(!Number.isNaN(Date.parse(lastOpen)) && /^[0-9a-f]{64}$/.test(id))
    await refused(postJson(one(), `/room/saved/${id}/open`, {}), 409)
    await postJson(one(), '/room/stop')

    await refused(postJson(one(), `/room/saved/${id}/open`, { gamePort: 0 }), 400, /^gamePort must/)
    await told(
      postJson(one(), `/room/saved/${id}/open`, { gamePort: world().port, playerName: 'Bob' }),
      /again/,
    )
    await untilState(one(), 'host-ok')
    const { roomCode, players } = await statusOf(one())
    assert.equal([roomCode, players[0]?.name], [room, 'Bob'])
    // What its order said holds: the guest has to ask.
    await postJson(other(), '/room/guest/start', { roomCode, resume: 'ask' })
    while ((await statusOf(other())).state !== 'Guest_AwaitingApproval')
      await new Promise((go) => setTimeout(go, 20))
    await postJson(other(), '/room/stop')

    const before = await saved()
    await told(postJson(one(), `/room/saved/${id}/forget`), /^Forgotten\.$/)
    await refused(postJson(one(), `/room/saved/${id}/forget`), 404, /no such saved room/)
    await told(postJson(one(), `/room/saved/${id}/restore`), /^It is in the list again\.$/)
    assert.equal(await saved(), before)
    await refused(postJson(one(), `/room/saved/${'0'.repeat(64)}/restore`), 404, /no such saved room/)
    await told(postJson(one(), `/room/saved/${id}/forget`), /^Forgotten\.$/)
    await refused(postJson(one(), `/room/saved/${id}/open`), 404, /no such saved room/)
    await refused(postJson(one(), '/room/saved/no-id/open'), 400, /^id must/)
    assert.equal((await saved()).rooms, [])
  })

  test('a guest is told whether a room of before is open, and its host sees nobody', async () => {
    const { roomCode } = await opened()
    await postJson(other(), '/room/guest/start', { roomCode, resume: 'ask' })
    await untilState(other(), 'guest-ok')
    const [entry] = (await got<Saved>(other().send('/room/saved'))).rooms
    const path = `/room/saved/${entry?.id}/check`
    await refused(postJson(other(), path), 409, /open or joined/)
    await postJson(other(), '/room/stop')
    while ((await statusOf(one())).players.length > 1) await new Promise((go) => setTimeout(go, 20))
    let { index } = await stateOf(one())
    // The host may still be telling of the guest that has left.
    for (let before = -1; before !== index; { index } = await stateOf(one())) {
      before = index
      await new Promise((go) => setTimeout(go, 500))
    }
    assert.equal(await got(postJson(other(), path)), { open: true })
    const { players, guests } = await statusOf(one())
    assert.equal([players.length, guests, (await stateOf(one())).index], [1, [], index])
    await postJson(one(), '/room/stop')
    const [own] = (await saved()).rooms
    await refused(postJson(one(), `/room/saved/${own?.id}/check`), 404, /no such saved room/)
    await refused(postJson(one(), `/room/saved/${'0'.repeat(64)}/check`), 404, /no such saved room/)
    await refused(postJson(other(), path, { direct: 'on' }), 400, /^direct must/)
  })

  test('a retry can wait for a host who is not there yet', async () => {
    await postJson(other(), '/room/guest/start', { roomCode: NOBODYS_CODE })
    while ((await stateOf(other())).state !== 'exception') await new Promise((go) => setTimeout(go, 20))
    assert.is((await statusOf(other())).errorCode, 'host-not-found')
    await refused(postJson(other(), '/room/retry', { wait: 'yes' }), 400, /^wait must/)
    await told(postJson(other(), '/room/retry', { wait: true }), /^Trying again\.$/)
    await postJson(one(), '/room/host/start', { room: NOBODYS_CODE, gamePort: world().port })
    await untilState(other(), 'guest-ok')
  })

  test('a guest that looks for its host can be told to wait, before the search has failed', async () => {
    const wait = () => postJson(other(), '/room/retry', { wait: true })
    await postJson(other(), '/room/guest/start', { roomCode: NOBODYS_CODE })
    await told(wait(), /^Trying again\.$/)
    // It waits now.
    await told(wait(), /nothing to try again/)
    await postJson(one(), '/room/host/start', { room: NOBODYS_CODE, gamePort: world().port })
    await untilState(other(), 'guest-ok')
    await told(wait(), /nothing to try again/)
  })
}
