import { createDeferred } from '#core/async/deferred'
import { createMemoryText } from '#support/room/memoryText'
import { simulatedRoomsOf } from '#support/room/simulatedRooms'
import { assert, suite } from '#support/runner/suite'
import { hasResolved } from '#support/values/hasResolved'

const test = suite('orders about guests')
const setting = simulatedRoomsOf(test)

for (const [verb, body] of [
  ['guests/{id}/kick', {}],
  ['host/admission', { approval: true }],
] as const)
  test(`/room/${verb} is answered when it is on the disk`, async () => {
    const store = createMemoryText()
    let disk = Promise.resolve()
    const keptRoom = { ...store, write: (text: string) => disk.then(() => store.write(text)) }
    const [host, guest] = [setting.open({ keptRoom }), setting.open()]
    host.machine.openWorld(30_000)
    await guest.join(await host.host({ gamePort: 30_000, resume: true }))
    const { promise, resolve: goOn } = createDeferred<void>()
    disk = promise
    const id = host.roomState.view().players.at(1)?.machineId ?? ''
    const answer = host.ask(`/room/${verb.replace('{id}', id)}`, body)
    const isAnswered = hasResolved(answer)
    await setting.clock.advance(1000)
    assert.not(isAnswered())
    goOn()
    assert.is((await answer).status, 200)
    assert.match(store.text ?? '', verb === 'host/admission' ? '"approval":true' : '"state":"removed"')
  })
